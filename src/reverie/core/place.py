"""Where a session takes place, and to which project that belongs.

One project is one repository: its main checkout, its subdirectories and its worktrees, told by the git common directory
that they share. Outside git a project is its directory. Nothing here looks at the disk (``reverie.storage.git`` does):
a path that is gone is judged by its name alone, and so keeps the identity that it had as a plain directory or as the
root of a repository. Clones are projects of their own; ``remote`` is carried for whoever wants to join them.

Also here: the names that the hosts themselves give to a directory's folder, exactly as they make them.

This module is on the path that a prompt waits for: it imports nothing until a hash is needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLAUDE_KEY_UNITS = 200          # longer keys are cut here and get a hash (spec/claude-code §1.1)
KIMI_SLUG_LENGTH = 40           # spec/kimi-code §2.1
SLUG_LENGTH = 40                # ours: a folder name that is still read at a glance
_SHARE = "\\\\"                # what a network path begins with; two slashes would be a POSIX path
HASH_LENGTH = 8                 # hex digits: the slug stands beside it, so 32 bits only tell namesakes apart


class Place:
    """A working directory, and what it belongs to. Paths are tidy ("/" between names), and "" when there is none.

    ``real`` is ``cwd`` with symbolic links resolved; ``root`` the checkout that it lies in; ``common_dir`` the git
    directory that all checkouts of the repository share; ``main_root`` the main checkout (for a bare repository: the
    repository itself); ``subdirectory`` where ``real`` lies below ``root``. ``folds_case``: names that differ in case
    alone are the same directory here.
    """

    __slots__ = (
        "common_dir", "cwd", "exists", "folds_case", "main_root", "real", "remote", "root", "subdirectory",
    )  # fmt: skip

    cwd: str
    real: str
    root: str
    main_root: str
    common_dir: str
    subdirectory: str
    exists: bool
    remote: str
    folds_case: bool

    def __init__(self, **values: Any) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, values.pop(name))
        if values:
            raise TypeError(f"a Place has no {', '.join(values)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Place does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Place does not change")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Place({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


def make(
    cwd: str,
    *,
    real: str = "",
    root: str = "",
    common_dir: str = "",
    main_root: str = "",
    exists: bool = True,
    remote: str = "",
    folds_case: bool = False,
) -> Place:
    """A place from what is known about it. ``main_root`` is only needed where the common directory does not tell it:
    a submodule's lies inside the repository around it."""
    real, root, common_dir = tidy(real or cwd), tidy(root), tidy(common_dir)
    return Place(
        cwd=cwd,
        real=real,
        root=root,
        main_root=tidy(main_root) or (main_root_of(common_dir) if common_dir else root),
        common_dir=common_dir,
        subdirectory=below(root, real, folds_case=folds_case) or "" if root else "",
        exists=exists,
        remote=remote,
        folds_case=folds_case,
    )


def gone(cwd: str, *, real: str = "", hint: str = "", folds_case: bool = False) -> Place:
    """A place that no longer exists: it belongs to ``hint``, the project root that the host wrote down, else to itself.

    Hosts write "/" for "no project" (spec/opencode §3.2): that is no hint. Any other root is believed, above the
    path (a subdirectory) or beside it (a worktree), because with the directory gone nobody else knows better.
    """
    root = tidy(hint)
    if not is_absolute(root) or not parent(root):
        return make(cwd, real=real, exists=False, folds_case=folds_case)
    inside = below(root, tidy(real or cwd), folds_case=folds_case) is not None
    return make(
        cwd, real=real, root=root if inside else "", main_root=root, exists=False, folds_case=folds_case
    )


def main_root_of(common_dir: str) -> str:
    """The main checkout that a git common directory belongs to; a bare repository stands for itself."""
    return parent(common_dir) if basename(common_dir) == ".git" else common_dir


def identity(place: Place) -> str:
    """What makes two places the same project: equal strings, and only equal strings."""
    path = place.main_root or place.real
    return path.casefold() if place.folds_case else path


def project_key(place: Place) -> str:
    """The name of a project's folder among Reverie's own stores: readable, and never shared by two projects."""
    path = identity(place)
    return f"{_readable(path)}-{sha256_hex(path)[:HASH_LENGTH]}"


def looks_like_project_key(text: str) -> bool:
    """Whether a label was made by ``project_key`` (as opposed to a path, or a title that a person wrote)."""
    slug, _, digits = text.rpartition("-")
    return (
        len(digits) == HASH_LENGTH
        and 0 < len(slug) <= SLUG_LENGTH
        and all(c in "0123456789abcdef" for c in digits)
        and all(c.isascii() and (c.isdigit() or c.islower() or c in "._-") for c in slug)
    )


def same_project(one: Place, other: Place) -> bool:
    """Whether two places are one project. One side's file system is enough to make case irrelevant."""
    a, b = identity(one), identity(other)
    return a == b or ((one.folds_case or other.folds_case) and a.casefold() == b.casefold())


