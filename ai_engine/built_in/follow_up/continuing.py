"""Decides whether a question leans on the one before, and reads it so; a question that stands alone is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.follow_up.address import Address, address, may_point_back
from ai_engine.built_in.follow_up.both import united
from ai_engine.built_in.follow_up.dropping import ungrouped
from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.fragment import Fragment, Setting, Words, first_name
from ai_engine.built_in.follow_up.meant import (
    behind_a_figure,
    of_earlier_days,
    of_named_days,
    until_the_last_answer,
)
from ai_engine.built_in.follow_up.those_shown import said_of_those
from ai_engine.built_in.follow_up.together import together
from ai_engine.built_in.grammar.phrases import When
from ai_engine.built_in.grammar.turn import Turn
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading
from ai_engine.built_in.outcomes.rivals import Verdict, judge, restated, said_in_known_words
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem
from ai_engine.types import Turn as EarlierTurn

_LEAVING_OUT = frozenset({"without", "excluding", "except"})
_PREPOSITIONS = frozenset("for in at from of with without by per since between within among on".split())


@dataclass(frozen=True)
class Continued:
    """What a question means in its conversation.

    Attributes:
        verdict: its readings together with the question before; None when it stands alone.
        dangling: it refers to an earlier question, and there is none.
        goes_on_from: the question before, which was refused, where this leans on it and does not say it anew.
    """

    verdict: Verdict | None = None
    dangling: bool = False
    goes_on_from: str = ""


def continued(question: str, history: Sequence[EarlierTurn], alone: Verdict, knowledge: Knowledge) -> Continued:
    """Read a question in the light of the last one that was answered.

    Args:
        question: as typed.
        history: earlier turns, oldest first.
        alone: what the question comes to by itself.
        knowledge: the vocabulary.
    """
    question, history = of_named_days(question, history, knowledge)
    behind = behind_a_figure(question)
    if behind is not None and any(turn.intent is not None for turn in history):
        return _behind(*behind, history, knowledge)
    asked = said_of_those(question, knowledge)
    written = said_in_known_words(asked, knowledge)
    tokens = tokenise(written.question)
    answered = [turn.intent for turn in history if turn.intent is not None]
    earlier = answered[-1] if answered else None
    about = base_of_intent(earlier, knowledge) if earlier is not None else None
    noun = plural(knowledge.dataset(about).label) if about is not None else ""
    looked_at = may_point_back(tokens) and asked == question
    said = address(tokens, first_name(tokens, knowledge) if looked_at else len(tokens), noun)
    if said.has("both"):
        earlier = united(answered[-2:], knowledge)
        if earlier is None and answered:
            return Continued(Verdict(Reading(None, LEFT_OVER_COST, ("both",), (), ())))
    if said.has("earlier_days"):
        earlier = of_earlier_days(answered[-2:])
    if (
        said.has("back") and earlier is not None and not said.names_all
    ):  # the question before the last one, or that with what follows
        history = until_the_last_answer(history)
        earlier = answered[-2] if len(answered) > 1 else None
        about = base_of_intent(earlier, knowledge) if earlier is not None else None
    refused = bool(history) and history[-1].intent is None
    points = said.has("strong", "pronoun", "beside") or (
        said.has("only", "exclude") and (refused or not alone.distinct)
    )
    leans = said.has("strong", "only", "exclude", "beside", "pronoun") or not _LEAVING_OUT.isdisjoint(
        question.lower().split()[:1]
    )
    if earlier is None and (asked != question or (refused and leans and not said.opens_itself)):
        return Continued(dangling=True)  # it leans on what was not understood, or on nothing
    if (earlier is None or about is None) and alone.distinct and not points:
        return Continued()
    words = Words(said.rest, knowledge)
    best = _best(words, Setting(about))
    goes_on = said.leaves_noun_out and earlier is not None  # "how much via UPI": of what was asked before
    own = best is not None and not (goes_on and not best.things) and _own(best, earlier, knowledge)
    if about is not None and best is not None:
        own = own and not _are_values_of(best, about, knowledge)
    if earlier is None or about is None:
        shapes = best is not None and _only_shapes(best) and not said.opens_itself
        leaves_words = best is not None and bool(best.unplaced)
        points = points or (shapes and not alone.distinct)
        held = alone.is_answered and alone.distinct[0].intent is not None and alone.distinct[0].intent.compare
        return Continued(dangling=points and not (own or leaves_words or held))
    own = own or (best is not None and _asks_a_figure(said, best, about, alone, knowledge))
    own = own or (best is not None and _names_other_rows(said, best, about, alone, knowledge))
    if asked == question and _stands_alone(said, own, alone) and not _lifts_a_filter(earlier, said, words):
        return Continued()
    verdict = judge(_noting(written.assumptions, together(earlier, history, said, words, knowledge)), knowledge)
    if verdict.distinct and history[-1].outcome == "refused" and not _says_anew(question, history[-1].question):
        return Continued(verdict, goes_on_from=history[-1].question)
    if not verdict.distinct:
        leans = said.has("pronoun", "beside") or (said.has("strong") and not own)
        return Continued(verdict if leans else None)
    if own and alone.is_answered and not said.has("strong", "pronoun") and _may_be_new(said):
        return Continued(_either(verdict, alone, knowledge))
    return Continued(verdict)


def _says_anew(question: str, refused: str) -> bool:
    """Whether a question says some of a refused one in other words: "only Pune" after "just them of Pune"."""
    return not _telling(question).isdisjoint(_telling(refused))


def _telling(question: str) -> frozenset[str]:
    """The words of a question that name something, by their stems."""
    said = (token.word for token in tokenise(question) if token.kind != "mark")
    return frozenset(stem(word) for word in said if word not in cue_table().words)


def _behind(noun: str, which: str, history: Sequence[EarlierTurn], knowledge: Knowledge) -> Continued:
    """ "which customers are behind the Pune figure": which they are, of the rows in Pune alone."""
    only = continued(f"only {which}", history, Verdict(None), knowledge).verdict if which else None
    if only is not None and not only.is_answered:
        return Continued(only)
    earlier = only.distinct[0].intent if only else next(turn.intent for turn in reversed(history) if turn.intent)
    if earlier is None or earlier.limit is not None or earlier.having or earlier.over_groups:
        return Continued(Verdict(Reading(None, LEFT_OVER_COST, ("behind",), (), ())))
    plain = EarlierTurn(which, "", ungrouped(earlier))
    refused = history[-1].question if history[-1].outcome == "refused" else ""
    found = continued(f"which {noun} are these", (*history, plain), Verdict(None), knowledge)
    return replace(found, goes_on_from=refused)


def _own(best: Fragment, earlier: Intent | None, knowledge: Knowledge) -> bool:
    """Whether the question names what it is about: a thing, a figure or a field, not merely sorted or grouped by."""
    ranked = best.best
    if earlier is not None and (best.turn.each or best.turn.beside or _of_those_shown(best)):
        return False  # "with the number of accounts": beside what was asked before; "town of the first three" of it
    if ranked is not None and ranked.fig is not None and not ranked.fig.implied:
        return True
    if ranked is not None and earlier is not None and not (best.things or best.measures):
        return any(knowledge.field(named).role == "measure" for named in best.fields)  # "which region has most?"
    if earlier is not None and best.tokens[:1] and best.tokens[0].word in _PREPOSITIONS:
        return bool(best.measures)  # "for home loans", "in Pune branches"
    return bool(best.things or best.measures or best.fields)


def _are_values_of(best: Fragment, about: str, knowledge: Knowledge) -> bool:
    """ "narrowboats?" of lock passages: of those boats, and not the boats."""
    return best.is_of_values and all(knowledge.is_parent(about, thing.dataset) for thing in best.things)


def _of_those_shown(best: Fragment) -> bool:
    """ "town of the first three", "the advisers of the first three", but not "the first three advisers"."""
    last = [token.word for token in best.tokens if token.word not in _PREPOSITIONS][-2:]
    return best.turn.shown and (not best.things or "first" in last)


def _asks_a_figure(said: Address, best: Fragment, about: str, alone: Verdict, knowledge: Knowledge) -> bool:
    """ "how much was spent on travel?": a whole question, though it names no table and no figure.

    Of the rows that were asked about before it must ask an amount, and say which: "how many women?" goes on with them.
    """
    intent = alone.distinct[0].intent if alone.is_answered and said.leans <= {"everything"} else None
    if intent is None or said.leaves_noun_out:
        return False
    names = bool(best.aggregates or best.wishes)
    if base_of_intent(intent, knowledge) != about:
        return names or (said.opens_itself and best.best is None)  # not "which city has the most?"
    return said.opens_itself and names and "count" not in best.aggregates and bool(best.filters)


def _names_other_rows(said: Address, best: Fragment, about: str, alone: Verdict, knowledge: Knowledge) -> bool:
    """ "ATM withdrawals last month" below customers: a kind of rows called by its plural, its days and nothing else."""
    intent = alone.distinct[0].intent if alone.is_answered and not said.leans else None
    dated = best.period is not None or any(isinstance(part, When) for mod in best.turn.mods for part in mod.parts)
    if intent is None or best.unplaced or not dated or base_of_intent(intent, knowledge) == about:
        return False
    only_rows = best.turn == Turn(rows=best.turn.rows, mods=best.turn.mods) and bool(best.filters)
    return only_rows and any(token.word.endswith("s") for token in said.rest)


def _best(words: Words, setting: Setting) -> Fragment | None:
    return min(words.fragments(setting), key=_left_cost, default=None)


def _only_shapes(best: Fragment) -> bool:
    """ "by region", "top 5", "as a percentage": the shape of an answer, and nothing that is asked."""
    turn = best.turn
    shapes = Turn(groups=turn.groups, limit=turn.limit, best=turn.best, share=turn.share, transforms=turn.transforms)
    return not best.unplaced and turn == shapes != Turn()


def _left_cost(found: Fragment) -> float:
    return found.cost + LEFT_OVER_COST * len(found.unplaced)


def _stands_alone(said: Address, own: bool, alone: Verdict) -> bool:
    """A question with a subject of its own that nothing ties to the one before."""
    if not own or said.has("strong", "pronoun"):
        return False
    if said.has("soft") and not said.has("only", "deeper", "add") and alone.is_answered:
        intent = alone.distinct[0].intent
        if intent is not None and intent.measures and intent.dimensions:
            return True  # "now deposits by region" begins anew
    if said.has("soft") and not said.opens_itself:
        return False
    return alone.understood and not _may_be_new(said) if said.leans else True


def _lifts_a_filter(earlier: Intent, said: Address, words: Words) -> bool:
    """ "all cities" after "in Pune" takes the condition off; elsewhere it asks for the cities."""
    if not said.has("everything"):
        return False
    best = _best(words, Setting())
    if best is None:
        return False
    named = {(place.dataset, place.field) for place in best.fields}
    only_named = best.turn == Turn(fields=best.turn.fields)
    return only_named and any((place.dataset, place.field) in named for place in fields_of(earlier.filters))


def _may_be_new(said: Address) -> bool:
    """ "and how many customers are there?": a new question, or the same place and period as before?"""
    return said.opens_itself and said.has("soft")


def _either(together: Verdict, alone: Verdict, knowledge: Knowledge) -> Verdict:
    """Offer both where they differ; a question with conditions of its own is a new one."""
    first, second = together.distinct[0], alone.distinct[0]
    assert first.intent is not None and second.intent is not None  # noqa: S101 - distinct readings have one
    narrowed = second.intent.filters or second.intent.period or second.intent.dimensions
    if narrowed or restated(first, knowledge) == restated(second, knowledge):
        return alone
    return Verdict(first, understood=True, distinct=(first, second))


def _noting(notes: tuple[str, ...], found: list[Reading]) -> list[Reading]:
    return [replace(reading, assumptions=(*notes, *reading.assumptions)) for reading in found]
