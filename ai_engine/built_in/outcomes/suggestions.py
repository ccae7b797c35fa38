"""Questions that can be answered, offered where one could not; each was read before it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.kept_back import sensitive_field, sensitive_key
from ai_engine.built_in.outcomes.refusals import refuse_outright
from ai_engine.built_in.outcomes.rivals import judge_alone
from ai_engine.built_in.tokens import Token, tokenise
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.restatement import measure_label, plural, restate
from ai_engine.semantics.words import stem, words

_MOST = 4
_MOST_NEAR = 3
_MOST_TRIED = 8
_MOST_EXAMPLES = 6
_LONGEST_EXAMPLE_CHARS = 80
_KEPT_VOCABULARIES = 8
_HANGING = frozenset(
    "in of on by from for with to at since during the a an and or per between through via against about as each their"
    " our its is are who that which where when not than over under like using , ; . : & - + /".split()
)
_FEWEST_WORDS = 2
_ASKING = frozenset("how what which who whose when where".split())
_EMPTY = frozenset(
    stem(word) for word in (*_HANGING, *"what how many much show list give me tell number total there all bank".split())
)
_BEFORE_A_MARK = re.compile(r"\s+(?=[,;.?!:%])")


def near_questions(
    question: str, unplaced: Sequence[str], knowledge: Knowledge, understood: Intent | None = None
) -> tuple[str, ...]:
    """What was understood of a question without the rest, then with the nearest names in its place, then examples.

    Examples are offered that share a word with the question, and others only where nothing does.

    Args:
        question: as it was asked.
        unplaced: the words of it that could not be placed.
        knowledge: the vocabulary.
        understood: what the other words come to.
    """
    tried = islice(dict.fromkeys(_repaired(question, unplaced, knowledge)), _MOST_TRIED)
    near = list(islice((text for text in tried if _says_what_it_asks(text, knowledge)), _MOST_NEAR))
    if understood is not None and understood.measures and len(near) < _MOST_NEAR:
        said = restate(understood, knowledge.model, knowledge.as_of)
        near += [said] if len(said) <= _LONGEST_EXAMPLE_CHARS and is_answered(said, knowledge) else []
    own = {stem(word) for word in words(question)} - _EMPTY
    examples = example_questions(knowledge)
    kindred = [text for text in examples if own & {stem(word) for word in words(text)}]
    return tuple(dict.fromkeys((*near, *(kindred or () if near else kindred or examples))))[:_MOST]


def example_questions(knowledge: Knowledge) -> tuple[str, ...]:
    """Questions for an empty page: those that people verified, then counts and figures by the vocabulary's names."""
    return _examples(_SameVocabulary(knowledge))


def is_answered(question: str, knowledge: Knowledge) -> bool:
    """Tell whether a question standing alone gets an answer rather than a refusal or a question back."""
    return _answered_intent(question, knowledge) is not None


def _answered_intent(question: str, knowledge: Knowledge) -> Intent | None:
    if not question or refuse_outright(question, knowledge) is not None:
        return None
    verdict = judge_alone(question, knowledge)
    intent = verdict.distinct[0].intent if verdict.is_answered else None
    if intent is None or sensitive_field(intent, knowledge) is not None:
        return None
    return intent if sensitive_key(intent, knowledge) is None else None


def _says_what_it_asks(question: str, knowledge: Knowledge) -> bool:
    """Tell whether what is left of a question is answered, and names what it asks: "What in Mumbai?" does not."""
    intent = _answered_intent(question, knowledge)
    if intent is None:
        return False
    asked = [measure_label(item, knowledge.model) for item in intent.measures]
    if not asked and intent.subject is not None:
        asked = [knowledge.dataset(intent.subject).label]
    said = {stem(word) for word in words(question)}
    return any(said & {stem(word) for word in words(label)} - _EMPTY for label in asked)


@dataclass(frozen=True, eq=False)
class _SameVocabulary:
    """Equal for the same object of a vocabulary: what is worth offering is found out once for each."""

    knowledge: Knowledge

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameVocabulary) and other.knowledge.vocabulary is self.knowledge.vocabulary

    def __hash__(self) -> int:
        return id(self.knowledge.vocabulary)


