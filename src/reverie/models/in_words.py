"""Forms and tools for a model that only reads and writes text: what an API would take as fields is said in words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from reverie.core import answers
from reverie.core.model import Failure, Json, ModelFailed, Tool, ToolRefused

FORM = (
    "Answer with exactly one JSON object that fits the following JSON schema. No words before or after it, no Markdown fence, no "
    "field that the schema does not name.\n\n"
)
TOOLS = (
    "You have the tools that are listed below, and no others. In each answer give either calls, a list of calls to make, or "
    "answer, when you are done. What the calls said is added to this text before you are asked again.\n\n"
)
_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<inside>.*)\n```\s*", re.DOTALL)
MOST_CALLS = 64                 # in one answer


def form(schema: Json) -> str:
    """How the form of an answer is asked for."""
    return FORM + json.dumps(schema, ensure_ascii=False)


def turn_schema(tools: Sequence[Tool], schema: Json | None) -> dict[str, Any]:
    """The form of one turn of a loop with tools: calls, or the answer."""
    call = {
        "type": "object", "required": ["name", "arguments"],
        "properties": {
            "name": {"enum": [tool.name for tool in tools]}, "arguments": {"type": "object", "additionalProperties": True},
        },
    }
    return {"type": "object", "properties": {
        "calls": {"type": "array", "maxItems": MOST_CALLS, "items": call},
        "answer": schema if schema is not None else {"type": "string"},
    }}


def tools_text(tools: Sequence[Tool]) -> str:
    """The tools, for the model."""
    return TOOLS + "\n".join(
        json.dumps({"name": tool.name, "description": tool.description, "parameters": answers.closed(tool.parameters)},
                   ensure_ascii=False) for tool in tools
    )


def called(tools: Sequence[Tool], turn: Json) -> str:
    """Carry out the calls of a turn; what they said, as lines of JSON."""
    lines = []
    for call in turn["calls"]:
        tool = next(tool for tool in tools if tool.name == call["name"])
        try:
            said: dict[str, str] = {"result": tool.run(answers.fitting(call["arguments"], answers.closed(tool.parameters)))}
        except ToolRefused as refused:
            said = {"refused": str(refused)}
        except ModelFailed as failed:
            said = {"refused": str(failed).replace("the model's answer", "this call")}
        lines.append(json.dumps({"call": call, **said}, ensure_ascii=False))
    return "\n".join(lines)


def parsed(text: str, schema: Json) -> Json:
    """The answer in its form. Agents wrap JSON in a fence out of habit: one around the whole answer is taken off."""
    fenced = _FENCED.fullmatch(text)
    return answers.parsed(fenced["inside"] if fenced else text, schema)


def turn(text: str, schema: Json) -> Json:
    """One turn of a loop with tools: calls or an answer, never both."""
    said = parsed(text, schema)
    if bool(said.get("calls")) == ("answer" in said):
        raise ModelFailed(Failure.BAD_ANSWER, "the model gave neither calls nor an answer, or both")
    return said
