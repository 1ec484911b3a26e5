"""A provider's model: one question, its tool loop, one answer, over pydantic-ai's adapters and our own wire.

The library translates between the protocols and holds nothing else of ours: not the loop (each tool's refusal is told to the
model in our words, an unknown tool ends the question), not the retries, not the check of the answer. It is imported with the
first question.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from reverie.core import answers
from reverie.core.model import Answer, Ask, Effort, Failure, Json, Meter, ModelFailed, Tool, ToolRefused, Used
from reverie.models import in_words
from reverie.models.providers import NO_KEY, Provider

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model as Adapter
    from pydantic_ai.models import ModelRequestParameters

    from reverie.models.wire import Limits, Wire

ANSWER = "answer"               # the tool that takes an answer where the API knows no schemas
TOO_MANY_CALLS = 64             # in one round trip


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderModel:
    """A model of a provider. Safe to use from several threads: each question has a connection of its own."""

    name: str                           # "provider:model"
    window: int
    provider: Provider
    base_url: str
    environment: Mapping[str, str] = field(repr=False)      # it holds keys
    min_remaining_percent: int = 25
    _limits: list[Limits] = field(default_factory=list, repr=False)

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        key = self.provider.key(self.environment)
        return _run(lambda: self._within_deadline(ask, meter, key))

    async def _within_deadline(self, ask: Ask, meter: Meter, key: str) -> Answer:
        from reverie.models import wire

        limits = self._shared_limits(wire.Limits)
        limits.hold(self.min_remaining_percent, time.time())
        at = wire.Wire(meter=meter, limits=limits, deadline=time.monotonic() + ask.seconds, most_output=ask.output_tokens,
                       key=key if key != NO_KEY else "", vendors_own=bool(self.provider.base_variable))
        try:
            return await asyncio.wait_for(_Question(self, ask, at, key).answer(), ask.seconds)
        except TimeoutError:
            raise ModelFailed(Failure.TIMEOUT, f"{self.name} did not answer within {ask.seconds:g} seconds") from None
        except ModelFailed:
            raise
        except Exception as error:      # whatever a library makes of what a server sends
            if at.failed:
                raise at.failed from None
            said = at.discreet(f"{type(error).__name__}: {error}")
            raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} gave an answer that cannot be read ({said})") from None

    def _shared_limits(self, make: type[Limits]) -> Limits:
        if not self._limits:
            self._limits.append(make())
        return self._limits[0]


class _Question:
    """One question on its way: the conversation so far, and what to do with each answer."""

    def __init__(self, model: ProviderModel, ask: Ask, wire: Wire, key: str) -> None:
        self.model, self.ask, self.wire, self.key = model, ask, wire, key
        self.used = Used()
        self.schema = answers.closed(ask.schema) if ask.schema is not None else None

    async def answer(self) -> Answer:
        import httpx2
        from pydantic_ai.messages import ModelRequest

        async with httpx2.AsyncClient(transport=self.wire.transport(_proxied(self.model.base_url)), timeout=self.ask.seconds,
                                      follow_redirects=False) as client:
            adapter = _adapter(self.model, self.key, client)
            form = self._form(adapter)
            messages: list[ModelMessage] = [self._first(form)]
            for _ in range(max(1, self.ask.rounds)):
                response = await self._round(adapter, messages, form)
                calls = [call for call in response.tool_calls if call.tool_name != ANSWER or form != "tool"]
                if not calls:
                    return self._last(response, form)
                if len(calls) > TOO_MANY_CALLS:             # none of them is carried out
                    raise ModelFailed(Failure.BAD_ANSWER, f"{self.model.name} called {len(calls)} tools at once")
                messages += [response, ModelRequest(parts=[self._result(call) for call in calls])]
        raise ModelFailed(
            Failure.BAD_ANSWER, f"{self.model.name} still called tools after {self.ask.rounds} rounds", used=self.used
        )

    async def _round(self, adapter: Adapter, messages: list[ModelMessage], form: str) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(max_tokens=self.ask.output_tokens, timeout=self.ask.seconds)
        if self.ask.effort is not Effort.DEFAULT:
            settings["thinking"] = cast(Literal["low", "medium", "high"], self.ask.effort.value)
        response = await model_request(
            adapter, messages, model_settings=settings, model_request_parameters=self._parameters(form)
        )
        used = self._used(response)
        self.used += used
        self.wire.meter.after(used)
        if response.finish_reason == "content_filter":
            raise ModelFailed(Failure.REFUSED, f"{self.model.name} declined to answer")
        return response

    def _used(self, response: ModelResponse) -> Used:
        """What a round trip took; where the server does not say, all that it can have taken: something was asked, and it is
        text or a call that came back."""
        said = response.usage
        input, output = said.input_tokens, said.output_tokens
        known = (input > 0, output > 0 or not (response.text or response.tool_calls))
        return Used(input=input if known[0] else self.wire.most_input, output=output if known[1] else self.wire.most_output,
                    cached=said.cache_read_tokens, written=said.cache_write_tokens, calls=1, known=all(known))

    def _last(self, response: ModelResponse, form: str) -> Answer:
        name = f"{self.model.provider.name}:{response.model_name}" if response.model_name else self.model.name
        text = (response.text or "").encode("utf-8", "replace").decode()     # halves of characters are none
        if response.finish_reason == "length" and self.schema is not None:
            raise ModelFailed(Failure.BAD_ANSWER, f"{self.model.name} was cut off after {self.ask.output_tokens:,} tokens")
        if self.schema is None:
            return Answer(text=text, used=self.used, model=name)
        call = next(iter(response.tool_calls), None)
        if call is not None and form == "tool":
            data = _arguments(call, self.schema)
            return Answer(text=json.dumps(data, ensure_ascii=False), data=data, used=self.used, model=name)
        return Answer(text=text, data=answers.parsed(text, self.schema), used=self.used, model=name)

    def _result(self, call: ToolCallPart) -> Any:
        """What a tool answers. One that does not exist ends the question: who makes up tools is not to be argued with."""
        from pydantic_ai.messages import ToolReturnPart

        tool = next((tool for tool in self.ask.tools if tool.name == call.tool_name), None)
        if tool is None:
            raise ModelFailed(Failure.BAD_ANSWER, f"{self.model.name} called {call.tool_name[:60]!r}, which is none of its tools")
        text, refused = _called(tool, call)
        return ToolReturnPart(
            tool_name=tool.name, content=text, tool_call_id=call.tool_call_id, outcome="failed" if refused else "success"
        )

    # ── how the answer's form is asked for ───────────────────────────────────────────────────────────────────────

    def _form(self, adapter: Adapter) -> str:
        """"" (no form), or one of providers.STRUCTURED."""
        if self.schema is None:
            return ""
        chosen = self.model.provider.structured
        if self.model.provider.wire == "gemini" and self.ask.tools:
            return "tool"               # it takes a schema or tools, not both
        takes_schemas = adapter.profile.get("supports_json_schema_output")
        if chosen == "schema" and self.model.provider.wire == "anthropic" and not takes_schemas:
            return "tool"               # what the library does not know to take one, it does not ask for one
        return chosen or ("schema" if takes_schemas else "tool")

    def _first(self, form: str) -> ModelMessage:
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        system = self.ask.system
        if form == "words":
            system += "\n\n" + in_words.form(self.schema or {})
        parts: list[Any] = [SystemPromptPart(system)] if system else []
        return ModelRequest(parts=[*parts, UserPromptPart(self.ask.prompt)])

    def _parameters(self, form: str) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.tools import ToolDefinition

        tools = [
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=answers.closed(tool.parameters),
                           strict=False)
            for tool in self.ask.tools
        ]
        if form == "schema":
            return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=OutputObjectDefinition(
                name=ANSWER, json_schema=dict(self.schema or {})))
        if form == "tool":
            how = ToolDefinition(name=ANSWER, description="Give the answer.", parameters_json_schema=dict(self.schema or {}),
                                 kind="output")
            return ModelRequestParameters(function_tools=tools, output_mode="tool", output_tools=[how], allow_text_output=False)
        if form == "words" and not tools:
            return ModelRequestParameters(output_mode="prompted", prompted_output_template=False, output_object=(
                OutputObjectDefinition(name=ANSWER, json_schema=dict(self.schema or {}))))
        return ModelRequestParameters(function_tools=tools)


def _called(tool: Tool, call: ToolCallPart) -> tuple[str, bool]:
    """What a tool says to a call, and whether it is a refusal."""
    try:
        return tool.run(_arguments(call, answers.closed(tool.parameters))), False
    except ToolRefused as refused:
        return str(refused), True
    except ModelFailed as failed:
        return str(failed).replace("the model's answer", "this call"), True


def _arguments(call: ToolCallPart, schema: Json) -> Json:
    given = call.args
    if isinstance(given, str):
        return answers.parsed(given or "{}", schema)
    return answers.fitting({} if given is None else given, schema)


def _run(make: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """Run to the end, from a program with an event loop of its own as well as from one without."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    outcome: list[Answer | BaseException] = []

    def aside() -> None:
        try:
            outcome.append(asyncio.run(make()))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=aside, name="reverie-model")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _proxied(base_url: str) -> httpx2.AsyncBaseTransport | None:
    """The way through the proxy of the environment, where there is one for this address."""
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    import httpx2

    parts = urlsplit(base_url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or not parts.hostname or parts.hostname in ("127.0.0.1", "localhost", "::1") or proxy_bypass(parts.hostname):
        return None
    try:
        return httpx2.AsyncHTTPTransport(retries=0, proxy=proxy)
    except (ValueError, ImportError, httpx2.InvalidURL):     # their words hold the proxy's password
        raise ModelFailed(Failure.REFUSED, (
            f"the proxy that the environment names for {parts.scheme}:// ({parts.scheme.upper()}_PROXY or ALL_PROXY) cannot be "
            f"used: it must be an http:// or https:// address. NO_PROXY={parts.hostname} goes around it"
        )) from None


def _hush() -> None:
    """Two libraries say on standard error what is not so here: which key they take, and that a count is none."""
    logger = logging.getLogger("google_genai")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    warnings.filterwarnings("ignore", message="Failed to extract usage")


def _adapter(model: ProviderModel, key: str, client: httpx2.AsyncClient) -> Adapter:
    """The library's side of a protocol. No client retries: the wire does."""
    _hush()
    wire, name = model.provider.wire, model.name.partition(":")[2]
    if wire == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AsyncAnthropic(api_key=key, base_url=model.base_url, http_client=client, max_retries=0)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=anthropic))
    if wire == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=model.base_url, http_client=client))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    openai = AsyncOpenAI(api_key=key, base_url=model.base_url, http_client=client, max_retries=0)
    provider = OpenAIProvider(openai_client=openai)
    if wire == "openai-responses":
        return OpenAIResponsesModel(name, provider=provider)
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    is_openai = model.provider.name.startswith("openai")    # the servers like it know the older name of the limit
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=is_openai)
    return OpenAIChatModel(name, provider=provider, profile=profile)
