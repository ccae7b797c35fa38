"""From a model's reply to a reading of the question: checked against vocabulary, compiler and the question's words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.llm.free_text import FreeText, free_text, leads_away
from ai_engine.llm.intent_check import settle_intent
from ai_engine.llm.left_out import LeftOut, left_out
from ai_engine.llm.own_labels import OwnLabels
from ai_engine.llm.replies import IntentReply
from ai_engine.llm.sound_intent import unsound_parts
from ai_engine.llm.told_of_data import says_nothing_of, unknown_figures
from ai_engine.llm.told_of_rows import tells_of_rows
from ai_engine.seen_text import seen
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.restatement import restate
from ai_engine.semantics.settled_periods import with_settled_periods
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation, Turn

_REPLY_CHARS = 1_000
_RESTATED_CHARS = 1_000
_LISTED = 6
_FEWEST_WORDS = 2
_FEWEST_CHOICES = 2
_OWN_FIGURES = "`{}` may tell no figure that the question has not, no name that the data has not, no address or markup"
_INVENTED = (
    "The answer told something that the catalogue does not say. Ask for the figure itself, or about tables and columns."
)
_NOT_IN_DATA = "This cannot be answered from the data."
_WHICH = "Which of these do you mean?"
_ASKED_BEFORE = (
    "the last turn asked back already and got no choice: read the question with its first choice, and say so in "
    "`assumptions`"
)
_ROWS_TOLD = "`about` says what is listed; what rows say (which, how many, more or less, all or none) is a `query`"
_UNFINISHED = "The data could not be searched to the end for the names and codes of the question."
_LOST = (
    "the intent has nothing for {} of the question: {}. Add it; where it is said already, quote the word in "
    "`assumptions`"
)
_TOO_MUCH = (
    "the intent says more than a person would read, more than {:,} characters; say it with fewer parts and values"
)
_UNSOUND = "the intent says what no statement would do: {}"
_CONTRADICTORY = (
    "The question was understood in a way that does not hold together, so it is not answered. Ask again in other "
    "words, one figure at a time."
)
_UNPLACED = "The question was understood without {}, so it is not answered. Ask again, saying this part another way."


@dataclass
class CheckedReading:
    """Judges the replies to one question, and knows what to do when the last of them has a fault too.

    Attributes:
        told: what the model was told of the words of the question.
    """

    question: str
    history: Sequence[Turn]
    vocabulary: Vocabulary
    found: FoundValues
    told: str = ""
    _reply: IntentReply | None = None
    _settled: Intent | None = None
    _lost: tuple[LeftOut, ...] = field(default=())
    _unsound: tuple[str, ...] = field(default=())

    def make(self, reply: IntentReply) -> Interpretation:
        """Return the reading.

        Raises:
            ValueError: a name does not exist, the compiler cannot say it, or a word was left out; says what to do.
        """
        is_first = self._reply is None
        self._reply, self._settled, self._lost, self._unsound = reply, None, (), ()
        said = self._free_text()
        read = _interpretation(reply, None)
        if reply.outcome == "query" and reply.intent is not None:
            settled = settle_intent(reply.intent.to_intent(), self.vocabulary, self.found.values)
            self._unsound = unsound_parts(settled, self.vocabulary)
            if self._unsound:
                raise ValueError(_UNSOUND.format("; ".join(self._unsound[:_LISTED])))
            self._settled = OwnLabels(said, self.vocabulary).of(settled)
            read = replace(read, intent=self._settled, restatement=self.question)
            read = self._plain(read)
            self._check(read, self._settled)
            restatement = restate(self._settled, self.vocabulary.model, self.vocabulary.as_of)
            if len(restatement) > _RESTATED_CHARS:
                self._settled = None
                raise ValueError(_TOO_MUCH.format(_RESTATED_CHARS))
            return replace(read, restatement=restatement)
        if is_first and reply.outcome == "clarify" and _was_asked(read.choices, self.history):
            raise ValueError(_ASKED_BEFORE)
        if is_first and reply.outcome == "about" and tells_of_rows(read.reply, self.question, self.vocabulary):
            raise ValueError(_ROWS_TOLD)
        return _without_inventions(self._plain(read), said)

    def instead(self) -> Interpretation | None:
        """Return what to make of a last reply that has a fault: SQL may say what the compiler cannot, nothing else."""
        reply = self._reply
        if reply is None or reply.outcome != "query" or not reply.restatement.strip():
            return None
        if self._unsound:
            return Interpretation("refused", one_line(self.question), reply=_CONTRADICTORY)
        if self._lost:
            words = tuple(one.word for one in self._lost)
            told = _UNPLACED.format(", ".join(f"“{word}”" for word in words))
            return Interpretation("refused", one_line(self.question), unplaced=words, reply=told)
        try:
            return self._plain(_interpretation(reply, self._settled))
        except ValueError:
            return None

    def _plain(self, read: Interpretation) -> Interpretation:
        """Drop what the gate does not let through; a follow-up cannot do without its restatement.

        Raises:
            ValueError: what is left is no reply.
        """
        said = self._free_text()
        if read.intent is not None:
            said = said.with_numbers_of(read.intent)
        restatement = read.restatement
        if not said.allows(restatement):
            if self.history and read.outcome == "query":
                raise ValueError(_OWN_FIGURES.format("restatement"))
            restatement = one_line(self.question)
        choices = self._known(said.items(read.choices))
        if read.outcome == "clarify" and len(choices) < _FEWEST_CHOICES:
            raise ValueError(_OWN_FIGURES.format("choices"))
        return replace(
            read,
            restatement=restatement,
            assumptions=(*said.assumptions(read.assumptions), *(() if self.found.complete else (_UNFINISHED,))),
            choices=choices,
            unplaced=self._known(said.items(read.unplaced)),
            suggestions=self._known(said.items(read.suggestions)),
        )

    def _known(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Keep those of several texts that name nothing but what the question, a turn or the data has."""
        said = self._free_text()
        return tuple(text for text in texts if not said.unknown_names(text))

    def _free_text(self) -> FreeText:
        return free_text(self.question, self.history, self.vocabulary, self.told)

    def _check(self, read: Interpretation, intent: Intent) -> None:
        lost = left_out(self.question, intent, self.vocabulary)
        self._lost = tuple(one for one in lost if not _is_said(one.word, read.assumptions))[:_LISTED]
        wrong = [_not_compiled(read, self.vocabulary)]
        if self._lost:
            words = ", ".join(repr(one.word) for one in self._lost)
            wrong.append(_LOST.format(words, "; ".join(f"{one.word!r} is {one.remedy}" for one in self._lost)))
        told = [one for one in wrong if one]
        if told:
            raise ValueError("; ".join(told))


