"""The one place that shortens text.

Whatever is shown to a model or a person within a limit is cut here, so that a wrong cut has one place to be mended.
Three invariants, held by ``tests/core/test_budget.py``: what comes out fits; a code point is never split, nor a pair of
UTF-16 surrogates; and what was left out is always counted (DESIGN §4.11), so that the caller can say it.

Four units occur in the products and in the study, and they are not the same: *characters* (code points), *UTF-16
units* (what JavaScript calls length, and what both products count although their constants say "bytes"), *UTF-8
bytes*, and *tokens*, which nobody counts: the products divide bytes by 4. That undercounts present tokenizers by a
quarter on prose and by half on code, so our own budgets divide by less.

On the path a user waits for: no imports beyond the language.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CHARACTERS = "characters"           # code points
UTF16 = "utf16"                     # UTF-16 code units
BYTES = "bytes"                     # UTF-8 bytes

BYTES_PER_PRODUCT_TOKEN = 4         # the products' rule (spec/codex §6.4)
BYTES_PER_PROSE_TOKEN = 2.7         # our high estimates: a budget in tokens must hold for the dearest tokenizer
BYTES_PER_CODE_TOKEN = 1.9

# What JavaScript's trim() takes for white space, for the cuts of the products. Python's own differs in both directions.
JS_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


class Cut:
    """A text that fits, and what it cost: how much was left out, in each unit a caller might name.

    ``items`` counts whole things (index lines, documents) where the cut was made between things. Equal by value.
    """

    __slots__ = ("bytes", "characters", "items", "lines", "text")

    def __init__(self, text: str, *, items: int = 0, lines: int = 0, characters: int = 0, bytes: int = 0) -> None:
        self.text = text
        self.items = items
        self.lines = lines
        self.characters = characters
        self.bytes = bytes

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return not (self.items or self.lines or self.characters or self.bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cut) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # a value to look at, not a key

    def __repr__(self) -> str:
        counts = f"items={self.items}, lines={self.lines}, characters={self.characters}, bytes={self.bytes}"
        return f"Cut({self.text!r}, {counts})"


class Budget:
    """Caps on a text; None means: no cap of this kind. All caps hold at once."""

    __slots__ = ("bytes", "characters", "lines", "utf16")

    def __init__(
        self,
        *,
        lines: int | None = None,
        characters: int | None = None,
        utf16: int | None = None,
        bytes: int | None = None,
    ) -> None:
        self.lines = lines
        self.characters = characters
        self.utf16 = utf16
        self.bytes = bytes

    @classmethod
    def of_tokens(cls, tokens: int, *, lines: int | None = None, code: bool = False) -> Budget:
        """Our own token budgets, as the bytes that surely fit them."""
        return cls(lines=lines, bytes=int(tokens * (BYTES_PER_CODE_TOKEN if code else BYTES_PER_PROSE_TOKEN)))

    @classmethod
    def of_product_tokens(cls, tokens: int) -> Budget:
        """A product's token budget, as the product measures it: four bytes each."""
        return cls(bytes=tokens * BYTES_PER_PRODUCT_TOKEN)

    def fits(self, text: str) -> bool:
        """Whether ``text`` is within every cap."""
        return (
            (self.lines is None or text.count("\n") < self.lines)
            and (self.characters is None or len(text) <= self.characters)
            and (self.utf16 is None or utf16_units(text) <= self.utf16)
            and (self.bytes is None or utf8_bytes(text) <= self.bytes)
        )

    def __repr__(self) -> str:
        return f"Budget(lines={self.lines}, characters={self.characters}, utf16={self.utf16}, bytes={self.bytes})"


