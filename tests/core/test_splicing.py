"""Settings of others as text: what is not ours stays to the byte, whoever laid it out, however it was edited since."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import splicing

OURS = {"hooks": [{"type": "command", "command": "ours", "timeout": 10}]}
PATH = ("hooks", "Stop")

LAYOUTS = {
    "empty": "{}",
    "empty with a line end": "{}\n",
    "empty with room": "{\n}\n",
    "nothing of hooks": '{\n  "model": "x"\n}\n',
    "tabs": '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
    "four spaces": '{\n    "hooks": {\n        "Stop": [\n            {"hooks": []}\n        ]\n    }\n}\n',
    "one line": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}],"Start":[]},"z":1}',
    "CRLF": '{\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
    "BOM": '\ufeff{\n  "hooks": {}\n}\n',
    "comments and commas": '// mine\n{\n  /* a */ "hooks": { // b\n    "Stop": [ // c\n      {"hooks": []}, // last\n    ],\n  },\n  "x": "// no, /* no */",\n}\n// end',
    "comma after a comment": '{"hooks": {"Stop": [1 /* , */ , ]}}',
    "comment in an empty list": '{"hooks": {"Stop": [ /* nothing yet */ ]}}',
    "a name with quotes": '{"a\\"b": "\\\\", "hooks": {"Stop": [ {"a": "]}"} ]}}',
    "other order": '{"hooks": {"Stop": [\n{ }\n]}, "hooksBefore": {"Stop": [3]}}',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_what_is_put_in_is_there_and_comes_out_to_the_byte(text: str) -> None:
    before = splicing.parse(text).plain()
    put = splicing.put(text, PATH, OURS)
    after = splicing.parse(put.text).plain()
    assert after["hooks"]["Stop"] == [*(before.get("hooks", {}).get("Stop", [])), OURS]
    del after["hooks"]["Stop"][-1]
    expected: Any = {**before, "hooks": {**before.get("hooks", {}), "Stop": after["hooks"]["Stop"]}}
    assert after == expected
    assert list(after) == list(expected)                # nothing changed its place
    assert splicing.without(put.text, put.inserted) == text
    twice = splicing.put(put.text, ("hooks", "Start"), OURS)
    back = splicing.without(twice.text, twice.inserted)
    assert back is not None and splicing.without(back, put.inserted) == text


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_what_was_laid_out_anew_is_found_by_what_it_says(text: str) -> None:
    before = splicing.parse(text).plain()
    anew = json.dumps(splicing.parse(splicing.put(text, PATH, OURS).text).plain(), indent=3, ensure_ascii=False)
    rest = splicing.without_value(anew, PATH, lambda value: value == OURS)
    after = splicing.parse(rest).plain()
    if not before.get("hooks", {}).get("Stop"):         # what is empty without ours goes, too
        before.get("hooks", {}).pop("Stop", None)
        if not before.get("hooks"):
            before.pop("hooks", None)
            after.pop("hooks", None)
    assert after == before


@pytest.mark.parametrize(("edited", "rest"), [
    ('{"hooks": {"Stop": [OURS, {"a": 1}]}}', '{"hooks": {"Stop": [{"a": 1}]}}'),
    ('{"hooks": {"Stop": [{"a": 1}, OURS, {"b": 2}]}}', '{"hooks": {"Stop": [{"a": 1}, {"b": 2}]}}'),
    ('{"hooks": {"Stop": [{"a": 1}, OURS]}}', '{"hooks": {"Stop": [{"a": 1}]}}'),
    ('{"hooks": {"Stop": [OURS, OURS]}, "x": 1}', '{"x": 1}'),
    ('{"hooks": {"Stop": [OURS,], "b": 2}}', '{"hooks": {"b": 2}}'),
    ('{"x": 1, "hooks": {"Stop": [OURS]}}', '{"x": 1}'),
    ('{"hooks": {"Stop": [ /* keep */ OURS]}}', '{"hooks": {"Stop": [ /* keep */ ]}}'),
    ('{"hooks": {"Stop": [1, /* keep, */ OURS, /* this */ 2]}}', '{"hooks": {"Stop": [1, 2]}}'),
])
def test_only_ours_goes(edited: str, rest: str) -> None:
    text = edited.replace("OURS", json.dumps(OURS))
    found = splicing.without_value(text, PATH, lambda value: value == OURS)
    assert splicing.parse(found).plain() == splicing.parse(rest).plain()
    assert all(comment in found for comment in re.findall(r"/\*.*?\*/", text))


@pytest.mark.parametrize("broken", [
    "", "{", "[", "{]", '{"a"}', '{"a": }', '{"a": 1 "b": 2}', "{} {}", '{"a": "', '{"a": tru}', "/* ", '{"a": "\\q"}', "{" * 500,
    '{"a":' * 200 + "1" + "}" * 200, "{'a': 1}", "\x00", '{"hooks": [}',
])
def test_what_is_broken_is_refused_with_its_line(broken: str) -> None:
    with pytest.raises(splicing.BrokenJson, match=r"line \d+: "):
        splicing.parse(broken)


@pytest.mark.parametrize("other", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": "x"}', "[]", '{"hooks": {"Stop": null}}'])
def test_where_something_else_stands_nothing_is_put(other: str) -> None:
    with pytest.raises(splicing.BrokenJson):
        splicing.put(other, PATH, OURS)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=6), inner, max_size=3), max_leaves=12)


@given(st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), plain, max_size=4),
       st.dictionaries(st.sampled_from(["Stop", "Start"]), st.lists(plain, max_size=3), max_size=2),
       st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_any_settings_come_back_to_the_byte(rest: dict[str, Any], hooks: dict[str, Any], indent: int | str | None, ascii: bool) -> None:
    text = json.dumps({**rest, "hooks": hooks}, indent=indent, ensure_ascii=ascii)
    put = splicing.put(text, PATH, OURS)
    assert json.loads(put.text) == {**rest, "hooks": {**hooks, "Stop": [*hooks.get("Stop", []), OURS]}}
    back = splicing.without(put.text, put.inserted)
    assert back in (text, None)                 # None: the same text stood there before, and is told apart by what it says