def _was_asked(choices: Iterable[str], history: Sequence[Turn]) -> bool:
    """Tell whether the last turn offered one of these choices already."""
    return bool(history) and not {one.casefold() for one in history[-1].choices}.isdisjoint(map(str.casefold, choices))


def _is_said(word: str, assumptions: Iterable[str]) -> bool:
    return any(word.lower() in said.lower() for said in assumptions)


def _not_compiled(read: Interpretation, vocabulary: Vocabulary) -> str:
    """Say why an intent cannot be compiled and what would help; empty where it can."""
    intent = with_settled_periods(read, vocabulary).intent
    if intent is None:
        return ""
    try:
        compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    except AmbiguousPath as gap:
        ways = " or ".join(f"via {', '.join(way)}" for way in gap.alternatives)
        return f"the intent cannot be compiled: {gap}; write the field with its way, as {ways}"
    except IntentNotCovered as gap:
        return f"the intent cannot be compiled: {gap}; say it in another way, or leave `intent` out if there is none"
    return ""


def _interpretation(reply: IntentReply, intent: Intent | None) -> Interpretation:
    """Check that the outcome brings what it promises, and bring it into the engine's form."""
    restatement, told = one_line(reply.restatement), one_line(reply.reply or "")[:_REPLY_CHARS]
    choices = sentences(reply.choices)
    if reply.outcome == "query" and not restatement:
        raise ValueError("restatement is empty")
    if reply.outcome == "clarify" and len(choices) < _FEWEST_CHOICES:
        raise ValueError("clarify needs at least two choices")
    if reply.outcome in {"refused", "about"} and len(told.split()) < _FEWEST_WORDS:
        raise ValueError(f"{reply.outcome} needs a sentence in reply")
    return Interpretation(
        outcome=reply.outcome,
        restatement=restatement,
        intent=intent,
        assumptions=sentences(reply.assumptions),
        choices=choices if reply.outcome == "clarify" else (),
        unplaced=sentences(reply.unplaced) if reply.outcome == "refused" else (),
        suggestions=sentences(reply.suggestions),
        reply="" if reply.outcome == "query" else told or _WHICH,
    )


def _without_inventions(read: Interpretation, free: FreeText) -> Interpretation:
    """Refuse an answer about the data that tells a figure or a name that nothing has, or has markup or an address.

    Other replies with one of these are told in our words.
    """
    said, vocabulary = free.said, free.vocabulary
    unfit = leads_away(read.reply) or bool(unknown_figures(read.reply, said, vocabulary))
    unfit = unfit or tells_of_rows(read.reply, said[0], vocabulary)
    unfit = unfit or bool(free.unknown_names(read.reply))
    if read.outcome == "about":
        if not unfit and says_nothing_of(read.reply, said[0], vocabulary):
            raise ValueError(
                "about needs an answer in `reply` from what is listed; a figure that is asked for is a query"
            )
        return replace(read, outcome="refused", reply=_INVENTED) if unfit else read
    if read.outcome != "query" and unfit:
        return replace(read, reply=_WHICH if read.outcome == "clarify" else _NOT_IN_DATA)
    return read


def sentences(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Return what is said, each once, in one line each, and no more than a person would read."""
    lines = (one_line(text) for text in texts or ())
    return tuple(dict.fromkeys(line for line in lines if line))[:_LISTED]


def one_line(text: str) -> str:
    """Return a text as it is shown, without what nobody sees, line breaks and repeated blanks."""
    return " ".join(seen(text).split())
