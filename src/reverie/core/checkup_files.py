"""What can be wrong with the files of a product's folder: how they are written, where their links lead, credentials in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from reverie.core import parts, product_index, redact, trust
from reverie.core.checkup import INDEX, Finding, Look, Severity
from reverie.core.checkup_index import discreet, resolve
from reverie.core.frontmatter import Document
from reverie.core.merge import Known
from reverie.core.relation import Relation, compare

RECALL_BYTES = 4_096                    # recall mode shows no more of a file (spec/claude-code §7.1)
AHEAD = timedelta(days=1)               # a clock may be wrong by hours; a file of tomorrow is none of today's
COMPARED = 2_000                        # memories that are compared with each other, the newest first
CODE_CHARACTERS = 400
YAML_CHARACTERS = 8_192
_INLINE = re.compile(rf"`[^`\n]{{1,{CODE_CHARACTERS}}}`")
_WIKI = re.compile(r"\[\[([^\[\]\n|#]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")
_LINK = re.compile(r"(?<!!)\[[^\[\]\n]{0,300}\]\(([^()\s]{1,300})\)")

# What the layout and the disk say of a file: how bad it is, what it means, what would mend it.
_PROBLEMS = {
    "not_utf8": (Severity.WARNING, "some of it is no UTF-8: an agent reads other characters there", "save it as UTF-8"),
    "nul": (Severity.WARNING, "it holds zero bytes: tools take it for no text and find nothing in it", "take them out"),
    "no_closing_fence": (Severity.BROKEN, "its frontmatter is not closed, so its name and description are read by nobody",
                         "write the missing --- behind the last key"),
    "duplicate_key": (Severity.NOTE, "a key stands in its frontmatter twice; readers disagree on which one counts", "keep one"),
    "unknown_type": (Severity.NOTE, "its type is none of user, feedback, project, reference", "give it one of the four"),
    "no_type": (Severity.NOTE, "it has no type", "write one of user, feedback, project, reference"),
    "empty": (Severity.NOTE, "it is empty", "write what it should say, or delete it"),
    "permission_denied": (Severity.BROKEN, "this user may not read it, and so no agent of theirs can",
                          "give it back to them (chmod u+r)"),
    "symlink_outside": (Severity.WARNING, "it is a symbolic link that leads out of the folder; the client passes over it",
                        "put the file itself there"),
    "too_large": (Severity.BROKEN, "it is too large for a memory file", "keep one fact, move the rest elsewhere"),
    "too_many_files": (Severity.WARNING, "there are more files than any store holds; the rest was not looked at",
                       "look what fills the folder"),
    "not_looked_at": (Severity.WARNING, "there is more than a checkup reads; the rest was not looked at", ""),
    "name_not_utf8": (Severity.WARNING, "its name is no UTF-8, so no line of the index can name it", "rename it"),
}
_MENDABLE = ("no_closing_fence",)
_OTHER = (Severity.WARNING, "it could not be read", "look at it by hand")


def problems(seen: Look) -> Iterator[Finding]:
    """What could not be read, or would be misread."""
    for each in seen.problems:
        severity, says, mend = _PROBLEMS.get(each.reason, _OTHER)
        detail = f" ({each.detail or each.reason})" if (each.reason not in _PROBLEMS or each.detail) else ""
        yield Finding(check=f"file_{each.reason}", severity=severity, path=each.path, says=f"{says}{discreet(detail)}", mend=mend,
                      mendable=each.reason in _MENDABLE)


def encoding(seen: Look) -> Iterator[Finding]:
    """Byte order marks, two kinds of line ends, more than recall mode shows."""
    for path, document in seen.documents.items():
        data = seen.files[path].data
        if document.has_bom:
            yield Finding(check="file_bom", severity=Severity.NOTE, path=path, mendable=True,
                          says="it begins with a byte order mark: the client sees no frontmatter there", mend="take it out")
        ends = data.count(b"\r\n")
        if ends and data.count(b"\n") != ends:
            yield Finding(check="file_line_ends", severity=Severity.NOTE, path=path, says="it mixes two kinds of line ends",
                          mend="save it with one kind")
        if len(data) > RECALL_BYTES:
            yield Finding(check="file_long", severity=Severity.NOTE, path=path,
                          says=f"it has {len(data)} bytes; where the client recalls by itself, it shows {RECALL_BYTES} of them",
                          mend="keep one fact in each file")


def frontmatter(seen: Look) -> Iterator[Finding]:
    """What the client cannot use of a frontmatter, or would rewrite (§2.3)."""
    for path, document in seen.documents.items():
        if "empty" in {each.reason for each in seen.problems if each.path == path}:
            continue
        if not document.has_header:
            yield Finding(check="no_frontmatter", severity=Severity.NOTE, path=path,
                          says="it has no frontmatter: its name is the file's, it has no description and no type",
                          mend="write name, description and type above it")
            continue
        if not document.get("description"):
            yield Finding(check="no_description", severity=Severity.NOTE, path=path,
                          says="it has no description: nothing tells when it matters", mend="write one line")
        yield from _yaml(path, document)
        name = document.get("name") or ""
        client = any(document.field(f"metadata.{key}") is not None for key in ("node_type", "originSessionId"))
        if name and not client and (written := product_index.claude_name(name)) != name:
            yield Finding(check="name_rewritten", severity=Severity.NOTE, path=path,
                          says=f"the client would call it {written!r} instead of {discreet(name)!r} with its next edit, and "
                               "links by its name would lead nowhere", mend="name it in small letters, digits and dashes")


def _yaml(path: str, document: Document) -> Iterator[Finding]:
    text = document.text[: document.body_at].strip("\ufeff \r\n").removeprefix("---")
    text = text.rstrip("\r\n ").removesuffix("---")
    if len(text) > YAML_CHARACTERS or max(map(text.count, "[{")) > 50 or "no_closing_fence" in document.problems:
        return
    import yaml  # costs milliseconds; only a checkup pays them

    try:
        yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        yield Finding(check="bad_yaml", severity=Severity.NOTE, path=path,
                      says="its frontmatter is no YAML; the client guesses what was meant", mend="put the value in double quotes")


def links(seen: Look) -> Iterator[Finding]:
    """Links in memories to files that are not there, and to memories that nobody wrote yet (allowed, §2.1)."""
    paths = seen.paths()
    names: set[str] = set()
    for memory in seen.memories:
        document = seen.documents.get(memory.id)
        stem = memory.id.rpartition("/")[2].removesuffix(".md")
        names |= {_slug(name) for name in (memory.name, stem, document.get("name") or "" if document else "")}
    for path, document in seen.documents.items():
        if "](" not in document.text and "[[" not in document.text:
            continue
        for number, line in _prose(document.text):
            for match in _LINK.finditer(line):
                target = resolve(match[1], paths, start=path)
                if target and target not in paths and target.endswith(".md"):
                    yield Finding(check="link", severity=Severity.WARNING, path=path, line=number,
                                  says=f"it links to {discreet(target)!r}, which is not there",
                                  mend="correct the link, or take it out")
            for match in _WIKI.finditer(line):
                if _slug(match[1]) not in names:
                    yield Finding(check="link_unwritten", severity=Severity.NOTE, path=path, line=number,
                                  says=f"[[{discreet(match[1])}]] names no memory yet", mend="write it, or take the mention out")


def _slug(name: str) -> str:
    return product_index.claude_name(name.strip().lower()).replace("_", "-") or name.strip().casefold()


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that are no code, with their numbers; code in backquotes is blanked out."""
    lines = text.replace("\r\n", "\n").split("\n")
    for number, (line, code) in enumerate(zip(lines, parts.fenced(lines), strict=True), 1):
        if not code and ("](" in line or "[[" in line):
            yield number, _INLINE.sub(" ", line)


