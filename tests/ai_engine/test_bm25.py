from __future__ import annotations

from ai_engine.bm25 import Bm25, terms


def test_the_text_that_shares_the_rarer_words_comes_first():
    texts = ["total deposits by branch", "total deposits by state last month", "number of loans by branch"]
    scores = Bm25(texts).scores(terms("Which state has the most deposits?"))
    assert max(range(3), key=lambda place: scores[place]) == 1
    assert scores[2] == 0


def test_a_word_that_no_text_has_and_no_text_at_all_score_nothing():
    assert Bm25(["total deposits"]).scores(terms("frobnicate")) == [0]
    assert Bm25([]).scores(terms("deposits")) == []


def test_a_longer_text_counts_for_less():
    short, long = Bm25(["deposits", "deposits and very many other words about branches"]).scores(["deposit"])
    assert short > long > 0