# ---- the hosts' own names for a directory

def claude_key(path: str) -> str:
    """Claude Code's folder for a directory: every UTF-16 unit that is no ASCII letter or digit becomes "-"
    (spec/claude-code §1.1). Lossy: ``a_b`` and ``a-b`` collide."""
    units = _utf16_units(path)
    key = _dashed(units)
    if len(key) <= CLAUDE_KEY_UNITS:
        return key
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return f"{key[:CLAUDE_KEY_UNITS]}-{_base36(abs(signed))}"


def qwen_key(path: str, windows: bool = False) -> str:
    """Qwen Code's folder for a directory: as Claude Code's, but never cut, and lower-cased on Windows (spec/qwen-code
    §2.3)."""
    return _dashed(_utf16_units(path.lower() if windows else path))


def kimi_key(path: str) -> str:
    """Kimi Code's folder for a working directory: of that very directory, not of its project (spec/kimi-code §2.1)."""
    directory = path.replace("\\", "/").rstrip("/")
    slug = _slug(directory.rpartition("/")[2], KIMI_SLUG_LENGTH)
    return f"wd_{slug if slug not in ('', '.', '..') else 'workspace'}_{sha256_hex(directory)[:12]}"


# ---- paths, as text

def tidy(path: str) -> str:
    """One spelling for one path: "/" between names, none at the end, no empty, "." or ".." names; a drive letter in
    upper case. A backslash separates only in a Windows path: elsewhere it is a legal part of a name."""
    if not path:
        return ""
    head, rest = _split_drive(path)
    absolute = rest.startswith("/")
    names: list[str] = []
    for name in rest.split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name not in ("", ".") and not (name == ".." and absolute):
            names.append(name)
    text = head + ("/" if absolute and head != _SHARE else "") + "/".join(names) or "."
    return "./" + text if not head and _split_drive(text)[0] else text      # "./C:" is a name, "C:/" is a drive


def is_absolute(path: str) -> bool:
    """Whether a path names a place without a working directory."""
    return _split_drive(path)[1].startswith("/")


def parent(path: str) -> str:
    """The directory above a tidy path; "" above a root."""
    head, _, name = path.rpartition("/")
    if not name:
        return ""
    return head if head and not _is_drive(head) else path[: len(head) + 1] if head or path.startswith("/") else ""


def basename(path: str) -> str:
    """The last name of a tidy path."""
    return path.rpartition("/")[2]


def below(root: str, path: str, *, folds_case: bool = False) -> str | None:
    """Where a tidy path lies below another, "" for the same place, None when it does not."""
    one, other = (root.casefold(), path.casefold()) if folds_case else (root, path)
    if one == other:
        return ""
    above = one if one.endswith("/") else one + "/"
    if not one or not other.startswith(above):
        return None
    # casefold can change the length of a name, so the rest is counted in names
    return "/".join(path.split("/")[len([name for name in root.split("/") if name]) + (path.startswith("/")) :])


def clean_remote(url: str) -> str:
    """A remote's address without user name, password and token: it may go into a database or a page."""
    scheme, mark, rest = url.strip().partition("://")
    if not mark:
        return scheme
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def _split_drive(path: str) -> tuple[str, str]:
    """("C:", "/Users/x") for a Windows path in any spelling, (two backslashes, "/server/share") for a network path,
    ("", path) for every other."""
    text = path
    if text.startswith(("\\\\?\\", "\\\\.\\")):
        text = text[4:]
        if text[:4].upper() == "UNC\\":
            text = "\\\\" + text[4:]
    if _is_drive(text[:2]) and text[2:3] in ("\\", "/"):
        return text[0].upper() + ":", text[2:].replace("\\", "/")
    if text.startswith(_SHARE):
        return _SHARE, "/" + text[2:].replace("\\", "/")
    return "", path


def _is_drive(text: str) -> bool:
    return len(text) == 2 and text[1] == ":" and text[0].isascii() and text[0].isalpha()


def _readable(path: str) -> str:
    name = basename(path)
    if name in (".bare", ".git"):               # a usual place for the repository behind a set of worktrees
        name = basename(parent(path))
    return _slug(name.removesuffix(".git"), SLUG_LENGTH).strip(".") or "project"


def _slug(name: str, length: int) -> str:
    """Lower case, every run of other characters than a-z 0-9 . _ - as one dash, none at the ends."""
    kept: list[str] = []
    in_run = False
    for c in name.lower():
        if c.isascii() and (c.isalnum() or c in "._-"):
            kept.append(c)
            in_run = False
        elif not in_run:
            kept.append("-")
            in_run = True
    return "".join(kept).strip("-")[:length]


def _utf16_units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]


def _dashed(units: list[int]) -> str:
    return "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)


def _base36(value: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def sha256_hex(text: str) -> str:
    """The SHA-256 of a text, as hex digits."""
    from hashlib import sha256  # two milliseconds, and not every process needs a key

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
