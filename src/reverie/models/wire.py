"""What goes over the wire to a provider, one round trip at a time: the transport beneath every client library.

Sitting here, at the very end, it sees each request that is really made, whatever a library does above it. Each is announced
to the meter with the size of its body: no tokenizer makes more tokens than a text has bytes, and JSON has more bytes than
the text it carries. It tries again after 5xx, 429 and lost connections, within the deadline; it follows no redirect (a key
would go along), reads no body without end, and remembers what the provider says of its rate limits. What libraries take from
variables of their vendors (headers of a gateway, an organization) goes to that vendor's address only, and a key that a server
says back goes no further.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from reverie.core import redact
from reverie.core.budget import clip
from reverie.core.model import Failure, Meter, ModelFailed, Used

UNSEEN = 2_000                  # tokens that a provider adds to a request: its words about tools, marks between messages
TRIES = 4
FIRST_WAIT = 0.5                # seconds; doubled at each try
LARGEST = 16 * 1024 * 1024      # bytes of an answer that are read
SHOWN = 300                     # characters of a provider's own words in a message
LONGEST_WAIT = 86_400.0         # seconds that a provider's word for a wait, or for a limit, holds
SHORTEST_KEY = 8                # bytes of a key that is looked for in an answer: a shorter one is a word
_HEADERS = re.compile(          # what a request needs; the names of the client's own program and system go along
    r"host|connection|accept|accept-encoding|content-type|content-length|user-agent|anthropic-(?:version|beta)|x-stainless-.*"
    r"|x-goog-api-client|x-server-timeout"
)
_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol)
TRANSIENT = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529))


@dataclass(slots=True)
class Limits:
    """What a provider last said of its rate limits: the least that is left of any, and until when."""

    percent: float = 100.0
    until: float = 0.0                  # time.time()
    which: str = ""

    def learn(self, headers: Mapping[str, str], now: float) -> None:
        """Read the headers of an answer; a provider that says nothing changes nothing."""
        found = [each for each in _said_limits(headers, now) if each[1] > now]
        if found:
            self.percent, until, self.which = min(found)
            self.until = min(until, now + LONGEST_WAIT)

    def hold(self, least: int, now: float) -> None:
        """Raise ``ModelFailed`` (LIMITED) while less than this share is left (spec/codex §3: Codex's guard, and its 25 %)."""
        if now < self.until and self.percent < least:
            raise ModelFailed(
                Failure.LIMITED, f"the provider's limit on {self.which} has {self.percent:.0f} % left, and {least} % are kept "
                "(models.min_remaining_percent)", retry_after=self.until - now,
            )


@dataclass(slots=True)
class Wire:
    """One question's way to its provider. ``failed`` is why it has none: libraries wrap what they catch."""

    meter: Meter
    limits: Limits
    deadline: float                     # time.monotonic()
    most_output: int
    key: str = ""                       # never in a message
    vendors_own: bool = False           # the address is the vendor's: what its variables add to a request may go there
    failed: ModelFailed | None = None
    most_input: int = 0                 # of the round trip at work
    sent: int = field(default=0)

    def transport(self, inner: httpx2.AsyncBaseTransport | None = None) -> httpx2.AsyncBaseTransport:
        return _Transport(self, inner or httpx2.AsyncHTTPTransport(retries=0))

    def fail(self, failed: ModelFailed) -> ModelFailed:
        self.failed = self.failed or failed
        return failed

    def discreet(self, text: str) -> str:
        """A provider's words, as they may be shown and logged."""
        text = text.replace(self.key, "…") if self.key else text
        return clip(redact.redact(" ".join(text.split())).text, SHOWN).text


    def without_key(self, data: bytes) -> bytes:
        """An answer from which nobody learns the key that was sent."""
        key = self.key.encode()
        return data.replace(key, "…".encode()) if len(key) >= SHORTEST_KEY else data

    def strip(self, headers: httpx2.Headers) -> None:
        """Take out of a request what is not meant for this address."""
        for name, value in list(headers.items()):
            ours = _HEADERS.fullmatch(name) or (name in _KEY_HEADERS and (not self.key or self.key in value))
            if not ours and not self.vendors_own:
                del headers[name]


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, wire: Wire, inner: httpx2.AsyncBaseTransport) -> None:
        self._wire, self._inner = wire, inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        wire = self._wire
        if wire.failed:                 # what was refused is not tried again by a library
            raise wire.failed
        body = await request.aread()
        wire.strip(request.headers)
        request.headers["accept-encoding"] = "identity"
        for left in reversed(range(TRIES)):
            response, failed = await self._once(request, len(body))
            if response is not None:
                return response
            assert failed is not None
            wait = failed.retry_after or FIRST_WAIT * 2 ** (TRIES - 1 - left) * random.uniform(0.8, 1.2)
            is_transient = failed.why in (Failure.LIMITED, Failure.UNAVAILABLE)
            if not left or not is_transient or wait >= wire.deadline - time.monotonic():
                raise wire.fail(failed)
            await asyncio.sleep(wait)
        raise AssertionError

    async def _once(self, request: httpx2.Request, size: int) -> tuple[httpx2.Response | None, ModelFailed | None]:
        """One round trip: an answer that may be read, or why there is none."""
        wire = self._wire
        wire.most_input = size + UNSEEN
        try:
            wire.meter.before(most_input=wire.most_input, most_output=wire.most_output)
        except ModelFailed as refused:
            raise wire.fail(refused) from None
        wire.sent += 1
        try:
            response = await self._inner.handle_async_request(request)
        except UNSENT as error:                     # nothing was sent, nothing was used
            wire.meter.after(Used(calls=1))
            return None, ModelFailed(Failure.UNAVAILABLE, f"no connection to {request.url.host}: {wire.discreet(str(error))}")
        except httpx2.TransportError as error:
            wire.meter.after(self._unknown())
            return None, ModelFailed(Failure.UNAVAILABLE, f"{request.url.host} did not answer: {wire.discreet(str(error))}")
        try:
            data = await _read(response)
        except httpx2.TransportError as error:
            wire.meter.after(self._unknown())
            return None, ModelFailed(Failure.UNAVAILABLE, f"{request.url.host} broke off its answer: {wire.discreet(str(error))}")
        finally:
            await response.aclose()
        wire.limits.learn(response.headers, time.time())
        if data is None:
            wire.meter.after(self._unknown())
            fault = "packed, although it was asked for plain" if _is_packed(response) else f"with more than {LARGEST:,} bytes"
            raise wire.fail(ModelFailed(Failure.BAD_ANSWER, f"{request.url.host} answered {fault}"))
        data = wire.without_key(data)
        if response.status_code == 200:
            return httpx2.Response(200, headers=_plain(response.headers), content=data, request=request), None
        wire.meter.after(Used(calls=1))             # a refusal is not billed
        return None, self._refusal(request, response, data)

    def _unknown(self) -> Used:
        """A round trip whose end nobody saw may have cost all that it could."""
        return Used(input=self._wire.most_input, output=self._wire.most_output, calls=1, known=False)

    def _refusal(self, request: httpx2.Request, response: httpx2.Response, data: bytes) -> ModelFailed:
        status = response.status_code
        said = self._wire.discreet(_message(data))
        text = f"{request.url.host} answered {status}{': ' + said if said else ''}"
        if status == 429:
            return ModelFailed(Failure.LIMITED, text, retry_after=_retry_after(response.headers, time.time()))
        if status in TRANSIENT or status >= 500:
            return ModelFailed(Failure.UNAVAILABLE, text, retry_after=_retry_after(response.headers, time.time()))
        if status in (401, 403):
            text += ". Is the key right, and may it use this model?"
        elif 300 <= status < 400:
            text = f"{request.url.host} answered with a redirect, which is not followed: the key would go along. Set base_url"
        return ModelFailed(Failure.REFUSED, text)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _read(response: httpx2.Response) -> bytes | None:
    """The body; None when it has no end that we would wait for, or comes packed although we asked for it plain."""
    if _is_packed(response):
        return None
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > LARGEST:
            return None
    return bytes(data)


