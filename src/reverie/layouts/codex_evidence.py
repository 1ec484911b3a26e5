"""Whether what a consolidator wrote may be said: whose it is, what it rests on, what went missing, what tries to instruct.

A block of the handbook is shown in its project and nowhere else, so its label is a border (DESIGN §4.6; the study names the
leak that follows when nobody looks, Codex §8). Here the label is held against the sessions that the block cites, and its
bullets against the words of all sessions: what only another project said may not stand in it. What is to hold for every
project needs the user's word, or sessions of several projects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reverie.core import frontmatter, skills, trust
from reverie.core import place as places
from reverie.core import text as texts
from reverie.core.consolidation import Fault, Given
from reverie.core.dream import FEW, Loss
from reverie.core.layout import File, Folder
from reverie.core.memory import By
from reverie.layouts import codex_handbook, codex_inputs, codex_raw, codex_summary
from reverie.layouts import codex_names as names
from reverie.layouts.codex_handbook import Found, Group, Handbook, Task
from reverie.layouts.codex_raw import RawMemories
from reverie.layouts.codex_reading import skill_whose
from reverie.layouts.codex_rollout import Rollout
from reverie.layouts.codex_sections import EVERY_PROJECT, NOBODYS, Shape, says_everywhere, whose
from reverie.layouts.codex_text import Document, items, parts

EVERYWHERE = ""                         # the owner of what holds in every project
UNKNOWN = "?"                           # of a session that does not say where it was
SAME = 0.6                              # of a bullet's words in another one: it is that one, in other words
TAKEN = 0.8                             # of a bullet's words in what another project said: it is from there
OWN = 0.5                               # of them in what its own sessions said: it may be from here all the same
SUPPORTED = 0.3                         # of them at the least
FEW_WORDS = 3                           # words that say too little to tell where they are from


def faults(
    given: Given, after: Folder, shape: Shape, *, project_of: Callable[[str], str], most_gone: float
) -> Iterator[Fault]:
    """Why what is written there now may not be kept."""
    before = given.folder
    said = _said(before, project_of)
    old, new = _handbook(before, shape), _handbook(after, shape)
    yield from _labels(old, new, after, said)
    yield from _taken(old, new, said)
    yield from _skills(before, after, old, said)
    yield from _for_everyone(before, after, new, said)
    yield from _lost(given, old, new, after, shape, most_gone)
    yield from _instructions(before, after, said)


def unsupported(given: Given, after: Folder, shape: Shape, *, project_of: Callable[[str], str]) -> int:
    """How many new bullets say what none of the sessions that they cite says, as far as words tell: for a person to look at.
    A paraphrase or another language may count, so it is no reason to refuse."""
    said = _said(given.folder, project_of)
    was = {texts.fold(found.text) for found in _handbook(given.folder, shape).bullets()}
    count = 0
    for found in _handbook(after, shape).bullets():
        words = _words(found.text)
        files = {source["file"] for task in found.tasks_of() for source in task.sources} & said.words.keys()
        if files and len(words) >= FEW_WORDS and texts.fold(found.text) not in was:
            count += _cover(words, frozenset().union(*(said.words[file] for file in files))) < SUPPORTED
    return count


def _handbook(folder: Folder, shape: Shape) -> Handbook:
    return Handbook(folder[codex_handbook.PATH].data if codex_handbook.PATH in folder else b"", shape)


# ---- what was said where

@dataclass(slots=True)
class Said:
    """What the sessions and the notes say: of each summary file its project, and the words of each project."""

    project_of: Callable[[str], str]
    owner: dict[str, str] = field(default_factory=dict)                 # summary file -> project's key, or UNKNOWN
    everywhere: set[str] = field(default_factory=set)                   # files of sessions in which the user spoke of all
    lines: list[tuple[frozenset[str], str]] = field(default_factory=list)    # words, project
    word: set[str] = field(default_factory=set)                         # the user's own words, folded
    words: dict[str, frozenset[str]] = field(default_factory=dict)      # summary file -> all its words

    def of(self, group: Group) -> set[str]:
        """The owners that a block's labels name: its heading and ``applies_to`` may name two, and one of them every project."""
        scope, project = group.scope, group.project
        if scope == "user":
            return {EVERYWHERE}
        named = {self._key(label) for label in (project, group.cwd) if places.is_absolute(label)}
        named |= {EVERYWHERE} if group.label == EVERY_PROJECT or says_everywhere(group.cwd) else set()
        return named | ({project} if project and not places.is_absolute(project) else set()) or {UNKNOWN}

    def _key(self, directory: str) -> str:
        return self.project_of(places.tidy(directory))

    def at(self, cwd: str) -> str:
        return self._key(cwd) if places.is_absolute(cwd) else UNKNOWN


