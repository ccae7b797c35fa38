from __future__ import annotations

import threading
import time

import pytest

from ai_engine.errors import DatabaseBusy, QueryStopped
from backend.databases.slots import Slots


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
            while len(slots._waiting) <= number:
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