def _is_packed(response: httpx2.Response) -> bool:
    return response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


def _plain(headers: httpx2.Headers) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers.multi_items() if name.lower() not in ("content-length", "transfer-encoding")]


def _message(data: bytes) -> str:
    """A provider's own words for a refusal."""
    try:
        said: Any = json.loads(data)
    except (ValueError, RecursionError):
        return data[:SHOWN].decode("utf-8", "replace")
    for _ in range(3):
        if isinstance(said, list) and said:
            said = said[0]
        elif isinstance(said, dict):
            said = next((said[name] for name in ("error", "message", "detail") if said.get(name)), "")
    return said if isinstance(said, str) else ""


# ── what headers say ─────────────────────────────────────────────────────────────────────────────────────────────


def _retry_after(headers: Mapping[str, str], now: float) -> float:
    """Seconds, 0 when nothing is said, a day at most. A date, a number, or (OpenAI) milliseconds."""
    if (ms := _number(headers.get("retry-after-ms", ""))) is not None:
        return min(ms / 1000, LONGEST_WAIT)
    return min(max(0.0, _time(headers.get("retry-after", ""), now) - now), LONGEST_WAIT)


def _said_limits(headers: Mapping[str, str], now: float) -> list[tuple[float, float, str]]:
    """(per cent left, until when, of what), as OpenAI and those like it, and Anthropic, say it."""
    found = []
    for pattern in ("x-ratelimit-{part}-{what}", "anthropic-ratelimit-{what}-{part}"):
        for what in ("requests", "tokens", "input-tokens", "output-tokens"):
            limit = _number(headers.get(pattern.format(part="limit", what=what), ""))
            left = _number(headers.get(pattern.format(part="remaining", what=what), ""))
            if limit and left is not None:
                until = _time(headers.get(pattern.format(part="reset", what=what), ""), now)
                found.append((100 * left / limit, until, what))
    return found


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,15}(?:\.\d{1,9})?", text.strip()) else None


_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def _time(text: str, now: float) -> float:
    """A time as a header writes it: a date of HTTP, an ISO date, seconds, a span ("1m30s"); what is none is now."""
    text = text.strip()
    if (seconds := _number(text)) is not None:
        return now + seconds
    if re.fullmatch(rf"(?:{_SPAN.pattern})+", text):
        return now + sum(float(number) * _UNITS[unit] for number, unit in _SPAN.findall(text))
    readers: tuple[Callable[[str], datetime], ...] = (datetime.fromisoformat, parsedate_to_datetime)
    for read in readers:
        try:
            at = read(text)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return now
