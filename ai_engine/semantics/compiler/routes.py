"""Which way leads from the rows being counted to a field of another dataset, and what to say about the choice."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.join_paths import (
    Path,
    choose,
    describe,
    linking_datasets,
    many_to_one_path,
    many_to_one_paths,
    other_way,
    path_between,
    paths_between,
    shared_parents,
    shares_a_parent,
    walk,
)
from ai_engine.semantics.wording import plural


def route(setting: Setting, start: str, end: str, via: Sequence[str] = (), subject: str | None = None) -> Path:
    """Return the walk from one dataset to another.

    The way that `via` names is walked and no other; rows that are further along take the rest of it, those at its end
    none. Without it, one on which every row meets at most one row; then one on which
    no two rows merely share a parent; otherwise the way through the things that the question is about, when there are
    any; otherwise the best way of all.

    Raises:
        IntentNotCovered: the two are not connected, or not by what `via` names.
        AmbiguousPath: several ways are equally good and none is preferred.
    """
    setting.dataset(end)
    if via:
        path = _asked(setting, start, end, via)
        note_shared_parent(setting, path)
        return path
    direct = _many_to_one(setting, start, end)
    if direct is not None:
        return direct
    paths = paths_between(setting.model, start, end)
    if not paths:
        raise IntentNotCovered(f"{start!r} and {end!r} are not linked")
    if subject is not None and subject not in (start, end) and shares_a_parent(paths[0]):
        first = many_to_one_path(setting.model, start, subject)
        if first:
            return first + route(setting, subject, end)
    path = choose(setting.model, paths)
    rows = linking_datasets(path)
    if len(paths) > 1 and rows:
        one, other, by = (plural(setting.dataset(name).label) for name in (start, end, rows[0]))
        setting.note(f"{one.capitalize()} and {other} are linked through {by}.")
    elif len(paths) > 1:
        _note_role(setting, path)
    note_shared_parent(setting, path)
    return path


def _asked(setting: Setting, start: str, end: str, via: Sequence[str]) -> Path:
    """Walk what is named, or of it what leads on from these rows: a loan has no account on the way to its customer."""
    named = walk(setting.model, start, via)
    if named and named[-1].target == end:
        return named
    if start == end:
        return ()
    found = [path for begin in range(len(via)) if (path := path_between(setting.model, start, end, via[begin:]))]
    if not found:
        raise IntentNotCovered(f"no way from {start!r} to {end!r} goes by {', '.join(via)}")
    return next((path for path in found if not shares_a_parent(path)), found[0])


def note_shared_parent(setting: Setting, path: Path) -> None:
    """Say by what rows were brought together that belong to the same one, and not to each other."""
    shared = [setting.dataset(name).label for name in shared_parents(path)]
    if shared and not linking_datasets(path):
        one, other = (plural(setting.dataset(name).label) for name in (path[0].source, path[-1].target))
        setting.note(f"{one.capitalize()} and {other} belong together where they have the same {' and '.join(shared)}.")


def _note_role(setting: Setting, path: Path) -> None:
    """Say whose rows were taken where several columns of theirs could tell it: "as payer", not as receiver."""
    roles = path[-1].relationship.synonyms
    if roles and not path[-1].to_one:
        rows, one = plural(setting.dataset(path[-1].target).label), setting.dataset(path[-1].source).label
        setting.note(f"{rows.capitalize()} of a {one} are those of which it is the {roles[0]}.")


def to_one(path: Path) -> bool:
    """Tell whether every row meets at most one row along a walk."""
    return all(step.to_one for step in path)


def _many_to_one(setting: Setting, start: str, end: str) -> Path | None:
    paths = many_to_one_paths(setting.model, start, end)
    if not paths:
        return None
    path = choose(setting.model, paths)
    if path:
        rival = next((other for other in paths if other != path), None) or other_way(setting.model, path)
        if rival is not None:
            label = setting.dataset(end).label
            ours, theirs = describe(setting.model, path), describe(setting.model, rival)
            setting.note(f"{label.capitalize()} means {ours}, not {theirs}.")
    return path