@lru_cache(maxsize=_KEPT_VOCABULARIES)
def _examples(known: _SameVocabulary) -> tuple[str, ...]:
    knowledge = known.knowledge
    candidates = islice(dict.fromkeys(_candidates(knowledge)), 4 * _MOST_EXAMPLES)
    return tuple(islice((text for text in candidates if is_answered(text, knowledge)), _MOST_EXAMPLES))


def _candidates(knowledge: Knowledge) -> Iterator[str]:
    for verified in knowledge.model.verified_questions:
        if len(verified.question) <= _LONGEST_EXAMPLE_CHARS:
            yield verified.question
    for metric in knowledge.model.metrics[:2]:
        yield f"What is the {metric.label}?"
    for dataset in knowledge.model.datasets:
        yield from _about_one_table(dataset)


def _about_one_table(dataset: Dataset) -> Iterator[str]:
    shown = [item for item in dataset.fields if not item.sensitive]
    category = next((item for item in shown if item.role in {"category", "flag"}), None)
    measure = next((item for item in shown if item.role == "measure"), None)
    rows = plural(dataset.label)
    yield f"How many {rows} are there by {category.label}?" if category else f"How many {rows} are there?"
    if measure is not None:
        figure = f"{'Average' if measure.default_aggregate == 'avg' else 'Total'} {measure.label}"
        yield f"{figure} by {category.label}" if category else f"{figure} of {rows}"


def _repaired(question: str, unplaced: Sequence[str], knowledge: Knowledge) -> Iterator[str]:
    """The question without the words in the way, and with each replaced by what is spelled most like it."""
    tokens = tokenise(question)
    strange = [place for words in unplaced if (place := _place(tokens, words))]
    if not strange:
        return
    yield from _replacements(tokens, strange, knowledge)
    if any(end < len(tokens) and tokens[end].word == "of" for _, end in strange):
        return  # the "churn of customers" without its churn asks nothing
    if any(tokens[begin].word in _ASKING for begin, _ in strange):
        return  # nor does "how much did we spend" without "how much"
    left = list(tokens)
    for begin, end in sorted(set(strange), reverse=True):
        start = min(begin, len(left))  # two of them may share words
        modifies = end < len(left) and left[end].word not in _HANGING
        del left[start if modifies else _without_hanging(left, start) : end]
    if len(left) > _FEWEST_WORDS or not _ASKING.intersection(token.word for token in left[:1]):
        yield _written(left)


def _without_hanging(tokens: Sequence[Token], end: int) -> int:
    """Where the words begin that only led to what stands at `end`."""
    while end and tokens[end - 1].word in _HANGING and tokens[end - 1].kind != "quoted":
        end -= 1
    return end


def _replacements(tokens: Sequence[Token], strange: list[tuple[int, int]], knowledge: Knowledge) -> Iterator[str]:
    if len(strange) != 1:
        return
    ((start, end),) = strange
    words = " ".join(token.word for token in tokens[start:end])
    for name in knowledge.lexicon.nearest(words, limit=2):
        yield _written([*tokens[:start], Token(name, name.lower(), "word"), *tokens[end:]])


def _place(tokens: Sequence[Token], words: str) -> tuple[int, int] | None:
    """Where the words of a span stand among the tokens."""
    wanted = [token.word for token in tokenise(words)]
    for start in range(len(tokens) - len(wanted) + 1):
        if wanted and [token.word for token in tokens[start : start + len(wanted)]] == wanted:
            return start, start + len(wanted)
    return None


def _written(tokens: Sequence[Token]) -> str:
    left = list(tokens)
    while left and left[-1].word in _HANGING:
        left.pop()
    while left and left[0].word in {*_HANGING, "the"} - {"which", "who"}:
        left.pop(0)
    text = " ".join(f'"{token.text}"' if token.kind == "quoted" else token.text for token in left)
    text = _BEFORE_A_MARK.sub("", text)
    return text[:1].upper() + text[1:]