def utf16_units(text: str) -> int:
    """The length of ``text`` as JavaScript sees it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """The length of ``text`` in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def product_tokens(text: str) -> int:
    """Tokens by the products' rule: bytes / 4, rounded up."""
    return -(-utf8_bytes(text) // BYTES_PER_PRODUCT_TOKEN)


def tokens(text: str, *, code: bool = False) -> int:
    """Tokens by our own estimate, which is meant to be high."""
    return -int(-utf8_bytes(text) // (BYTES_PER_CODE_TOKEN if code else BYTES_PER_PROSE_TOKEN))


def measure(text: str, unit: str) -> int:
    """The length of ``text`` in ``unit`` (CHARACTERS, UTF16 or BYTES)."""
    if unit == CHARACTERS:
        return len(text)
    return utf16_units(text) if unit == UTF16 else utf8_bytes(text)


def head(text: str, limit: int, unit: str = CHARACTERS) -> str:
    """The longest beginning of ``text`` that is at most ``limit`` long; a code point that would be split stays out."""
    limit = max(limit, 0)
    if unit == CHARACTERS or text.isascii():
        return text[:limit]
    text = text[:limit]             # no code point is shorter than one unit or one byte
    if unit == UTF16:
        raw = text.encode("utf-16-le", "surrogatepass")[: 2 * limit]
        if len(raw) >= 2 and 0xD8 <= raw[-1] <= 0xDB:
            raw = raw[:-2]
        return raw.decode("utf-16-le", "surrogatepass")
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= limit:
        return text
    while limit and raw[limit] & 0xC0 == 0x80:
        limit -= 1
    return raw[:limit].decode("utf-8", "surrogatepass")


def _tail_bytes(raw: bytes, limit: int) -> bytes:
    """The last ``limit`` bytes of UTF-8 text, moved inward to where a character starts."""
    start = len(raw) - limit
    while start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    return raw[start:]


def clip(text: str, limit: int, *, unit: str = CHARACTERS, mark: str = "…", space: str | None = None) -> Cut:
    """One line or paragraph, cut at its end and marked: at most ``limit`` long with the mark, blanks before it removed.

    ``space`` is what counts as a blank, as for ``str.rstrip``.
    """
    if measure(text, unit) <= limit:
        return Cut(text)
    kept = head(text, limit - measure(mark, unit), unit).rstrip(space)
    rest = text[len(kept) :]
    return Cut(kept + mark, characters=len(rest), bytes=utf8_bytes(rest))


def first_lines(text: str, budget: Budget) -> Cut:
    """The first whole lines that fit; if even the first is too long, the beginning of it.

    This is how the products cut an index (spec/claude-code §4.2, spec/qwen-code §5.2): the lines first, and if that is
    still too long, back to the last line end inside the cap. Nothing is said in the text; the caller does that.
    """
    if budget.fits(text):
        return Cut(text)
    kept = text if budget.lines is None else "\n".join(text.split("\n", budget.lines)[: budget.lines])
    for unit, cap in ((CHARACTERS, budget.characters), (UTF16, budget.utf16), (BYTES, budget.bytes)):
        if cap is not None and measure(kept, unit) > cap:
            # A line end that stands just behind the cap still ends a line that fits: look one further.
            inside = head(kept, cap + 1, unit)
            end = inside.rfind("\n")
            kept = kept[:end] if end > 0 else head(kept, cap, unit)
    rest = text[len(kept) :]
    whole_lines = rest.count("\n") if rest.startswith("\n") else rest.count("\n") + 1
    return Cut(kept, lines=whole_lines, characters=len(rest), bytes=utf8_bytes(rest))


def pack(lines: Sequence[str], budget: Budget, note: Callable[[int], str]) -> Cut:
    """As many of ``lines`` as fit, in order; when some do not, a last line from ``note(how many)`` that fits as well.

    Where not even the note fits, it is left out too: the count is in the answer.
    """
    whole = "\n".join(lines)
    if budget.fits(whole):
        return Cut(whole)
    ends = _ends(lines)
    kept = len(lines) if budget.lines is None else min(len(lines), budget.lines)
    while True:
        words = note(len(lines) - kept)
        if _room(budget, ends[kept], kept, words):
            break
        if not kept:
            words = ""
            break
        kept -= 1
    text = "\n".join([*lines[:kept], words] if words else lines[:kept])
    rest = "\n".join(lines[kept:])
    return Cut(text, items=len(lines) - kept, lines=len(lines) - kept, characters=len(rest), bytes=utf8_bytes(rest))


def _ends(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """How long the first n lines are, each with its line end, in characters, UTF-16 units and bytes."""
    ends = [(0, 0, 0)]
    for line in lines:
        characters, units, length = ends[-1]
        ends.append((characters + len(line) + 1, units + utf16_units(line) + 1, length + utf8_bytes(line) + 1))
    return ends


def _room(budget: Budget, end: tuple[int, int, int], kept: int, words: str) -> bool:
    """Whether the lines that end at ``end`` and the closing words are within the budget together."""
    characters, units, length = end
    closing = bool(words)
    return (
        (budget.lines is None or kept + closing + words.count("\n") <= budget.lines)
        and (budget.characters is None or characters + len(words) - (not closing) <= budget.characters)
        and (budget.utf16 is None or units + utf16_units(words) - (not closing) <= budget.utf16)
        and (budget.bytes is None or length + utf8_bytes(words) - (not closing) <= budget.bytes)
    )


def middle(text: str, limit_bytes: int, *, says: str = "tokens") -> Cut:
    """The middle taken out, as Codex does (spec/codex §6.4): both halves of the byte budget, and how much is missing.

    The marker comes on top of the budget. ``says`` is "tokens" (bytes beyond the budget / 4, rounded up) or "chars"
    (characters really missing).
    """
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= limit_bytes:
        return Cut(text)
    first = head(text, limit_bytes // 2, BYTES)
    last = _tail_bytes(raw, limit_bytes - limit_bytes // 2).decode("utf-8", "surrogatepass")
    missing_characters = len(text) - len(first) - len(last)
    missing = -(-(len(raw) - limit_bytes) // BYTES_PER_PRODUCT_TOKEN) if says == "tokens" else missing_characters
    return Cut(
        f"{first}…{missing} {says} truncated…{last}",
        lines=text.count("\n") - first.count("\n") - last.count("\n"),
        characters=missing_characters,
        bytes=len(raw) - utf8_bytes(first) - utf8_bytes(last),
    )