def secrets(seen: Look) -> Iterator[Finding]:
    """Credentials in plain text. The client writes them down as they come (§2.2); what they are is never shown here."""
    texts = {path: document.text for path, document in seen.documents.items()}
    if INDEX in seen.files:
        texts[INDEX] = seen.files[INDEX].data.decode("utf-8", "surrogateescape")
    for path, text in texts.items():
        for secret in redact.find(text):
            yield Finding(
                check="secret", severity=Severity.BROKEN, path=path, line=text.count("\n", 0, secret.start) + 1, mendable=True,
                says=f"a credential ({secret.family}) stands in it, where every session and every program of this user can "
                     "read it",
                mend="mask it (that cannot be undone), and have a new one issued",
            )


def instructs(seen: Look) -> Iterator[Finding]:
    """Text that orders an agent about instead of telling it something (DESIGN: memory is data)."""
    for memory in seen.memories:
        if memory.status == "active" and trust.level(memory.source.by) < trust.Trust.WORD:
            rule = trust.instructs(memory.text)
            if rule:
                yield Finding(check="instructs", severity=Severity.WARNING, path=memory.id,
                              says=f"it reads like an order to the agent about itself ({rule}), and nobody's own word stands "
                                   "behind it", mend="read it; delete it if you did not mean it")


def duplicates(seen: Look) -> Iterator[Finding]:
    """Two memories with one name, or that say the same."""
    first: dict[str, str] = {}
    newest = sorted(seen.memories, key=lambda each: (-(each.modified_at.timestamp() if each.modified_at else 0.0), each.id))
    known = Known()
    for memory in newest:
        if memory.status != "active":
            continue
        slug = _slug(memory.name)
        if slug in first:
            yield Finding(check="same_name", severity=Severity.WARNING, path=memory.id,
                          says=f"{first[slug]!r} has the same name, {discreet(memory.name)!r}: a link by it means either",
                          mend="rename one, or merge the two")
        first.setdefault(slug, memory.id)
        if len(known) >= COMPARED:
            continue
        mine = known.claim(memory)
        twin = next((old for old in known.near(memory) if compare(old, mine).relation is Relation.DUPLICATE), None)
        if twin is not None:
            yield Finding(check="same_text", severity=Severity.WARNING, path=memory.id,
                          says=f"it says the same as {twin.memory.id!r}, which is newer",
                          mend="merge the two (`reverie dream` does, in stores of ours)")
        known.put(memory)


def times(seen: Look) -> Iterator[Finding]:
    """Files from the future: the reminder of their age will not come (§7.2)."""
    for memory in seen.memories:
        if memory.modified_at and memory.modified_at > seen.now + AHEAD:
            yield Finding(check="future", severity=Severity.WARNING, path=memory.id,
                          says=f"its time is {memory.modified_at:%Y-%m-%d}, in the future: nothing will say how old it is",
                          mend="set its time (touch)")


CHECKS = (problems, encoding, frontmatter, links, secrets, instructs, duplicates, times)
OF_MEMORIES = (instructs, duplicates, times)       # where the files are ours, their form is no matter of opinion
