"""Words that claim something of a result ("the total", "the highest", "only"), and whether it bears them out.

A claim for which there is no check here is none of the words that a summary may have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ai_engine.insight.changes import Way
from ai_engine.insight.checking import claim_words as said_as
from ai_engine.insight.checking import comparisons
from ai_engine.insight.checking.claim_words import CLAIMS
from ai_engine.insight.checking.counted import ROWS, TIMES
from ai_engine.insight.checking.ends import Ends, Said
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.told_text import ToldText
from ai_engine.insight.checking.ways import said_of, tells_a_part_of_a_run
from ai_engine.insight.figures import ResultRead
from ai_engine.semantics.words import stem, words

_ALL = 100


class Claims(Ends):
    """Holds the claims of a text to its result; `parts` are its words for a part, which are judged as figures."""

    def __init__(
        self, text: ToldText, of: ResultRead, parts: Sequence[Figure], is_known: Callable[[Figure], bool]
    ) -> None:
        super().__init__(text, of, is_known)
        self._things, self._parts = of.things, [(one.start, one.end) for one in parts]
        self._checks: dict[str, Callable[[Said], bool]] = {
            "total": self._is_aggregate, "average": self._is_aggregate, "median": self._is_aggregate,
            "highest": self._is_extreme, "lowest": self._is_extreme, "first": self._is_end, "last": self._is_end,
            "all": self._is_all, "only": self._is_only, "none": self._has_none,
            "same": self._is_same, "steady": self._is_steady,
            "more": self._is_beyond, "less": self._is_beyond, "moves": self._moves, "order": self._is_in_order,
            "per": self._is_of_rows, "as": self._is_no_verb, "other": self._has_others,
            "time": self._is_in_time, "between": self._is_a_gap, "on": self._is_no_step,
        }  # fmt: skip

    def not_borne_out(self) -> Iterator[str]:
        """Yield the claims that nothing bears out."""
        for sentence in self._text.sentences:
            for clause in sentence:
                for found in said_as.WORD.finditer(self._text.words, clause.start, clause.end):
                    kind = CLAIMS.get(found.group().lower())
                    said = Said(found.group().lower(), found.start(), found.end(), clause, sentence)
                    is_figure = any(start <= said.start < end for start, end in self._parts)
                    if kind and not is_figure and not self._checks[kind](said):
                        yield found.group()
        for way in ("rise", "fall"):
            yield from self._ways(way)
        yield from comparisons.other_places(self._text)
        yield from comparisons.rows_out_of_order(self._text)
        yield from comparisons.steps_that_went_otherwise(self._text, self._labels)
        yield from comparisons.changes_of_other_size(self._text, self._labels, self._changes)

    def _is_in_time(self, said: Said) -> bool:
        return bool(self._shape.times or self._changes.told or self._shape.is_compared()) or said.word in self._labels

    def _is_a_gap(self, said: Said) -> bool:
        """Tell whether "between" is said of a figure, or of steps in time, and not of where a row stands."""
        after = [one for clause in said.sentence for one in clause.mentions if one.start >= said.end]
        if after and after[0].column in self._shape.times:
            return True
        before = self._text.words[said.sentence[0].start : said.start]
        return said_as.A_GAP.search(before) is not None and said_as.STANDS.search(before) is None

    def _is_no_step(self, said: Said) -> bool:
        """Tell whether no "month-on-month" is said, which names no two steps."""
        return self._text.words[said.start - 1 : said.start] != "-" or "on" in self._labels.replace("-", " ").split()

    def _has_others(self, _: Said) -> bool:
        return self._shape.result.row_count > 1

    def _is_beyond(self, said: Said) -> bool:
        side = CLAIMS[said.word]
        if side == "more" and said_as.PASSIVE.match(self._text.words, said.end):
            side = "less"  # "Pune is exceeded by Mumbai"
        return said.word in self._labels.split() or self._is_set_against(said, side)

    def _moves(self, said: Said) -> bool:
        """Tell whether the result has an order in time, and moved by what is told of it."""
        figure = next((one for one in said.clause.figures if one.start >= said.end), None)
        if said.word in self._labels.split():
            return True
        if not (self._shape.times or self._changes.told or self._shape.is_compared()):
            return False
        between = "" if figure is None else self._text.words[said.end : figure.start]
        if figure is None or said_as.A_RANGE.search(between) or said_as.OF_AN_END.search(between):
            return True
        told = [one for way in figure.readings for one in way]
        ways: tuple[Way, ...] = ("rise", "fall")
        return any(self._changes.go_by(way, one) for way in ways for one in told)

    def _is_in_order(self, said: Said) -> bool:
        """Tell whether rows are named in the order of the result."""
        mentions = [one for clause in said.sentence for one in clause.mentions]
        rows = [min(one.rows) for one in mentions]
        return said.word in self._labels.split() or rows == sorted(rows)

    def _is_of_rows(self, said: Said) -> bool:
        """Tell whether "each" or "per" is said of what the rows are."""
        found = said_as.THING_AFTER.match(self._text.words, said.end)
        if found is None:
            return self._shape.result.row_count > 1
        shape = self._shape
        labels = [shape.columns[at].label for at in (*shape.times, *shape.groups, *shape.names)]
        rows = {stem(word) for label in labels for word in words(label)}
        known = rows | {"other"} | (ROWS if rows else frozenset[str]()) | (TIMES if shape.times else frozenset[str]())
        return stem(found["thing"].lower()) in known or f"per {found['thing']}".lower() in self._labels

    def _is_no_verb(self, said: Said) -> bool:
        """Tell whether "as" says of nothing that another has it too: "9,420, as has Delhi"."""
        return not said_as.ALSO.match(self._text.words, said.end)

    def _is_all(self, said: Said) -> bool:
        """Tell whether all are spoken of, or something is told of all that is so of each."""
        clause = self._text.words[said.clause.start : said.clause.end]
        ways: tuple[Way, ...] = ("rise", "fall")
        told = [way for way in ways if said_of(way, clause)]
        if told and not said.clause.figures:
            return comparisons.goes_steadily(self._changes, told)
        are_named = said.word == "each" and said.clause.rows and said_as.HAS_AFTER.match(self._text.words, said.end)
        if said.word in {"each", "every"} and not are_named and not self._is_of_rows(said):
            return False
        if self._is_of_what_was_counted(said):
            return False
        if said_as.ALL_OF.search(self._before(said)) or said_as.OF_THEM.match(self._text.words, said.end):
            return True
        others = set(said_as.WORD.findall(clause.lower())) - set(self._labels.split())
        others = {
            word
            for word in others
            if CLAIMS.get(word, "all") not in {"all", "same", "lowest", "more", "less", "as", "per", "other"}
        }
        return (
            not others
            and not told
            and comparisons.all_have(self._text, said.sentence[said.sentence.index(said.clause) :])
        )

    def _is_of_what_was_counted(self, said: Said) -> bool:
        """Tell whether something is said of all customers, of which only a number is known, and no share of 100%."""
        figures = [one for clause in said.sentence for one in clause.figures]
        is_share = any(
            one.kind == "percent" and one.value == _ALL for each in figures for way in each.readings for one in way
        )
        if is_share or said_as.ALL_OF.search(self._before(said)):
            return False
        found = said_as.THING_AFTER.match(self._text.words, said.end)
        if found is not None and stem(found["thing"].lower()) in self._things:
            return True
        told = said_as.OF_ALL_OF_THEM.search(f"{self._before(said)}{said.word}")
        return told is not None or said_as.OF_WHOM.match(self._text.words, said.end) is not None

    def _has_none(self, said: Said) -> bool:
        """Tell whether "no customers" is said of rows that have zero."""
        found = said_as.THING_AFTER.match(self._text.words, said.end)
        cells = [[self._shape.numbers(at)[row] for row in said.clause.rows] for at in self._shape.measures]
        is_thing = said.word == "no" and found is not None and stem(found["thing"].lower()) in self._things
        return is_thing and any(column and set(column) == {0} for column in cells)

    def _is_same(self, said: Said) -> bool:
        if said_as.SAME_TIME.match(self._text.words, said.end):
            return True
        sentence = self._text.words[said.sentence[0].start : said.sentence[-1].end].lower()
        of_all = any(CLAIMS.get(word) == "all" for word in said_as.WORD.findall(sentence)) and not said.rows
        return comparisons.are_level(self._shape, said.rows, all_rows=of_all)

    def _is_steady(self, said: Said) -> bool:
        sentence = self._text.words[said.sentence[0].start : said.sentence[-1].end]
        ways: tuple[Way, ...] = ("rise", "fall")
        return comparisons.goes_steadily(self._changes, [way for way in ways if said_of(way, sentence)])

    def _is_only(self, said: Said) -> bool:
        """Tell whether a figure is called small, or only one row has any."""
        if re.match(r"\W*(?:(?:about|around|rs|inr|a|some)\b\W*)*\u25a1", self._text.words[said.end :], re.IGNORECASE):
            mention = next((one for one in said.clause.mentions if one.start >= said.end), None)
            figure = next((one for one in self._text.figures if one.start >= said.end), None)
            if figure is not None and (mention is None or figure.start < mention.start):
                return True
        named = [one for one in said.clause.mentions if one.column is not None]
        if said.word == "alone" and named:
            return True
        return bool(named) and any(
            all(not self._shape.numbers(at)[row] for row in range(self._shape.result.row_count) if row not in said.rows)
            for at in self._columns()
        )

    def _ways(self, way: Way) -> Iterator[str]:
        """Yield words of a rise or a fall where nothing went that way, or nothing has an order in time."""
        in_time = bool(self._shape.times or self._changes.told or self._shape.is_compared())
        is_of_all = not self._text.figures and not tells_a_part_of_a_run(self._text.words)
        if not (in_time and self._changes.goes(way)) or (is_of_all and not self._changes.ends(way)):
            yield from (said for said in said_of(way, self._text.words) if said not in self._labels)
