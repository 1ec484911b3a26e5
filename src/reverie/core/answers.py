"""A model's answer, held to the form that was asked for: exactly one JSON object that fits the schema, nothing beside it.

A model's words are input from outside. No Markdown fence is taken off, no missing field filled in, no unknown one ignored:
what does not fit is a ``BAD_ANSWER``, and whoever asked may ask again. The schema is the part of JSON Schema that our
questions use: type, properties, required, items, enum, const, anyOf, lengths and bounds; objects refuse what they do not name,
unless they say ``additionalProperties: true``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reverie.core.model import Failure, Json, ModelFailed

LONGEST = 4_000_000             # characters of an answer that are looked at
SHOWN = 3                       # faults in a message
KEYWORDS = frozenset((
    "$schema", "title", "description", "type", "properties", "required", "additionalProperties", "items", "enum", "const",
    "anyOf", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum",
))
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "null": (type(None),),
}


def parsed(text: str, schema: Json) -> Json:
    """The one JSON object in an answer. Raises ``ModelFailed`` (BAD_ANSWER) for anything else."""
    if len(text) > LONGEST:
        raise ModelFailed(Failure.BAD_ANSWER, f"the model answered with {len(text):,} characters")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFailed(Failure.BAD_ANSWER, f"the model's answer is not one JSON object: {error}") from None
    return fitting(value, schema)


def fitting(value: Any, schema: Json) -> Json:
    """The value, when it is an object that fits the schema. Raises ``ModelFailed`` (BAD_ANSWER) when it does not."""
    _sound(value)
    faults = faults_of(value, schema)
    if not isinstance(value, dict) and not faults:
        faults = ["it is no object"]
    if faults:
        more = f", and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        raise ModelFailed(Failure.BAD_ANSWER, f"the model's answer does not fit: {'; '.join(faults[:SHOWN])}{more}")
    result: Json = value
    return result


def _sound(value: Any) -> None:
    """Refuse what Python reads as JSON and cannot write as such: infinite numbers, halves of characters, endless nesting."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError):
        raise ModelFailed(
            Failure.BAD_ANSWER, "the model's answer holds a number or a text that is none, or is nested too deeply"
        ) from None


def faults_of(value: Any, schema: Json) -> list[str]:
    """What of a value does not fit, in words; no fault: it fits."""
    try:
        return list(_faults(value, schema, "answer"))
    except RecursionError:
        return ["it is nested too deeply"]


def closed(schema: Json) -> dict[str, Any]:
    """A schema whose every object refuses what it does not name, as providers want it said. Raises ``ValueError`` for a keyword
    that is not understood here: it would be promised and not held."""
    if unknown := set(schema) - KEYWORDS:
        raise ValueError(f"not part of the schemas used here: {', '.join(sorted(unknown))}")
    made = dict(schema)
    if "properties" in schema:
        made["properties"] = {name: closed(part) for name, part in schema["properties"].items()}
    if "object" in _named(schema) and schema.get("additionalProperties") is not True:
        made["additionalProperties"] = False
    if "items" in schema:
        made["items"] = closed(schema["items"])
    if "anyOf" in schema:
        made["anyOf"] = [closed(part) for part in schema["anyOf"]]
    return made


def _faults(value: Any, schema: Json, at: str) -> Iterator[str]:
    if "anyOf" in schema and all(faults_of(value, part) for part in schema["anyOf"]):
        yield f"{at} fits none of what is allowed there"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{at} is not {schema['const']!r}"
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        yield f"{at} is none of {', '.join(map(str, schema['enum']))}"
    kinds = _named(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{at} is no {' or '.join(kinds)}"
    elif isinstance(value, dict):
        yield from _object_faults(value, schema, at)
    elif isinstance(value, list):
        yield from _bounds(len(value), schema, "minItems", "maxItems", f"the length of {at}")
        if "items" in schema:
            for place, part in enumerate(value):
                yield from _faults(part, schema["items"], f"{at}[{place}]")
    elif isinstance(value, str):
        yield from _bounds(len(value), schema, "minLength", "maxLength", f"the length of {at}")
    elif _is(value, "number"):
        yield from _bounds(value, schema, "minimum", "maximum", at)


def _object_faults(value: Mapping[str, Any], schema: Json, at: str) -> Iterator[str]:
    properties: Mapping[str, Json] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}.{name} is missing"
    for name, part in value.items():
        if name in properties:
            yield from _faults(part, properties[name], f"{at}.{name}")
        elif schema.get("additionalProperties") is not True and ("anyOf" not in schema or "properties" in schema):
            yield f"{at}.{name[:60]} is not asked for"


def _bounds(number: float, schema: Json, least: str, most: str, at: str) -> Iterator[str]:
    if least in schema and number < schema[least]:
        yield f"{at} is less than {schema[least]}"
    if most in schema and number > schema[most]:
        yield f"{at} is more than {schema[most]}"


def _named(schema: Json) -> Sequence[str]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
