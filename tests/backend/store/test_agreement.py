from __future__ import annotations

import threading
from dataclasses import replace

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import StoreUnavailable
from backend.store import Store
from backend.store.agreement import KeptAgreement

CATALOGUE = Catalogue("sqlite", (Table("customers", (Column("id", "integer"),)),))


def kept(store: Store, **changes: object) -> KeptAgreement:
    parts = {"database": "bank", "catalogue": CATALOGUE, "min_percent": 75, "min_compared": 4, **changes}
    return KeptAgreement(lambda: store, **parts)


def test_the_rules_are_trusted_once_they_agreed_often_enough_and_no_longer_once_they_do_not(store: Store):
    agreement = kept(store)
    assert not agreement.trusted
    for agreed in (True, True, True):
        agreement.note(agreed=agreed)
    assert not agreement.trusted  # three comparisons say nothing
    agreement.note(agreed=False)
    assert agreement.trusted
    agreement.note(agreed=False)
    assert not agreement.trusted
    assert agreement.counted == (3, 5)


def test_another_process_knows_it_and_another_bank_or_another_schema_does_not(store: Store):
    for _ in range(4):
        kept(store).note(agreed=True)
    assert kept(store).trusted
    assert not kept(store, database="other").trusted
    later = replace(CATALOGUE, tables=(*CATALOGUE.tables, Table("loans", (Column("id", "integer"),))))
    assert not kept(store, catalogue=later).trusted


def test_threads_that_note_at_once_lose_nothing(store: Store):
    agreement = kept(store)
    threads = [threading.Thread(target=agreement.note, kwargs={"agreed": True}) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agreement.counted == (8, 8)


def test_a_store_that_is_away_trusts_nobody_and_fails_nothing():
    def away() -> Store:
        raise StoreUnavailable("away")

    agreement = KeptAgreement(away, "bank", CATALOGUE, 0, 1)
    agreement.note(agreed=True)
    assert not agreement.trusted
