"""A person's look at what waits: files of a team that no model sees until somebody has accepted them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reverie import errors
from reverie.core import redact
from reverie.core.team import SCOPE, Known, Waiting
from reverie.flows import team_trust
from reverie.storage import files

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.place import Place
    from reverie.flows.space import Space


def waiting_in(mount: Mount, known: Mapping[tuple[str, str], Known], data: Mapping[str, bytes]) -> tuple[Waiting, ...]:
    """Those of these files that wait, with what they say, credentials masked."""
    found = []
    for path, bytes_ in sorted(data.items()):
        judged = team_trust.judge(known, path, bytes_)
        if judged.verdict not in ("clean", "accepted", "rejected"):
            found.append(Waiting(
                id=f"{mount.label}/{path}", path=path, reason=judged.reason, author=judged.author, commit=judged.commit,
                committed_at=judged.committed_at, text=redact.redact(bytes_.decode("utf-8", "replace")).text,
            ))
    return tuple(found)


def waiting(space: Space, place: Place) -> tuple[Waiting, ...]:
    """All that waits in the checkout around a place."""
    mount = space.target(place, SCOPE)
    return waiting_in(mount, space.home.team.known(f"{space.design.name}/{mount.label}"), _files(space, mount))


def decide(space: Space, place: Place, id: str, *, accept: bool) -> Waiting:
    """Accept a file as it is now, or reject it; it is shown to models, or to nobody. Raises ``NotFound``, ``SecretRefused``."""
    mount = space.target(place, SCOPE)
    data = _files(space, mount)
    path = next((path for path in data if id in (path, f"{mount.label}/{path}", path.removesuffix(".md"))), "")
    if not path:
        raise errors.NotFound(f"the team's folder has no memory file {id!r}; `reverie sync --review` lists what waits")
    label = f"{space.design.name}/{mount.label}"
    judged = team_trust.judge(space.home.team.known(label), path, data[path])
    if accept and team_trust.suspect(path, data[path]) == "secret":
        raise errors.SecretRefused(f"{path} holds what looks like a credential, and stays hidden. Take it out of the file, and "
                                   "out of the history; the credential itself is no secret any more.")
    verdict = "accepted" if accept else "rejected"
    space.home.team.keep(label, {(path, team_trust.digest(data[path])): Known(verdict=verdict)})
    space.look_again(mount)
    return Waiting(id=f"{mount.label}/{path}", path=path, reason=judged.reason, author=judged.author, commit=judged.commit,
                   committed_at=judged.committed_at)


def _files(space: Space, mount: Mount) -> dict[str, bytes]:
    layout = space.store(mount).layout
    scan = files.scan(mount.folder)
    found = {
        path: files.read(f"{mount.folder}/{path}", root=mount.folder) for path in scan.files
        if layout.is_memory_path(path) and path not in scan.links
    }
    return {path: data for path, data in found.items() if isinstance(data, bytes)}
