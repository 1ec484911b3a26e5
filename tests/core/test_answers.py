"""An answer is exactly one JSON object that fits, or none."""

from __future__ import annotations

import pytest

from reverie.core import answers
from reverie.core.model import Failure, ModelFailed

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 20},
        "kind": {"enum": ["rule", "fact"]},
        "count": {"type": "integer", "minimum": 0},
        "note": {"type": ["string", "null"]},
        "parts": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}},
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"x": {"const": 1}}}]},
    },
    "required": ["text"],
}

GOOD = [
    '{"text": "a"}',
    ' \n{"text": "a", "kind": "rule", "count": 3, "note": null}\n',
    '{"text": "a", "parts": [{"a": 1}, {"a": 1.5}]}',
    '{"text": "a", "either": "words"}',
    '{"text": "a", "either": {"x": 1}}',
]

BAD = {
    "nothing": "",
    "words": "I would say: nothing to keep.",
    "a fence": '```json\n{"text": "a"}\n```',
    "words before": 'Here it is: {"text": "a"}',
    "words after": '{"text": "a"} as you wished',
    "two objects": '{"text": "a"}{"text": "b"}',
    "a list": '[{"text": "a"}]',
    "a text": '"text"',
    "null": "null",
    "cut short": '{"text": "a',
    "missing": "{}",
    "unknown": '{"text": "a", "more": 1}',
    "unknown deep": '{"text": "a", "parts": [{"a": 1, "b": 2}]}',
    "wrong type": '{"text": 1}',
    "null for a text": '{"text": null}',
    "true for a number": '{"text": "a", "count": true}',
    "a fraction": '{"text": "a", "count": 1.0}',
    "too small": '{"text": "a", "count": -1}',
    "too long": '{"text": "aaaaaaaaaaaaaaaaaaaaaaaa"}',
    "too many": '{"text": "a", "parts": [{"a": 1}, {"a": 1}, {"a": 1}]}',
    "none of the choices": '{"text": "a", "kind": "opinion"}',
    "neither": '{"text": "a", "either": 5}',
    "neither, an object": '{"text": "a", "either": {"x": 1, "y": 2}}',
    "not a number": '{"text": "a", "count": NaN}',
    "twice": '{"text": "a", "text": "b"}',
    "a deep nest": '{"text": ' + "[" * 100_000,
    "an infinite number": '{"text": "a", "parts": [{"a": 1e999}]}',
    "half a character": '{"text": "\\ud800"}',
    "a long number": '{"text": "a", "count": ' + "9" * 10_000 + "}",
    "a control character": '{"text": "a\nb"}',
}


@pytest.mark.parametrize("text", GOOD)
def test_what_fits(text: str) -> None:
    assert answers.parsed(text, SCHEMA)["text"] == "a"


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_does_not(text: str) -> None:
    with pytest.raises(ModelFailed) as failed:
        answers.parsed(text, SCHEMA)
    assert failed.value.why is Failure.BAD_ANSWER
    assert len(str(failed.value)) < 400


def test_an_answer_without_end_is_not_looked_at() -> None:
    with pytest.raises(ModelFailed, match="4,000,001 characters"):
        answers.parsed("x" * 4_000_001, SCHEMA)


def test_every_object_of_a_closed_schema_refuses_what_it_does_not_name() -> None:
    made = answers.closed(SCHEMA)
    assert made["additionalProperties"] is False
    assert made["properties"]["parts"]["items"]["additionalProperties"] is False
    assert made["properties"]["either"]["anyOf"][1]["additionalProperties"] is False
    assert "additionalProperties" not in SCHEMA


def test_a_schema_that_would_not_be_held_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        answers.closed({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$"}}})
