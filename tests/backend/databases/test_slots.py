from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import DatabaseBusy, QueryStopped
from ai_engine.model_use import LOCAL
from backend.databases.slots import PersonBounds, Slots, Turns


def test_places_are_given_in_the_order_of_asking():
    slots, order = Slots(1, queue_size=10), []
    never = threading.Event()
    threads = []

    def ask(number):
        with slots.place(time.monotonic() + 30, never):
            order.append(number)

    with slots.place(time.monotonic() + 30, never):
        for number in range(5):
            threads.append(threading.Thread(target=ask, args=(number,)))
            threads[-1].start()
            while slots.waiting <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_a_full_queue_turns_the_next_one_away():
    slots = Slots(1, queue_size=0)
    never = threading.Event()
    with slots.place(time.monotonic() + 30, never), pytest.raises(DatabaseBusy, match="waiting already"):
        slots.place(time.monotonic() + 30, never).__enter__()


def test_a_place_comes_back_after_an_error_a_stop_and_a_deadline():
    slots = Slots(1, queue_size=10)
    never, stopped = threading.Event(), threading.Event()
    stopped.set()
    with pytest.raises(ZeroDivisionError), slots.place(time.monotonic() + 30, never):
        1 / 0  # noqa: B018
    with slots.place(time.monotonic() + 30, never):
        with pytest.raises(DatabaseBusy, match="deadline"), slots.place(time.monotonic() + 0.01, never):
            pass
        with pytest.raises(QueryStopped), slots.place(time.monotonic() + 30, stopped):
            pass
    with slots.place(time.monotonic(), never):
        pass


def test_many_threads_never_hold_more_places_than_there_are():
    slots = Slots(3, queue_size=1_000)
    never, lock = threading.Event(), threading.Lock()
    held, most = 0, 0

    def ask():
        nonlocal held, most
        for _ in range(20):
            with slots.place(time.monotonic() + 30, never):
                with lock:
                    held += 1
                    most = max(most, held)
                time.sleep(0.0005)
                with lock:
                    held -= 1

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (held, most) == (0, 3)


MOMENTS = st.lists(st.tuples(st.sampled_from(["asks", "ends", "leaves"]), st.integers(0, 3)), max_size=80)
"""A person of four asks; or, counted from the oldest, one that runs ends, or one that waits gives up."""
Taken = list[tuple[int, threading.Event]]


def played(turns: Turns, moments: list[tuple[str, int]]) -> Iterator[Taken]:
    """Yield who has a place after each moment; in the end everybody has had a turn."""
    waiting: Taken = []
    running: Taken = []
    for what, number in [*moments, *[("ends", 0)] * len(moments)]:
        if what == "asks":
            with suppress(DatabaseBusy):
                waiting.append((number, turns.join(f"person {number}")))
        elif among := (running if what == "ends" else waiting):
            person, turn = among.pop(number % len(among))
            turns.leave(f"person {person}", turn)
        begin_those_whose_turn_it_is(waiting, running)
        yield running
    assert (waiting, running, turns.waiting) == ([], [], 0)


def begin_those_whose_turn_it_is(waiting: Taken, running: Taken) -> list[int]:
    new = [one for one in waiting if one[1].is_set()]
    for one in new:
        waiting.remove(one)
        running.append(one)
    return [person for person, _ in new]


@given(MOMENTS, st.integers(1, 4), st.integers(1, 3) | st.none(), st.integers(1, 5))
def test_whoever_asks_and_ends_nobody_has_more_than_their_part_and_no_place_is_left_over(moments, count, most, queue):
    turns = Turns(count, 20, PersonBounds(queue, most))
    for running in played(turns, moments):
        mine = Counter(person for person, _ in running)
        assert len(running) <= count
        assert max(mine.values(), default=0) <= (most or count)
        assert len(running) == count or turns.waiting == 0 or most is not None


PEOPLE = st.lists(st.integers(1, 3), max_size=60)


@given(PEOPLE, PEOPLE, st.integers(0, 4), st.integers(1, 3))
def test_who_waits_behind_k_of_their_own_sees_at_most_k_and_one_of_anybody_else_begin(before, after, own, count):
    turns = Turns(count, 1_000)
    running = [(9, turns.join("person 9")) for _ in range(count)]
    waiting = [(person, turns.join(f"person {person}")) for person in [*before, *[0] * (own + 1)]]
    begun: Counter[int] = Counter()
    while begun[0] <= own:
        person, turn = running.pop(0)
        turns.leave(f"person {person}", turn)
        if after:  # others ask on all the while
            waiting.append((after[-1], turns.join(f"person {after.pop()}")))
        begun.update(begin_those_whose_turn_it_is(waiting, running))
    assert all(begun[person] <= own + 1 for person in (1, 2, 3))


def test_a_person_whose_part_of_the_queue_is_full_is_told_what_to_do_and_others_are_let_in():
    turns = Turns(1, 64, PersonBounds(waiting=2))
    for _ in range(3):
        turns.join("asha")
    with pytest.raises(DatabaseBusy) as busy:
        turns.join("asha")
    assert "Wait for some, or stop them" in busy.value.user_message
    turns.join("vikram")
    assert turns.waiting == 3


def test_where_nobody_says_who_asks_the_whole_queue_is_theirs():
    turns = Turns(2, 10, PersonBounds(waiting=1, running=1))
    assert [turns.join(LOCAL).is_set() for _ in range(12)] == [True] * 2 + [False] * 10
    with pytest.raises(DatabaseBusy):
        turns.join(LOCAL)
