"""The ways from one dataset to another along the relationships of a vocabulary.

A step to the "one" side keeps one row per row and may be joined freely; a step to the "many" side multiplies rows.
Ways are ranked by what they do to a figure: only steps to "one" come first, then as few turns from "one" back to
"many" as possible (rows that merely share a parent), then as few steps as possible.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TypeAlias

from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.model import SemanticModel, Step

MAX_ALTERNATIVES = 8

Path: TypeAlias = tuple[Step, ...]
# dataset, whether the last step went to "one", how many names of `via` have been walked, the last relationship where
# `via` is given
_State: TypeAlias = tuple[str, bool, int, str]
_Cost: TypeAlias = tuple[int, int]


def many_to_one_path(model: SemanticModel, from_dataset: str, to_dataset: str, via: Sequence[str] = ()) -> Path | None:
    """Return the way on which every row meets at most one row, None where there is none.

    Args:
        model: the vocabulary.
        from_dataset: the many side.
        to_dataset: the one side; equal to `from_dataset` gives the empty way unless `via` asks for a walk.
        via: names of relationships that the way walks one after the other; the shortest way leads to the first of them
            and on from the last, never back along the one that was just walked.

    Raises:
        AmbiguousPath: several equally short ways, none of them preferred.
    """
    paths = many_to_one_paths(model, from_dataset, to_dataset, via)
    return choose(model, paths) if paths else None


def many_to_one_paths(
    model: SemanticModel, from_dataset: str, to_dataset: str, via: Sequence[str] = ()
) -> tuple[Path, ...]:
    """Return every equally short way on which each row meets at most one row."""
    return tuple(_best(model, from_dataset, to_dataset, tuple(via), to_many=False))


def paths_between(model: SemanticModel, start: str, end: str, via: Sequence[str] = ()) -> tuple[Path, ...]:
    """Return the equally good ways between two datasets, through relationships in both directions."""
    return many_to_one_paths(model, start, end, via) or tuple(_best(model, start, end, tuple(via), to_many=True))


def path_between(model: SemanticModel, start: str, end: str, via: Sequence[str] = ()) -> Path | None:
    """Return the best way between two datasets, None where they are not connected.

    Raises:
        AmbiguousPath: several equally good ways, none of them preferred.
    """
    paths = paths_between(model, start, end, via)
    return choose(model, paths) if paths else None


def walk(model: SemanticModel, start: str, via: Sequence[str]) -> Path | None:
    """Return the way of these relationships and nothing else, None where they do not follow each other."""
    path: list[Step] = []
    for name in via:
        here = path[-1].target if path else start
        step = next((step for step in model.steps_of(here) if step.relationship.name == name), None)
        if step is None:
            return None
        path.append(step)
    return tuple(path)


def choose(model: SemanticModel, paths: Sequence[Path]) -> Path:
    """Return the only way, or the one with the most preferred relationships, or with the most linking tables.

    Raises:
        AmbiguousPath: no single way has the most.
    """
    ranked = sorted(paths, key=_strength, reverse=True)
    if len(ranked) > 1 and _strength(ranked[0]) == _strength(ranked[1]):
        start, end = paths[0][0].source, paths[0][-1].target
        words = tuple(describe(model, path) for path in paths)
        raise AmbiguousPath(
            f"{start} and {end} are linked in several ways: {'; '.join(words)}",
            tuple(tuple(step.relationship.name for step in path) for path in paths),
            words,
        )
    return ranked[0]


def other_way(model: SemanticModel, path: Path) -> Path | None:
    """Return the shortest many-to-one way to the same end that does not arrive by the same relationship."""
    if not path:
        return None
    barred = path[-1].relationship.name
    found = _best(model, path[0].source, path[-1].target, (), to_many=False, barred=barred)
    return next(iter(found), None)


def distances(model: SemanticModel, *starts: str, to_many: bool = True) -> Mapping[str, int]:
    """Return the number of steps to every dataset from the nearest start, the starts included.

    Without `to_many` only those are connected of which each row meets at most one row.
    """
    known = dict.fromkeys(starts, 0)
    frontier = list(starts)
    while frontier:
        following: list[str] = []
        for name in frontier:
            for step in model.steps_of(name):
                if (to_many or step.to_one) and step.target not in known:
                    known[step.target] = known[name] + 1
                    following.append(step.target)
        frontier = following
    return known


class Reach:
    """Which datasets are connected and how closely; walked from each start when it is first asked about."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._walked: dict[tuple[str, bool], Mapping[str, int]] = {}
        self._ways: dict[tuple[str, str], tuple[Path, ...]] = {}

    def steps(self, start: str, end: str, *, to_many: bool = True) -> int | None:
        """Return the relationships to walk, None when there is no way; `to_many` as in `distances`."""
        walked = self._walked.get((start, to_many))
        if walked is None:
            walked = self._walked[start, to_many] = distances(self._model, start, to_many=to_many)
        return walked.get(end)

    def ways(self, start: str, end: str) -> tuple[Path, ...]:
        """Return what `paths_between` does, worked out once for each pair."""
        found = self._ways.get((start, end))
        if found is None:
            found = self._ways[start, end] = paths_between(self._model, start, end)
        return found


