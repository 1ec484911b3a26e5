"""How Qwen Code ranks memories, twice: as the study states it, and as product version 0.24 really does.

They are here to be what they are: for the plain design ``qwen-code``, for its edition ``qwen-code@0.24``, and as
baselines beside our own recall. The first matches anything that has a body and sees no Chinese; the second knows fields
and scripts, but neither stop words nor rarity. Sources: study, Qwen Code §7; spec/qwen-code §7.3 and §23.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.core.recall import Document

DOCUMENTS = 5                   # MAX_RELEVANT_DOCS
CHARACTERS = 1200               # MAX_DOC_BODY_CHARS
MOST_TOKENS = 64                # the product: the first 32 and the 32 seen last

STUDY_KEYWORDS = {
    "user": frozenset(("user", "preference", "background", "role", "terse")),
    "feedback": frozenset(("feedback", "rule", "avoid", "style", "summary")),
    "project": frozenset(("project", "goal", "incident", "deadline", "release")),
    "reference": frozenset(("reference", "dashboard", "ticket", "docs", "link")),
}
PRODUCT_KEYWORDS = {
    "user": STUDY_KEYWORDS["user"] | {"preferences"},
    "feedback": STUDY_KEYWORDS["feedback"] | {"rules"},
    "project": STUDY_KEYWORDS["project"] | {"goals"},
    "reference": STUDY_KEYWORDS["reference"] | {"doc"},
}
PLACEHOLDERS = frozenset(("", "_No entries yet._", "_No detailed entries yet._"))

_STUDY_TOKEN = re.compile("[a-z0-9]{3,}")
# The scripts Han, Hiragana, Katakana and Hangul, as ranges: the standard library's expressions know no scripts.
_CJK = ("\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
        "\u4e00-\u9fff\uf900-\ufaff\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7af\U00020000-\U0003ffff")
_PRODUCT_RUN = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}][^\\W_{_CJK}]{{2,}}")
_IS_CJK = re.compile(f"[{_CJK}]")


def study_score(query: str, document: Document) -> int:
    """+2 for each token of the query in the document, +1 for each that is a keyword of its type, +1 for a body."""
    tokens = study_tokens(query)
    if not tokens:
        return 0
    text = f"{document.type}\n{document.name}\n{document.description}\n{document.body}".lower()
    keywords = STUDY_KEYWORDS.get(document.type, frozenset())
    return (sum(2 for token in tokens if token in text) + sum(1 for token in tokens if token in keywords)
            + (document.body.strip() not in PLACEHOLDERS))


def study_tokens(query: str) -> list[str]:
    """The study's tokens: runs of three or more Latin letters and digits, each once."""
    return list(dict.fromkeys(_STUDY_TOKEN.findall(query.lower())))


def product_tokens(query: str) -> list[str]:
    """The product's tokens: pairs of CJK characters, other runs of three or more characters.

    Of more than 64, the first 32 and the 32 others that were seen last."""
    tokens: dict[str, None] = {}
    for run in _PRODUCT_RUN.findall(unicodedata.normalize("NFKC", query).lower()):
        for token in [run[place:place + 2] for place in range(len(run) - 1)] if _IS_CJK.match(run) else [run]:
            if token not in tokens or token in list(tokens)[:MOST_TOKENS // 2]:
                tokens.setdefault(token)
            else:
                del tokens[token]                       # seen again: it is among the last ones now
                tokens[token] = None
    distinct = list(tokens)
    return distinct if len(distinct) <= MOST_TOKENS else distinct[:MOST_TOKENS // 2] + distinct[-MOST_TOKENS // 2:]


def product_score(query: str, document: Document) -> int:
    """4 for each token in the title, 3 in the description, 1 in the body; then up to 2 for keywords of the type."""
    tokens = product_tokens(query)
    title, description = folded(document.name), folded(document.description)
    body = "" if document.body.strip() in PLACEHOLDERS else folded(document.body[:CHARACTERS])
    score = sum(4 * (token in title) + 3 * (token in description) + (token in body) for token in tokens)
    if score:
        keywords = PRODUCT_KEYWORDS.get(document.type, frozenset())
        score += min(2, sum(token in keywords for token in tokens))
    return score


MOST_TOOLS = 20                 # used last in a session
# Looked for as parts of the text, so that a plural is found by its singular.
_USAGE = (
    "api docs", "api documentation", "failed call", "failed tool call", "failed tool-call", "field mapping", "guessed call",
    "guessed tool", "mcp tool", "parameter schema", "tool schema", "tool usage", "usage reference",
)
_DURABLE = ("credential", "escalation", "gotcha", "known issue", "owner", "warning", "workaround")


def only_tells_usage(document: Document, tools: Sequence[str]) -> bool:
    """Whether a document tells no more than how one of these tools is used, which a model that has just used it knows.

    ``tools``: those that were used, the last one last (spec/qwen-code §7.3, "active-tool filter")."""
    names = {alias for tool in list(dict.fromkeys(reversed(tools)))[:MOST_TOOLS] for alias in _aliases(tool.lower())}
    text = f"{document.name}\n{document.description}\n{document.body}".lower()
    return (any(name in text for name in names) and any(mark in text for mark in _USAGE)
            and not any(mark in text for mark in _DURABLE))


def _aliases(tool: str) -> set[str]:
    parts = tool.split("__")
    own = "__".join(parts[2:]) if len(parts) > 2 and parts[0] == "mcp" else ""
    return {name for name in (tool, tool.rpartition("::")[2], own) if name}


def select(query: str, documents: Sequence[Document], score: Callable[[str, Document], int],
           limit: int = DOCUMENTS) -> list[int]:
    """The places of the best documents, at most ``limit``. Ties keep the order of the input: bring it in order first
    (the study by type, the product newest first)."""
    scored = [(-score(query, document), place) for place, document in enumerate(documents)]
    return [place for negative, place in sorted(scored)[:limit] if negative]


def folded(text: str) -> str:
    """A text as tokens are looked for in it."""
    return unicodedata.normalize("NFKC", text).lower()
