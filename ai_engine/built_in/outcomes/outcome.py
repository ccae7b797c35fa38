"""Which of the four outcomes a question has: answered, a question back, refused, or about the data itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.follow_up import Continued, continued
from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import Reading
from ai_engine.built_in.outcomes.about import about_the_data
from ai_engine.built_in.outcomes.by_what import ranked_by_something
from ai_engine.built_in.outcomes.choosing import chosen_place, place_named
from ai_engine.built_in.outcomes.kept_back import field_reply, key_reply, number_reply, sensitive_field, sensitive_key
from ai_engine.built_in.outcomes.left_open import said_of_unplaced
from ai_engine.built_in.outcomes.refusals import Refusal, refuse_outright
from ai_engine.built_in.outcomes.rivals import Verdict, judge_alone, restated
from ai_engine.built_in.outcomes.small_talk import small_talk
from ai_engine.built_in.outcomes.stored_counts import beside_stored_counts
from ai_engine.built_in.outcomes.suggestions import near_questions
from ai_engine.built_in.outcomes.whole_years import finer_than_kept, years_only_reply
from ai_engine.built_in.time_words.named_periods import either_way
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.calendar_days import spell, written_day
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.restatement import measure_label
from ai_engine.semantics.wording import enumerated
from ai_engine.types import Interpretation, Turn

_MOST_CHOICES = 4
_SEVERAL = 2
_MOST_QUESTIONS_BACK = 3
_JOINING = frozenset(
    "how much many what which who whose that and or by with as per all both each one not to from did do does".split()
)  # words that are known and hold others together
_LONGEST_QUOTE_CHARS = 60
_NO_CHOICE = "Nothing was offered that “{said}” could choose from; name what you mean."
_CHOOSE_FIRST = "The question before can be read in more than one way; choose what it means first."
_NOTHING_BEFORE = (
    "This refers to an earlier question, and there is none in this conversation; ask it with all it needs."
)

_AFTER_A_REFUSAL = "“{said}” was not understood, so it is open what this goes on from; ask it with all it needs."


def decide(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Interpretation:
    """Read a question in the light of the turns before it, and decide what becomes of it."""
    talk = small_talk(question, knowledge)
    if talk is not None:
        return talk
    chosen = _chosen(question, history, knowledge)
    offered = _offered(history, knowledge) if chosen is None else ()
    place = chosen_place(question, _named_by(offered, knowledge)) if offered else None
    if place is not None:
        chosen = offered[place]
    if chosen is not None:
        return _query(chosen, knowledge)
    continues = any(turn.intent is not None for turn in history)
    refusal = refuse_outright(question, knowledge, may_edit=continues)
    if refusal is not None:
        return _refused_outright(refusal, knowledge)
    about = about_the_data(question, knowledge)
    if about is not None:
        return about
    if place_named(question) is not None:
        return _refused_outright(Refusal(_NO_CHOICE.format(said=question.strip())), knowledge)
    if offered and _says_nothing_alone(_in_conversation(question, (), knowledge)):
        choices = _choices(offered, knowledge)
        return Interpretation(outcome="refused", restatement="", suggestions=choices, reply=_CHOOSE_FIRST)
    found = _in_conversation(question, history, knowledge)
    if found.dangling:
        return _refused_outright(Refusal(_NOTHING_BEFORE), knowledge)
    if found.goes_on_from:
        return _refused_outright(Refusal(_AFTER_A_REFUSAL.format(said=_shortened(found.goes_on_from))), knowledge)
    assert found.verdict is not None  # noqa: S101 - only a dangling question has none
    return _told(question, _as_chosen_before(found.verdict, history, knowledge), knowledge)


def _in_conversation(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Continued:
    """The verdict on a question, put together with what stands before where it leans on that."""
    alone = judge_alone(question, knowledge)
    found = continued(question, history, alone, knowledge)
    if found.verdict is not None:
        return found
    ranked = ranked_by_something(question, alone, knowledge)
    if found.dangling and ranked == alone:
        return found
    return Continued(beside_stored_counts(ranked, knowledge))


def _offered(history: Sequence[Turn], knowledge: Knowledge) -> tuple[Reading, ...]:
    """The readings asked back about, whatever was refused since; none where a question was answered."""
    while history and history[-1].outcome == "refused":
        history = history[:-1]
    if not history or history[-1].intent is not None:
        return ()
    question = history[-1].question
    if small_talk(question, knowledge) or refuse_outright(question, knowledge, may_edit=True):
        return ()
    if about_the_data(question, knowledge) is not None:
        return ()
    verdict = _in_conversation(question, history[:-1], knowledge).verdict
    shown = _shown(verdict, knowledge) if verdict is not None else ()
    return shown if len(shown) >= _SEVERAL else ()


def _says_nothing_alone(found: Continued) -> bool:
    """Whether a question needs another before it: its words are known, and they ask nothing."""
    verdict = found.verdict
    return verdict is None or not (verdict.distinct or verdict.best is None or verdict.best.unplaced)


def _shown(verdict: Verdict, knowledge: Knowledge) -> tuple[Reading, ...]:
    """The readings that may be told, as many as a person compares."""
    return tuple(reading for reading in verdict.distinct if not _kept_back(reading, knowledge))[:_MOST_CHOICES]


def _choices(offered: Sequence[Reading], knowledge: Knowledge) -> tuple[str, ...]:
    return tuple(restated(reading, knowledge) for reading in offered)


def _named_by(offered: Sequence[Reading], knowledge: Knowledge) -> tuple[str, ...]:
    """The choices, each with the name of the rows it is about."""
    bases = (base_of_intent(reading.intent, knowledge) for reading in offered if reading.intent is not None)
    labels = (knowledge.dataset(base).label if base is not None else "" for base in bases)
    return tuple(f"{said} {label}" for said, label in zip(_choices(offered, knowledge), labels, strict=True))


def _chosen(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Reading | None:
    """The reading whose restatement was sent back as the answer to a question back.

    A turn without a structured question may have been one: its readings are worked out again and compared.
    """
    wanted = _folded(question)
    asked_back = [place for place, turn in enumerate(history) if turn.intent is None and turn.outcome != "refused"]
    for place in reversed(asked_back[-_MOST_QUESTIONS_BACK:]):
        earlier = history[place].question
        if _folded(earlier) == wanted and place < len(history) - 1:
            continue  # the same question again, not the button of that name
        if small_talk(earlier, knowledge) or refuse_outright(earlier, knowledge, may_edit=True):
            continue
        verdict = _in_conversation(earlier, history[:place], knowledge).verdict
        for reading in verdict.distinct if verdict is not None else ():
            if _folded(restated(reading, knowledge)) == wanted:
                return reading
    return None


def _as_chosen_before(verdict: Verdict, history: Sequence[Turn], knowledge: Knowledge) -> Verdict:
    """Where the same choice was made earlier in the conversation, it holds."""
    if len(verdict.distinct) < _SEVERAL:
        return verdict
    made = {_folded(turn.restatement) for turn in history if _folded(turn.question) == _folded(turn.restatement)}
    for reading in verdict.distinct:
        if _folded(restated(reading, knowledge)) in made:
            assumptions = (*reading.assumptions, "Read as you chose earlier.")
            return replace(verdict, distinct=(replace(reading, assumptions=assumptions),))
    return verdict


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _told(question: str, verdict: Verdict, knowledge: Knowledge) -> Interpretation:
    """Say what the readings came to."""
    best = verdict.best
    if best is None or not verdict.understood:
        return _not_understood(question, best, knowledge)
    if not verdict.distinct:
        return _not_covered(question, best, knowledge)
    shown = _shown(verdict, knowledge)
    if not shown:
        return _refused_outright(Refusal(_kept_back(verdict.distinct[0], knowledge)), knowledge)
    if len(shown) < _SEVERAL:
        return _with_day_first(question, _query(shown[0], knowledge))
    return Interpretation(
        outcome="clarify",
        restatement="",
        choices=_choices(shown, knowledge),
        reply="This can be read in more than one way, with different results. Which one do you mean?",
        meanings=shown[0].meanings,
    )


def _with_day_first(question: str, found: Interpretation) -> Interpretation:
    """Say how a date was read that would be another day with its month first."""
    unclear = either_way(tokenise(question))
    day = written_day(unclear.text) if unclear is not None else None
    if unclear is None or day is None:
        return found
    return replace(found, assumptions=(*found.assumptions, f"“{unclear.text}” is {spell(day)}: the day stands first."))


def _query(reading: Reading, knowledge: Knowledge) -> Interpretation:
    return Interpretation(
        outcome="query",
        restatement=restated(reading, knowledge),
        intent=reading.intent,
        assumptions=reading.assumptions,
        meanings=reading.meanings,
    )


def _kept_back(reading: Reading, knowledge: Knowledge) -> str:
    """Why a reading may not be answered: what it shows or joins by is sensitive; "" for others."""
    assert reading.intent is not None  # noqa: S101 - only complete readings are distinct
    shown = sensitive_field(reading.intent, knowledge)
    if shown is not None:
        return field_reply(shown, knowledge)
    joined = sensitive_key(reading.intent, knowledge)
    return key_reply(joined, knowledge) if joined is not None else ""


def _refused_outright(refusal: Refusal, knowledge: Knowledge) -> Interpretation:
    return Interpretation(
        outcome="refused",
        restatement="",
        suggestions=near_questions(refusal.remainder, (), knowledge),
        reply=refusal.reply,
    )


def _not_covered(question: str, best: Reading, knowledge: Knowledge) -> Interpretation:
    """Understood, but not to be said in one statement."""
    if best.intent is not None and best.intent.compare is not None and date_of(best.intent, knowledge.model) is None:
        figures = enumerated([measure_label(item, knowledge.model) for item in best.intent.measures])
        now_only = f"{figures}: this is known as of now only, so it cannot be held against an earlier period."
        return _refused_outright(Refusal(now_only), knowledge)
    understood = restated(best, knowledge)
    dated = finer_than_kept(best.intent, knowledge) if best.intent is not None else None
    if dated is not None:
        return _refused_outright(Refusal(years_only_reply(dated, knowledge)), knowledge)
    return Interpretation(
        outcome="refused",
        restatement="",
        suggestions=near_questions(question, (), knowledge),
        reply=f"I understood “{understood}”, but cannot compute that yet. Try asking for one part of it.",
        meanings=best.meanings,
    )


def _not_understood(question: str, best: Reading | None, knowledge: Knowledge) -> Interpretation:
    unplaced = best.unplaced if best is not None else (question,)
    typed, left_open = said_of_unplaced(question, unplaced)
    quoted = ", ".join(f"“{words}”" for words in typed)
    nearest = list(dict.fromkeys(name for words in unplaced for name in knowledge.lexicon.nearest(words)))
    hint = f" The nearest things that exist: {', '.join(nearest[:4])}." if nearest else ""
    hint += number_reply(question, unplaced, knowledge)
    open_ends = "; ".join(left_open)
    if quoted or not open_ends:
        said = quoted or f"what “{_shortened(question)}” asks"
        reply = f"I did not understand {'; '.join((said, *left_open))}."
        if quoted and not left_open and _JOINING.issuperset(" ".join(typed).lower().split()):
            reply = f"I could not fit {quoted} in with the rest. Ask for one figure or one list at a time."
    else:
        reply = f"{open_ends[:1].upper()}{open_ends[1:]}."
    return Interpretation(
        outcome="refused",
        restatement="",
        unplaced=unplaced,
        suggestions=near_questions(question, unplaced, knowledge, best.intent if best is not None else None),
        reply=f"{reply}{hint}",
        meanings=best.meanings if best is not None else (),
    )


def _shortened(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _LONGEST_QUOTE_CHARS else f"{folded[:_LONGEST_QUOTE_CHARS]}…"
