"""Who an English statement is about: the work on the code, or the product and the world it lives in.

"Log lines carry the request id" tells how to work (feedback); "recordings stay for ninety days" tells how things are (project).
The verb and the mood are the same; the subject decides, and behind "we" the verb does: one ships, sells and supports a product, one
writes, names and mocks code. Matched on ``Shape.low``.
"""

from __future__ import annotations

import re

from reverie.models.rules.english_clauses import FINITE_WORDS, OPENING, PLURAL_VERBS, clauses
from reverie.models.rules.english_words import word_list

# What developers make and handle while working: the things a rule for the agent is about.
WORK = frozenset(word_list("""
code test tests suite suites function functions method methods class classes identifier identifiers commit commits branch branches pr prs
pull request requests query queries exception exceptions logging import imports comment comments docstring docstrings
annotation annotations type types alias aliases fixture fixtures mock mocks snapshot snapshots lint linter formatting formatter
variable variables constant constants module modules component components endpoint endpoints schema schemas column columns script
scripts helper helpers dependency dependencies library libraries lockfile changelog review reviews reviewer reviewers diff diffs
patch patches refactoring hook hooks export exports template templates css sql regex retry retries thread threads lock locks cache
callback callbacks file files folder folders argument arguments parameter parameters loop loops parser package packages notebook
notebooks migration migrations handler handlers controller controllers service services repository struct structs enum enums interface
interfaces error errors message messages log logs line lines string strings name names naming assertion assertions
indentation spelling todo todos flag flags config configuration secret secrets view views model models route routes job jobs
widget widgets stylesheet selector selectors macro macros shader shaders benchmark benchmarks stub stubs seed seeds dataclass
dataclasses transaction transactions trait traits bug bugs merge merges
"""))
# Whom and what the product serves, and the terms on which it does.
WORLD = frozenset(word_list("""
customer customers user users account accounts invoice invoices order orders recording recordings backup backups
release releases version versions product products app apps price prices refund refunds patient patients platform plan plans contract
contracts beta tenant tenants subscription subscriptions kiosk kiosks device devices printer printers partner partners subscriber
subscribers member members visitor visitors reader readers student students teacher teachers driver drivers merchant merchants shop shops store
stores office offices company budget deadline launch market region regions country countries licence license support
warranty trial trials data record records archive retention uptime downtime server servers cluster production site sites payment payments
delivery deliveries shipment shipments report reports statement statements newsletter docs documentation website photo photos video
videos upload uploads download downloads booking bookings ticketing hardware firmware sensor sensors fleet vehicle vehicles bank
banks insurer hospital museum school subsidiary team sales marketing finance legal management agency
"""))
_TRADE = re.compile(
    r"\bwe (?:only |still |also |don't |do not |never |always |no longer |currently |all |just |officially )*(?:ships?|sells?|supports?|"
    r"releases?|offers?|hosts?|bills?|charges?|delivers?|serves?|guarantees?|promises?|retains?|stores?|keeps?|pays?|licen[cs]es?|hires?|"
    r"rents?|invoices?|operates?|accepts?|launch|build for|publish|process|promise|owe|deploy|go live|cover|invite|insure|refund|"
    r"may|certify|collect)\b(?P<object>[^,.;]{0,60})")
_NOUNLESS = frozenset(word_list("i i'm i've my me it its it's this that these those there he she they them what who which here you your"))
_NO_SUBJECT = frozenset(word_list("never don't not always please only just also then no so and but because if when before after once of let"))
_ANYONE = frozenset(word_list("nobody everyone everybody anyone whoever"))
_STOP = frozenset(word_list("of for from in on to with about under by at against over per without behind older newer that which who whose than"))
_WORK_VERBS = re.compile(
    r"^(?:nobody|no one|everyone|everybody|anyone|whoever|you) (?:\w+ )?(?:edits?|commits?|push(?:es)?|merges?|touch(?:es)?|writes?|"
    r"rebases?|calls?|imports?|changes?|adds?|reviews?|runs?|installs?|approves?)\b")
_AUX = frozenset(word_list("""
has have had does do did will would can cannot can't could must may might should shall won't don't doesn't isn't aren't is are was were be
never always only get gets go goes stay stays take takes carry carries come comes keep keeps run runs use uses live lives
"""))


def about(low: str) -> str:
    """"work", "world", "trade" (what we do with the product), "else", or "" without a subject: of the last clause that says one."""
    found = [_about(clause) for clause in reversed(clauses(low)) if len(clause) > 8]
    return next((each for each in found if each not in ("", "else")), "else" if "else" in found else "")


def _about(clause: str) -> str:
    if traded := _TRADE.search(clause):
        return "work" if _worked(traded["object"].split()) else "trade"
    if _WORK_VERBS.match(clause):
        return "work"
    words = _subject(OPENING.sub("", clause) or clause)
    if not words or words[0] in _NOUNLESS or words[0] in _ANYONE or words[0] in _NO_SUBJECT:
        return ""
    if words[-1] in WORLD or (any(word in WORLD for word in words[:-1]) and words[-1] not in WORK):
        return "world"
    return "work" if _worked(words) else "else"


def _worked(words: list[str]) -> bool:
    return any(word.strip(",") in WORK for word in words)


def _subject(clause: str) -> list[str]:
    """The words before the first verb, up to a preposition."""
    found: list[str] = []
    for word in re.findall(r"[\w']+", clause)[:9]:
        if found and (word in _AUX or word in _STOP or ((word in FINITE_WORDS or word in PLURAL_VERBS) and found[-1] not in _DETERMINED)):
            return found
        found.append(word)
    return []


_DETERMINED = frozenset(word_list("the a an our every each any all no new this that my your only"))