def describe(model: SemanticModel, path: Path) -> str:
    """Say a way in words: "the account's customer's home branch"."""
    if not path:
        return "its own"
    words = [f"the {model.dataset(path[0].source).label}"]
    words += [model.dataset(step.target).label for step in path[:-1]]
    last = path[-1]
    label = model.dataset(last.target).label
    role = last.relationship.synonyms[0] if last.relationship.synonyms else ""
    role = role.removeprefix(f"{model.dataset(last.source).label} ")
    words.append(label if not role or role in label else role if label in role.split() else f"{role} {label}")
    return "'s ".join(words)


def shares_a_parent(path: Path) -> bool:
    """Tell whether a way goes up to one row and down again to the many that belong to it."""
    return bool(shared_parents(path))


def shared_parents(path: Path) -> tuple[str, ...]:
    """Return the datasets on a way to whose one row it goes up, and from which it goes down again to many."""
    return tuple(here.target for here, following in pairwise(path) if here.to_one and not following.to_one)


def linking_datasets(path: Path) -> tuple[str, ...]:
    """Return the datasets on a way whose rows each name one row before and one after: clients and accounts."""
    return tuple(here.target for here, following in pairwise(path) if not here.to_one and following.to_one)


def _strength(path: Path) -> tuple[int, int]:
    """Rows that a linking table names together belong together more than rows that share a parent."""
    return sum(step.relationship.preferred for step in path), len(linking_datasets(path))


def _best(
    model: SemanticModel, start: str, end: str, via: tuple[str, ...], *, to_many: bool, barred: str = ""
) -> list[Path]:
    """Return the cheapest ways, at most MAX_ALTERNATIVES of them."""
    first: _State = (start, False, 0, "")
    costs: dict[_State, _Cost] = {first: (0, 0)}
    arrivals: dict[_State, list[tuple[_State, Step]]] = {first: []}
    queue: list[tuple[_Cost, _State]] = [((0, 0), first)]
    found: list[_State] = []
    while queue:
        cost, state = heapq.heappop(queue)
        if cost > costs[state]:
            continue
        if found and cost > costs[found[0]]:
            break
        dataset, went_to_one, walked, last = state
        if dataset == end and walked == len(via):
            if state not in found:
                found.append(state)
            continue
        for step in model.steps_of(dataset):
            name = step.relationship.name
            if name == barred or not (to_many or step.to_one):
                continue
            asked = walked < len(via) and via[walked] == name
            if not asked and (0 < walked < len(via) or (name == last and step.to_one != went_to_one)):
                continue
            turns = int(went_to_one and not step.to_one)
            following: _State = (step.target, step.to_one, walked + asked, name if via else "")
            price = (cost[0] + turns, cost[1] + 1)
            if following not in costs or price < costs[following]:
                costs[following] = price
                arrivals[following] = [(state, step)]
                heapq.heappush(queue, (price, following))
            elif price == costs[following]:
                arrivals[following].append((state, step))
    paths = (path for state in found for path in _walk_back(arrivals, state))
    return list(islice(paths, MAX_ALTERNATIVES))


def _walk_back(arrivals: Mapping[_State, list[tuple[_State, Step]]], end: _State) -> Iterator[Path]:
    """Yield every way to a state; by a stack of its own, because a way may be longer than Python recurses."""
    open_ends: list[tuple[_State, tuple[Step, ...]]] = [(end, ())]
    while open_ends:
        state, backwards = open_ends.pop()
        if not arrivals[state]:
            yield backwards[::-1]
        open_ends += [(before, (*backwards, step)) for before, step in reversed(arrivals[state])]
