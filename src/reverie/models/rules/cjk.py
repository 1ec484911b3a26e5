"""What Chinese, Japanese and Korean have in common: the order in which sentences are judged, and what is made of them.

A sentence is read clause by clause (``cjk_seen``), in a view in which addresses, paths, quoted names and dates are masked, so
that only grammar is left (``cjk_text``): modal endings, topic particles, connectives, adverbs of time, words for speaking and
deciding. What a language brings is a ``Grammar``: patterns, no code. Here sentences are put beside each other: what explains a
rule joins it, "remember this." asks for its neighbour, a slip is followed by the value that is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from reverie.core import calendar_words, dates
from reverie.core.proposal import Reason
from reverie.models.rules import cjk_text, neutral
from reverie.models.rules.cjk_grammar import Grammar
from reverie.models.rules.cjk_seen import (
    ANNOUNCED,
    ASKED,
    CONTINUES,
    KEEP,
    LESSONS,
    OBLIGED,
    OF_A_PERSON,
    PASSING,
    POINTING,
    RULES,
    WISHED,
    Clause,
    Seen,
    answered,
    freed,
    most,
    refusal,
    see,
    votes,
)
from reverie.models.rules.language import Act, Reading, Scene, Value

REPEATED = 0.3                      # of the pairs of characters, from which on an answer repeats what was said
OWN_CHARACTERS = 5                  # of a clause that says something itself
LATIN_SHARE = 0.15                  # of a Latin letter against one of its own: names are long
BARE_REQUEST = 8                    # characters beside "remember" in a sentence that says nothing else
BARE_SLIP = 20                      # characters of "sorry, I said that wrong."
VALUE_CHARACTERS = 40
TITLE_WIDTH = 48                    # columns: a Han character fills two, and file names follow names
DESCRIPTION_CHARACTERS = 150
KEYWORDS = 8
WORD_CHARACTERS = 8                 # a longer run without a particle was not cut where words end
DETAIL_CHARACTERS = 90              # a longer sentence beside a statement is a subject of its own
CRAFT = 1.75                        # votes for a way of working, where the subject is something made by who writes code
PRODUCT = 2.0                       # votes for a fact of the project, where the subject is the product
KEPT = (Act.STATEMENT, Act.DETAIL, Act.REASON)


class Cjk:
    """The language of one grammar."""

    name: str
    grammar: Grammar

    # ---- which language, which sentences

    def share(self, text: str) -> float:
        g, bare = self.grammar, cjk_text.QUOTED.sub(" ", text)
        own = len(g.letters.findall(bare))
        if not own or not g.decisive.search(bare) or (g.foreign and g.foreign.search(bare)):
            return 0.0
        for value in reversed(list(neutral.values(bare))):
            bare = bare[:value.start] + bare[value.end:]
        return own / (own + LATIN_SHARE * len(cjk_text.LATIN.findall(bare)))

    def sentences(self, text: str) -> Sequence[str]:
        return list(cjk_text.sentences(text))

    # ---- what a run of sentences holds

    def read(self, sentences: Sequence[str], scene: Scene) -> Sequence[Reading]:
        seen = [see(self.grammar, sentence) for sentence in sentences]
        self._off_record(seen)
        self._to_models(seen)
        self._neighbours(seen)
        readings: list[Reading] = []
        for i, one in enumerate(seen):
            if one.refusal in (Reason.OFF_RECORD, Reason.INSTRUCTION):
                readings.append(self._nothing(one))
            else:
                readings.extend(self._read(one, seen[:i], seen[i + 1:], scene, readings))
        return readings

    def _off_record(self, seen: list[Seen]) -> None:
        """"Don't write this down" covers the sentence before it and everything after it in the same breath."""
        for i, one in enumerate(seen):
            if self.grammar.off_record.search(one.view):
                for near in seen[max(0, i - 1):]:
                    near.refusal = Reason.OFF_RECORD
                return

    def _to_models(self, seen: list[Seen]) -> None:
        """A note addressed to assistants was pasted, not said: it and what follows are nobody's wish."""
        for i, one in enumerate(seen):
            if cjk_text.TO_MODELS.search(one.said):
                for near in seen[i:]:
                    near.refusal = near.refusal or Reason.INSTRUCTION
                return

    def _neighbours(self, seen: list[Seen]) -> None:
        """What a sentence says about the one beside it: "remember this.", "no.", "the plan has changed.", "or it is refused"."""
        g = self.grammar
        for i, (one, following) in enumerate(pairwise(seen)):
            if both := answered(g, one, following):
                one.empty, one.refusal, seen[i + 1] = True, None, both
        for i, one in enumerate(seen):
            if one.asked and len(cjk_text.PUNCTUATION.sub("", g.asked.sub("", one.text))) <= BARE_REQUEST:
                one.asked, one.empty = False, True
                self._ask_for(seen[i + 1] if i + 1 < len(seen) else seen[i - 1] if i else None)
        for one, following in pairwise(seen):
            if g.announces.search(one.text) or g.objects.fullmatch(one.said.strip("。.!！ ")):
                one.empty = True
                following.score += ANNOUNCED
            if "blame" in one.names and not following.passing and following.refusal is None:
                one.score += ANNOUNCED
            grounds = {"sanction", "never", "volition"} & following.names or g.reason.search(following.text)
            if grounds and one.score >= KEEP - 1.0 and not one.passing and not following.passing:
                one.score += ANNOUNCED

    def _ask_for(self, near: Seen | None) -> None:
        if near is not None and not near.asked:
            near.asked = True
            near.score += ASKED
            if near.refusal not in (Reason.OFF_RECORD, Reason.INSTRUCTION):
                near.refusal = refusal(self.grammar, near)

    # ---- one sentence in its company

    def _read(self, one: Seen, before: list[Seen], after: list[Seen], scene: Scene, so_far: list[Reading]) -> Iterator[Reading]:
        g = self.grammar
        yield from self._refused_asides(one)
        if slip := self._slip(one, before, after, scene):
            yield slip
        elif one.refusal is not None or one.empty:
            yield self._nothing(one)
        elif self._stands(one, before, so_far):
            if self._is_instead(one, before, so_far):
                yield from self._instead(one)
            elif "keep_on" in one.shown and self._means_more(one):
                yield self._confirmation(one, before, scene)
            else:
                yield from self._statements(one, scene)
        elif g.void.search(one.text):
            yield self._reading(Act.WITHDRAW, one, "withdraw", about=self._about(one, self._old(one.text)))
        elif one.passing or len(one.text) > DETAIL_CHARACTERS:
            yield self._nothing(one)
        elif so_far and so_far[-1].act in KEPT:
            why = g.reason.search(one.text) or g.story.search(one.text)
            yield self._reading(Act.REASON if why else Act.DETAIL, one, "beside", text=one.text)
        elif g.reason.search(one.text) and after and after[0].keeps:
            yield self._reading(Act.REASON, one, "beside", text=one.text)
        else:
            yield self._nothing(one)

    def _means_more(self, one: Seen) -> bool:
        """"All of them like this from now on": no clause says what is meant."""
        pointing = self.grammar.deictic.search(one.view) is not None
        return pointing and not any(
            len(c.text) >= OWN_CHARACTERS and not ({"keep_on", "good"} | PASSING) & set(c.signs) and not self.grammar.deictic.search(c.view)
            for c in one.clauses)

    def _confirmation(self, one: Seen, before: list[Seen], scene: Scene) -> Reading:
        """A wish that goes on with what was just said or done carries it along: the sentence before it, or else the answer of
        the assistant. Without either it is nothing, and nothing new when the answer only took note of what the person had said."""
        named = before[-1] if before else None
        if named is not None and named.refusal is None and not named.passing and len(named.text) > BARE_REQUEST:
            text = cjk_text.joined([named.text, one.text], self.name)
        elif cjk_text.width(scene.answer) <= cjk_text.BARE_ANSWER or self._taken_note(scene):
            return Reading(act=Act.NOTHING, quote=one.said)
        else:
            text = cjk_text.opening(scene.answer) + (f" ({one.text})" if self.name == "ko" else f"（{one.text}）")
        return Reading(act=Act.STATEMENT, quote=one.said, text=text, rule=f"{self.name}.keep_on", type="feedback")

    def _taken_note(self, scene: Scene) -> bool:
        """Whether the answer repeats what the person had just said: "understood, 200 a batch"."""
        if not self.grammar.acknowledges.match(scene.answer.strip()) or not scene.earlier:
            return False
        said, noted = ({a + b for a, b in pairwise(cjk_text.PUNCTUATION.sub("", text))}
                       for text in (scene.earlier[-1], cjk_text.opening(scene.answer)))
        return len(said & noted) > REPEATED * min(len(said), len(noted))

    def _stands(self, one: Seen, before: list[Seen], so_far: list[Reading]) -> bool:
        """Whether a sentence is a statement of its own. After one, a sentence without a topic and with signs that only go on
        is a part of it; after a mishap that was told, a rule needs less weight."""
        kept_before = bool(so_far) and so_far[-1].act in KEPT
        if kept_before:
            goes_on = one.names <= CONTINUES and one.score < KEEP + 1.5 and not self.grammar.topic.search(one.text)
            refers = self.grammar.anaphor.search(one.text) and not RULES & one.names
            explains = len(one.clauses) == 1 and self.grammar.reason.search(one.text)
            return one.keeps and not (goes_on or refers or explains)
        alone = len(one.clauses) == 1 and not one.asked and not (RULES | {"decided", "cause", "blame"}) & one.names
        if alone and self.grammar.reason.search(one.text):
            return False                            # why, without what
        told = bool(before) and before[-1].refusal is None and "harm" in before[-1].names
        return one.keeps or (told and one.score >= KEEP - 1.0)

    def _is_instead(self, one: Seen, before: list[Seen], so_far: list[Reading]) -> bool:
        """"No, don't use X. We agreed on Y." is one rule: what not to do, and what instead."""
        if len(before) != 1 or not so_far or so_far[-1].act is not Act.STATEMENT:
            return False
        forbids = "forbid" in before[0].names and len(before[0].clauses) == 1
        offers = bool({"agreed", "contrast", "directive"} & one.names) and not {"place", "decided", "self", "forbid"} & one.names
        return forbids and offers

    def _instead(self, one: Seen) -> Iterator[Reading]:
        text, why = self._why(one.text)
        yield self._reading(Act.DETAIL, one, "beside", text=text)
        if why:
            yield self._reading(Act.REASON, one, "beside", text=why)

    def _nothing(self, one: Seen) -> Reading:
        reason = one.refusal or (Reason.TEMPORARY if one.shown & {"now", "status"} else Reason.NO_SIGNAL)
        return Reading(act=Act.NOTHING, quote=one.said, reason=reason)

    def _reading(self, act: Act, one: Seen, rule: str, *, text: str = "", about: str = "", value: str = "") -> Reading:
        return Reading(act=act, quote=one.said, rule=f"{self.name}.{rule}", text=text, about=about, value=value)

    def _refused_asides(self, one: Seen) -> Iterator[Reading]:
        for aside in one.asides:
            seen = see(self.grammar, aside)
            if seen.refusal is not None:
                yield self._nothing(seen)

    def _asides(self, one: Seen) -> tuple[str, str]:
        """What stands in brackets: more of the statement, or why it holds. What is refused or passing is neither."""
        more, why = "", ""
        for aside in one.asides:
            seen = see(self.grammar, aside)
            if seen.refusal is not None or seen.passing:
                continue
            if self.grammar.reason.search(aside) or {"harm", "so", "sanction"} & seen.shown:
                why = f"{why} {aside}".strip()
            else:
                more += f" ({aside})" if self.name == "ko" else f"（{aside}）"
        return more, why

    # ---- slips of the tongue

    def _slip(self, one: Seen, before: list[Seen], after: list[Seen], scene: Scene) -> Reading | None:
        """"Sorry, I meant X": the value alone, in this sentence or the next."""
        g = self.grammar
        slip = g.slip.search(one.said)
        admitted = bool(before) and g.slip.search(before[-1].said) is not None and not self._value(before[-1])
        swap = g.swap.search(g.slip.sub("", one.said).strip("。.！!，, "))
        if swap and (slip or admitted or not one.keeps):
            old, new = swap.group("old").strip(cjk_text.EDGES), swap.group("new").strip(cjk_text.EDGES)
            if old and new and any(old in said for said in (*scene.earlier, *(b.said for b in before))):
                titled = g.honorific.search(old) is not None      # "not Mr. A, Mr. B": both with their title
                return self._reading(Act.CORRECT, one, "correct", value=new if titled else g.honorific.sub("", new), about=old)
        if not slip and not admitted:
            return None
        if one.keeps and (self._old(one.text) or len(one.clauses) > 2):
            return None                             # a whole new statement, not a value
        value = self._value(one)
        if value:
            return self._reading(Act.CORRECT, one, "correct", value=value)
        return Reading(act=Act.NOTHING, quote=one.said) if slip and after and len(one.text) <= BARE_SLIP else None

    def _value(self, one: Seen) -> str:
        """The right value: after "it should be", or what is left when the apology and the copula are gone."""
        g = self.grammar
        if right := g.right.search(one.said):
            value = right.group("value")
        else:
            value = g.copula.sub("", g.slip.sub("", g.lead.sub("", one.said.strip("。. "))).strip("。.！! "))
            if g.clause.search(value.strip(cjk_text.EDGES + "：: ")):
                return ""
        value = value.strip(cjk_text.EDGES + "：:。. ")
        if len(value) > VALUE_CHARACTERS:
            return ""
        return cjk_text.ROOM_AFTER_NAME.sub(r"\1", g.honorific.sub("", value)).strip()

    # ---- statements

    def _statements(self, one: Seen, scene: Scene) -> Iterator[Reading]:
        facts = self._facts(one)
        for number, clauses in enumerate(facts):
            yield from self._statement(one, clauses, whole=len(facts) == 1, first=number == 0, scene=scene)

    def _facts(self, one: Seen) -> list[list[Clause]]:
        """The clauses of a sentence, one list for each fact: a clause with a weight of its own opens another one when it says
        so ("also"), or when one of the two is a pointer and the clause has a subject of its own."""
        g = self.grammar
        facts: list[list[Clause]] = []
        for clause in one.clauses:
            if facts and clause.score >= KEEP and any(c.score >= KEEP for c in facts[-1]):
                pointed = any("place" in c.signs for c in facts[-1])
                points = "place" in clause.signs
                own = bool(g.topic.search(clause.view)) if g.topical else points and pointed
                if g.anew.search(clause.text) or ((points or pointed) and own):
                    facts.append([clause])
                    continue
            if facts:
                facts[-1].append(clause)
            else:
                facts.append([clause])
        return facts

    def _statement(self, one: Seen, clauses: list[Clause], *, whole: bool, first: bool, scene: Scene) -> Iterator[Reading]:
        said = self._said(one, clauses, whole=whole)
        more, why_beside = self._asides(one) if first else ("", "")
        text, why = self._why(said)
        old = self._old(said) or self._replaced(said, clauses, scene)
        if old:
            yield self._reading(Act.WITHDRAW, one, "change", about=self._about(one, old))
        type, scope = self._type(clauses, one.said if whole else said)
        yield Reading(act=Act.STATEMENT, quote=one.said, text=text + more, rule=f"{self.name}.{self._rule(clauses)}", type=type,
                      scope=scope, why=" ".join(w for w in (why, why_beside) if w), replaces=old,
                      changes=any({"change", "shift", "moved"} & set(c.signs) for c in clauses))

    def _said(self, one: Seen, clauses: list[Clause], *, whole: bool) -> str:
        """The clauses of one fact without those that are about this moment; verbatim when there are none."""
        kept = [c for c in clauses if c.score >= 0 or not c.signs] or clauses
        if whole and len(kept) == len(clauses):
            return one.text
        return freed(self.grammar, cjk_text.joined([c.text for c in kept], self.name))

    def _why(self, text: str) -> tuple[str, str]:
        """The rule, and the reason that the sentence gives; the rule is the whole sentence where it cannot stand alone."""
        for cause in self.grammar.cause:
            if found := cause.search(text):
                why, rest = found.group("why").strip("，,、。 "), found.group("rest").strip("，,、。 ")
                if len(why) >= 3 and len(rest) >= 3:
                    alone = len(rest) >= 8 and not self.grammar.backward.match(rest)
                    return (rest if alone else text), why
        return text, ""

    def _old(self, text: str) -> str:
        """The words of the state that a sentence ends, where it names them."""
        for pattern in (self.grammar.void, *self.grammar.change):
            if (found := pattern.search(text)) and (old := (found.groupdict().get("old") or "").strip(cjk_text.EDGES)):
                return old
        return ""

    def _replaced(self, said: str, clauses: list[Clause], scene: Scene) -> str:
        """The value that a change ends without naming it: the one of the same kind that was said of the same subject before."""
        if not any({"change", "shift"} & set(c.signs) for c in clauses) or not (topic := self.grammar.topic.search(said)):
            return ""
        words = [w for w in self.grammar.word.findall(topic.group("topic")) if self._tells(w)][:2]
        kinds = {v.kind for v in self.values(said)}
        for sentence in (s for text in reversed(scene.earlier) for s in self.sentences(text)):
            if words and all(w in sentence for w in words):
                for value in self.values(sentence):
                    old = sentence[value.start:value.end]
                    if value.kind in kinds and old not in said and not any(old in w for w in words):
                        return old
        return ""

    def _about(self, one: Seen, old: str) -> str:
        """What a change takes back: the words of its topic and the old value."""
        changed = next((c for c in one.clauses if "change" in c.signs), one.clauses[0] if one.clauses else None)
        topic = self.grammar.topic.search(changed.text) if changed else None
        words = [w for w in self.grammar.word.findall(topic.group("topic")) if len(w) > 1] if topic else []
        return " ".join([*words[:2], old]).strip()

    def _rule(self, clauses: list[Clause]) -> str:
        best = max(clauses, key=lambda c: c.score)
        return max(best.signs, key=lambda n: best.signs[n], default="asked")

    def _type(self, clauses: list[Clause], said: str) -> tuple[str, str]:
        """Type by votes; scope follows: the person and how to talk to them are the user's, the rest is the project's. How to
        answer is about the user; as soon as something that is written for others is meant as well, it is a way of working."""
        g = self.grammar
        names = {n for c in clauses if c.score > 0 for n in c.signs}
        total = votes(clauses)
        total[1] += self._craft(clauses)
        total[2] += self._product(clauses)
        kind = most(total)
        if names & {"trait", "approval", "me_too"} or ("self" in names and not names & {"place", "decided", "owner"}):
            return "user", "user"
        about_reply = bool(g.reply.search(cjk_text.mask(said))) or bool(names & {"style", "deliver"})
        if about_reply or "language" in names:
            made = "craft" in names and not names & {"self", "experience", "deliver"} and not g.reply.search(cjk_text.mask(said))
            if made or g.artifact.search(" ".join(c.text for c in clauses if not {"self", "experience"} & set(c.signs))):
                return "feedback", "project" if g.here.search(said) and not about_reply else "user"
            if kind in ("user", "feedback") and about_reply:
                return "user", "user"
        return kind, "user" if kind == "user" else "project"

    @staticmethod
    def _craft(clauses: Sequence[Clause]) -> float:
        """What is made by whoever writes code, as the subject: tests, names, messages. How it is done is a way of working."""
        names = {n for c in clauses for n in c.signs}
        made = any("craft" in c.signs and "so" not in c.signs for c in clauses)
        if not made or names & (POINTING | OF_A_PERSON | {"deliver"}):
            return 0.0
        return CRAFT / 2 if names & {"date", "limit"} else CRAFT      # a load test on a day, an answer within 180 ms

    @staticmethod
    def _product(clauses: Sequence[Clause]) -> float:
        """The product, its data, its customers as the subject: a fact of the project, unless a pointer or a wish is what is
        said of it."""
        names = {n for c in clauses for n in c.signs}
        weightiest = max(clauses, key=lambda c: c.score)
        spoken_of = "product" in clauses[0].signs or "product" in weightiest.signs
        if not spoken_of or names & (POINTING | WISHED | LESSONS | OF_A_PERSON):
            return 0.0
        return PRODUCT * 0.625 if "fact" not in names and (names & OBLIGED or "craft" in names) else PRODUCT

    # ---- the pieces that a correction could swap

    def values(self, text: str) -> Sequence[Value]:
        kept: list[Value] = []
        for value in sorted(self._pieces(text), key=lambda v: (v.start - v.end, v.start)):
            if all(value.end <= k.start or value.start >= k.end for k in kept):
                kept.append(value)
        bare = text.strip(" 。.，,")
        if not kept and (0 < len(bare) <= 4 or self.grammar.word.fullmatch(bare)):
            start = text.index(bare)
            kept.append(Value(start=start, end=start + len(bare), kind="name" if self.grammar.letters.search(bare) else "word"))
        return sorted(kept, key=lambda v: v.start)

    def _pieces(self, text: str) -> Iterator[Value]:
        g = self.grammar
        for recurring in calendar_words.RECURRING:
            yield from (Value(start=m.start(), end=m.end(), kind="weekday", weight=1.5) for m in recurring.finditer(text))
        for mention in dates.find(text, cjk_text.SOME_DAY):
            kind = "weekday" if mention.kind == "weekday" else "date"
            yield Value(start=mention.start, end=mention.end, kind=kind, weight=1.25)
        for value in neutral.values(text):
            if not (value.kind == "code" and text[value.start:value.end].isalnum()):    # "GraphQL" is a name
                yield value
        for pattern, kind, weight in ((g.person, "name", 1.5), (g.counted, "number", 1.1), (cjk_text.TIME, "time", 1.1)):
            group = "name" if "name" in pattern.groupindex else 0
            yield from (Value(start=m.start(group), end=m.end(group), kind=kind, weight=weight) for m in pattern.finditer(text))
        for m in cjk_text.QUOTED.finditer(text):
            yield Value(start=m.start() + 1, end=m.end() - 1, kind="name", weight=1.25)
        focus = {m.start("name") for m in g.focus.finditer(text)}
        for m in cjk_text.LATIN_NAME.finditer(text):
            yield Value(start=m.start(), end=m.end(), kind="name", weight=1.5 if m.start() in focus else 1.0)

    # ---- words for people

    def title(self, text: str, type: str) -> str:
        text = self._subject_first(text)
        out = ""
        for part in cjk_text.clauses(cjk_text.PLAIN_ASIDE.sub("", text), self.grammar.clause):
            longer = cjk_text.joined([out, part], self.name)
            if out and cjk_text.width(longer) > TITLE_WIDTH:
                break
            out = longer
            if cjk_text.width(out) >= TITLE_WIDTH // 3:
                break
        return cjk_text.cut(out or text, TITLE_WIDTH)

    def _subject_first(self, text: str) -> str:
        """Without the words with which one only begins to speak."""
        for _ in range(4):
            cut = self.grammar.opener.sub("", text, count=1)
            if cut == text or len(cut) < OWN_CHARACTERS:
                break
            text = cut
        return text

    def describe(self, text: str, type: str) -> str:
        text = " ".join(text.split())
        return text if len(text) <= DESCRIPTION_CHARACTERS else text[:DESCRIPTION_CHARACTERS - 1].rstrip("，,、 ") + "…"

    def keywords(self, text: str) -> tuple[str, ...]:
        found = [text[v.start:v.end] for v in neutral.values(text) if v.kind != "number"]
        found += [m.group()[1:-1] for m in cjk_text.QUOTED.finditer(text)]
        rest = cjk_text.QUOTED.sub(" ", text)
        for word in found:
            rest = rest.replace(word, " ")
        found += [*cjk_text.LATIN_NAME.findall(rest), *(w for w in self.grammar.word.findall(rest) if self._tells(w))]
        kept: dict[str, str] = {}
        for word in (w.strip("`「」“”\"'") for w in found):
            if word and len(word) <= VALUE_CHARACTERS:
                kept.setdefault(word.casefold(), word)
        return tuple(kept.values())[:KEYWORDS]

    def _tells(self, word: str) -> bool:
        """Whether a word is one to search by: whole, and not one of those that every sentence has."""
        return 1 < len(word) <= WORD_CHARACTERS and not self.grammar.idle.search(word)