def _said(folder: Folder, project_of: Callable[[str], str]) -> Said:
    said = Said(project_of=project_of)
    for file, cwd in codex_inputs.evidence(folder).items():
        said.owner[file] = said.at(cwd)
        rollout = Rollout(folder[names.SUMMARIES + file].data)
        lines = [_words(line) for line in rollout.body.splitlines() if line.strip()]
        said.words[file] = frozenset().union(*lines)
        said.lines += [(line, said.owner[file]) for line in lines]
    raw = RawMemories(folder[codex_raw.PATH].data if codex_raw.PATH in folder else b"")
    for thread in raw.threads.values():
        owner = said.at(thread.cwd)
        words_here: list[frozenset[str]] = [said.words.get(thread.file, frozenset())]
        for fields, _, text in thread.told_in_tasks():
            everywhere = whose(fields.get("task_group", ""), "")[0] == "user"
            if everywhere:
                said.everywhere.add(thread.file)
            words_here.append(_words(text))
            said.lines.append((words_here[-1], EVERYWHERE if everywhere else owner))
        said.words[thread.file] = frozenset().union(*words_here)
        projects = {entry.memory.project for entry in thread.entries if entry.memory.project}
        if said.owner.get(thread.file) == UNKNOWN and len(projects) == 1:       # what was remembered in no session's directory
            said.owner[thread.file] = next(iter(projects))
        for entry in thread.entries:
            memory = entry.memory
            everywhere = memory.scope == "user"
            if everywhere:
                said.everywhere.add(thread.file)
            if memory.source.by in (By.USER, By.HAND):
                said.word.update(texts.fold(part) for part in (entry.bullet, memory.body, memory.name) if part)
            words = _words(entry.bullet)
            said.lines.append((words, EVERYWHERE if everywhere else memory.project or owner))
            said.words[thread.file] |= words
    return said


def _words(text: str) -> frozenset[str]:
    return frozenset(term for term in texts.tokens(text) if not texts.is_weak(term))


