"""The catalogue's screen."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from backend.catalogue.entries import entries, search
from pages.drawing.catalogue.diagram import MOST_BOXES, around, drawing


def table(name: str, *fields: Field, label: str = "") -> Dataset:
    return Dataset(name, name, fields, label or name)


def bank(tables: int) -> SemanticModel:
    datasets = tuple(table(f"t{at}") for at in range(tables))
    links = tuple(
        Relationship(f"l{at}", f"t{at}", ("k",), f"t{at // 3}", ("id",)) for at in range(1, tables)
    )  # fmt: skip
    return SemanticModel("bank", datasets, links)


def boxes(html: str) -> list[tuple[float, float]]:
    found = re.search(r"base64,([^\"]+)", html)
    assert found
    root = ElementTree.fromstring(base64.b64decode(found[1]))
    return [(float(one.attrib["x"]), float(one.attrib["y"])) for one in root.iter("{http://www.w3.org/2000/svg}rect")]


def test_no_two_tables_of_thirty_lie_over_each_other():
    model = bank(30)
    placed = boxes(drawing(model, around(model, None)))
    assert len(placed) == 30
    assert all(
        abs(one[0] - other[0]) >= 170 or abs(one[1] - other[1]) >= 34
        for at, one in enumerate(placed)
        for other in placed[:at]
    )


def test_of_a_thousand_tables_those_around_one_are_drawn():
    model = bank(1_000)
    shown = around(model, "t500")
    assert len(shown) == MOST_BOXES
    assert {"t500", "t166"} <= set(shown)


def test_a_circle_of_tables_is_drawn():
    links = (Relationship("a", "x", ("k",), "y", ("id",)), Relationship("b", "y", ("k",), "x", ("id",)))
    model = SemanticModel("bank", (table("x"), table("y")), links)
    assert len(boxes(drawing(model, ("x", "y")))) == 2


def test_names_of_tables_stay_text_in_the_drawing():
    model = SemanticModel("bank", (table("x", label="<script>&"),))
    assert len(boxes(drawing(model, ("x",)))) == 1


def test_a_search_finds_what_is_called_so_before_what_speaks_of_it():
    balance = Field("balance", "balance", "decimal", "measure", "balance", synonyms=("funds",))
    model = SemanticModel(
        "bank", (table("accounts", balance),),
        metrics=(Metric("deposits", "SUM(accounts.balance)", "deposits", "The balance of all accounts"),),
        glossary={"casa": "balance of current accounts"},
    )  # fmt: skip
    found = [(hit.kind, hit.name) for hit in search(entries(model), "balance", 10)]
    assert found == [("column", "balance"), ("word", "casa"), ("metric", "deposits")]
    assert [hit.name for hit in search(entries(model), "funds", 10)] == ["balance"]
    assert search(entries(model), "   ", 10) == []