def _cover(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0


# ---- labels

def _labels(old: Handbook, new: Handbook, after: Folder, said: Said) -> Iterator[Fault]:
    """New tasks rest on sessions of the project that their block is labelled with."""
    known: dict[frozenset[str], set[str]] = {}
    cited = {source["file"] for group in old.groups for task in group.tasks for source in task.sources}
    for group in old.groups:
        known.setdefault(frozenset(said.of(group)), set()).update(_text(task) for task in group.tasks)
    resources = {path.rpartition("/")[2] for path in after if path.startswith(codex_inputs.EXTENSIONS)}
    for group in new.groups:
        owners = said.of(group)
        for task in group.tasks:
            if _text(task) in known.get(frozenset(owners), ()):
                continue
            where = f"'# Task Group: {group.label[:60]}', '{task.node.heading[:60]}'"
            files = [source["file"] for source in task.sources]
            for file in files:
                if file not in said.owner and file not in resources and file not in cited:
                    yield _fault("invented_evidence", f"{where} cites {file[:80]!r}, which is not there")
            projects = {said.owner[file] for file in files if file in said.owner}
            if EVERYWHERE in owners:
                if len(projects - {UNKNOWN}) < 2 and not said.everywhere.intersection(files) and projects:
                    yield _fault("relabelled", f"{where} is to hold in every project, and rests on one project's sessions only")
            elif projects and (len(owners) != 1 or not projects <= owners):
                yield _fault("relabelled", f"{where} is labelled with another project than the sessions that it cites")


def _text(task: Task) -> str:
    return "\n".join(task.node.flat()).strip()


def _fault(rule: str, detail: str, path: str = codex_handbook.PATH) -> Fault:
    return Fault(rule=rule, path=path, detail=detail)


def _taken(old: Handbook, new: Handbook, said: Said) -> Iterator[Fault]:
    """New bullets do not say what only another project's sessions or block said."""
    owners_of = _owners(old, said)
    lines = _Lines(said.lines + [(_words(found.text), owner) for found in old.bullets() for owner in _owner_of(found, said)])
    for found in new.bullets():
        mine = _owner_of(found, said)
        if not mine or mine & owners_of.get(texts.fold(found.text), set()):
            continue
        words = _words(found.text)
        if len(words) < FEW_WORDS:
            continue
        files = [source["file"] for task in found.tasks_of() for source in task.sources]
        theirs = lines.owners(words)
        if not theirs or theirs & (mine | {EVERYWHERE}):
            continue
        if EVERYWHERE in mine:
            if len(theirs) < 2:
                yield _fault("other_project", f"{found.text[:80]!r} is to hold everywhere, and only one project said it")
        elif max((_cover(words, said.words.get(file, frozenset())) for file in files if said.owner.get(file) in mine),
                 default=0.0) < OWN:
            yield _fault("other_project", f"{found.text[:80]!r} stands in a block of another project than the one that said it")


def _skills(before: Folder, after: Folder, old: Handbook, said: Said) -> Iterator[Fault]:
    """A new or changed skill is labelled with a project that sessions or the handbook know, and does not say what only another
    one said: it is shown where its label says, like a block."""
    known = {*said.owner.values(), *(owner for group in old.groups for owner in said.of(group))}
    lines = _Lines(said.lines)
    for path in sorted(after):
        if not (name := skills.name_of(path)) or (path in before and before[path].data == after[path].data):
            continue
        mine, was = (_owner_of_skill(folder, name, said) for folder in (after, before))
        if mine not in (known | {EVERYWHERE, was}):
            yield _fault("relabelled", "the skill is labelled with a project that no session was in", path)
        there = set(_paragraphs(before[path].data)) if path in before and mine == was else set()
        for paragraph in _paragraphs(after[path].data):
            words = _words(paragraph)
            theirs = lines.owners(words) if len(words) >= FEW_WORDS and paragraph not in there else set()
            is_theirs = len(theirs) < 2 if mine == EVERYWHERE else mine not in theirs
            if theirs and EVERYWHERE not in theirs and is_theirs:
                yield _fault("other_project", f"{paragraph[:80]!r} stands in a skill that is shown where it was not said", path)


def _owner_of_skill(folder: Folder, name: str, said: Said) -> str:
    """Whose a skill is by its label: a project's key, ``EVERYWHERE``, or ``UNKNOWN``."""
    file = folder.get(f"{skills.FOLDER}{name}/{skills.FILE}")
    scope, project = skill_whose(frontmatter.parse(file.data)) if file else NOBODYS
    return EVERYWHERE if scope == "user" else said.at(project) if places.is_absolute(project) else project or UNKNOWN


class _Lines:
    """Finds who said most of some words in one line, however many lines there are."""

    def __init__(self, lines: Iterable[tuple[frozenset[str], str]]) -> None:
        self._owners: list[str] = []
        self._at: dict[str, list[int]] = {}
        for words, owner in set(lines):
            if owner != UNKNOWN:
                for word in words:
                    self._at.setdefault(word, []).append(len(self._owners))
                self._owners.append(owner)

    def owners(self, words: frozenset[str]) -> set[str]:
        held: Counter[int] = Counter()
        for word in words:
            held.update(self._at.get(word, ()))
        return {self._owners[line] for line, count in held.items() if count >= TAKEN * len(words)}


def _owner_of(found: Found, said: Said) -> set[str]:
    return said.of(found.group) if found.group else set()


def _owners(handbook: Handbook, said: Said) -> dict[str, set[str]]:
    owners: dict[str, set[str]] = {}
    for found in handbook.bullets():
        owners.setdefault(texts.fold(found.text), set()).update(_owner_of(found, said))
    return owners


def _for_everyone(before: Folder, after: Folder, new: Handbook, said: Said) -> Iterator[Fault]:
    """Profile, preferences and tips are shown in every project: what they say stands in a block that holds in every project,
    or was said by the user for all."""
    if codex_summary.PATH not in after:
        return
    own = [_words(found.text) for found in new.bullets() if EVERYWHERE in _owner_of(found, said)]
    own += [line for line, owner in said.lines if owner == EVERYWHERE]
    was = {texts.fold(item) for item in _items(before)}
    for title in (codex_summary.PROFILE, codex_summary.PREFERENCES, codex_summary.TIPS):
        for item in codex_summary.foreign_items(Document(after[codex_summary.PATH].data, deepest=4), title):
            words = _words(item)
            if texts.fold(item) in was or len(words) < FEW_WORDS:
                continue
            if max((_cover(words, line) for line in own), default=0.0) < SAME:
                yield _fault("for_every_project", f"'## {title}' is shown in every project, and {item[:80]!r} stands in no block "
                             "that holds in every project", codex_summary.PATH)


def _items(folder: Mapping[str, File]) -> list[str]:
    if codex_summary.PATH not in folder:
        return []
    document = Document(folder[codex_summary.PATH].data, deepest=4)
    return [item.text for node in document.root.walk() if node.level for item in items(node.lines)]


# ---- what went missing

def _lost(
    given: Given, old: Handbook, new: Handbook, after: Folder, shape: Shape, most_gone: float
) -> Iterator[Fault]:
    was, now = [found.text for found in old.bullets()], [found.text for found in new.bullets()]
    in_skills = [line for path in after if path.startswith("skills/") for line in _paragraphs(after[path].data)]
    kept = _Counterparts([*now, *in_skills])
    gone = [text for text in was if kept.of(text) is None]
    many = len(gone) > FEW
    fewer = sum(max(0, len(text) - len(twin)) for text in was if (twin := kept.of(text)) is not None)
    loss = Loss(
        memories=len(gone) if many else 0, of_memories=len(was),
        characters=fewer + (sum(map(len, gone)) if many else 0), of_characters=sum(map(len, was)),
    )
    if was and not now and most_gone < 1:
        yield _fault("too_much_removed", "nothing would be left of the handbook")
    elif problem := loss.too_much(most_gone):
        yield _fault("too_much_removed", problem.replace("memories", "bullets"))
    yield from _lost_by_hand(given, was, kept, shape)
    yield from _lost_skills(given.folder, after)
    if now and _items(given.folder) and not _items(after):
        yield _fault("too_much_removed", "nothing would be left of the summary", codex_summary.PATH)


def _lost_by_hand(given: Given, was: list[str], kept: _Counterparts, shape: Shape) -> Iterator[Fault]:
    """What came into the handbook since the baseline was put there by a person or on their word: hand edits win."""
    if given.baseline is None:
        return
    known = {texts.fold(found.text) for found in Handbook(given.baseline, shape).bullets()}
    for text in was:
        if texts.fold(text) not in known and kept.of(text) is None:
            yield _fault("hand_edit_lost", f"{text[:80]!r} was written since the last consolidation, and would go")


def _lost_skills(before: Folder, after: Folder) -> Iterator[Fault]:
    was, now = ({path.split("/")[1] for path in folder if path.startswith("skills/") and path.count("/") > 1}
                for folder in (before, after))
    if len(was - now) > max(1, 0.3 * len(was)):
        yield _fault("too_much_removed", f"{len(was - now)} of {len(was)} skills would go", "skills/")


class _Counterparts:
    """Finds what stands for an earlier text now: the same, or one with most of its words."""

    def __init__(self, texts_now: Iterable[str]) -> None:
        self._all = list(texts_now)
        self._exact = {texts.fold(text): text for text in self._all}
        self._words = [(_words(text), text) for text in self._all]
        self._found: dict[str, str | None] = {}

    def of(self, text: str) -> str | None:
        if text not in self._found:
            self._found[text] = self._exact.get(texts.fold(text)) or self._near(text)
        return self._found[text]

    def _near(self, text: str) -> str | None:
        words = _words(text)
        best = max(self._words, key=lambda each: _cover(words, each[0]), default=None)
        return best[1] if best and words and _cover(words, best[0]) >= SAME else None


# ---- orders

def _instructions(before: Folder, after: Folder, said: Said) -> Iterator[Fault]:
    """Nothing new tries to instruct an agent, unless it is the user's own word (DESIGN §4.5)."""
    for path in sorted(after):
        if path in before and before[path].data == after[path].data:
            continue
        known = set(_paragraphs(before[path].data)) if path in before else set()
        for paragraph in _paragraphs(after[path].data):
            plain = codex_handbook.unmarked(paragraph)[0]
            if paragraph in known or texts.fold(plain) in said.word or texts.fold(parts(plain)[0]) in said.word:
                continue
            if rule := trust.instructs(paragraph):
                yield _fault("instruction", f"{paragraph[:80]!r} tries to instruct ({rule})", path)


def _paragraphs(data: bytes) -> list[str]:
    """Everything that a file says, piece by piece: headings, bullets and paragraphs."""
    document = Document(data, deepest=6)
    return [text for node in document.root.walk()
            for text in ([node.title] if node.level else []) + [item.text for item in items(node.lines)]]
