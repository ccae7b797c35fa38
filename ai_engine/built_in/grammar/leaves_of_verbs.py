"""What verbs say of people and rows: the role that somebody plays, the rows that a deed leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ai_engine.built_in.deeds import kinds_done, past_of
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.leaves_of_adjectives import is_of_a_scale
from ai_engine.built_in.grammar.phrases import Rows
from ai_engine.built_in.grammar.prices import Prices
from ai_engine.built_in.grammar.reasons import LeafReason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Meaning, Span, Stored, Thing, Unknown
from ai_engine.built_in.role_verbs import gives, is_stewardship
from ai_engine.built_in.stocks import is_flow
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.people import PEOPLE
from ai_engine.semantics.words import stem, words

_VERB_COST = 0.12
_LONGEST_ASIDE = 4
_ORDERS = {
    ":in_time": frozenset(
        "newest latest recent youngest oldest earliest soonest nearest date time chronologically chronological".split()
    ),
    ":by_count": frozenset("frequent common often frequently popular used rarest".split()),
    ":by_size": frozenset("""highest largest biggest greatest lowest smallest expensive high low valuable""".split()),
}
# Verbs that say nothing of people without their object: whoever "lent" has lent something.
_DEALINGS = frozenset(
    """
    paid pay pays lent lend lends sold sell sells bought buy buys sent send sends receive received receives borrowed
    borrow borrows filed file files submitted requested request avail availed invested granted chose chosen selected
    """.split()
)
_LENDING = frozenset({"lent", "lend", "lends"})  # whoever lends is not the one who has the loan
# What is done with payments, claims and loans anyhow: it says nothing more of them.
_PARTICIPLES = frozenset("made done performed processed conducted taken placed recorded given held used".split())
# The same of what was dealt in and of money that came, where no day, table or person is called after the verb.
_DEALT_IN = frozenset("generated sold charged incurred executed accrued recorded".split())
_CAME_IN = frozenset("earned collected received".split())
_ENDINGS = ("ed", "ing")
_DID = frozenset({"did", "do", "does"})
_ASKING = _DID | {"have", "had"}
_RELATIVES = frozenset("who that which".split())
_WE = frozenset("we they you he she it i".split())


def is_verb(said: str, meaning: Meaning, lexicon: Lexicon) -> bool:
    """Tell whether a word is the verb of what leaves such rows behind and not their noun: "traded"."""
    word = said.lower()
    return (
        isinstance(meaning, Thing)
        and not meaning.via
        and " " not in word
        and word.endswith(_ENDINGS)
        and not lexicon.is_noun(word, meaning)
    )


def names_a_doer(said: str, lexicon: Lexicon) -> bool:
    """Tell whether a verb, alone or with "by", says that somebody looks after something or plays a role in it."""
    verb = said.lower().removesuffix(" by")
    return is_stewardship(verb) or bool(lexicon.role_verbs.links(verb))


def says_a_deed(said: str, knows: Knowledge) -> bool:
    """Tell whether a verb says what somebody did, which is not left out of a question: "who have borrowed"."""
    word = said.lower()
    dated = bool(knows.lexicon.dates_of_verbs.get(word))
    return dated or names_a_doer(word, knows.lexicon) or word in _DEALINGS or bool(_left_by(word, knows))


def _left_by(word: str, knows: Knowledge) -> list[str]:
    return called_by_verb((word,), tuple(item.name for item in knows.model.datasets), knows) if " " not in word else []


def past_after_did(tokens: tuple[Token, ...], knows: Knowledge) -> tuple[Token, ...]:
    """Say what "did we open" asks of as what was "opened": in its bare form the verb may also be a state or a noun."""
    spelled = list(tokens)
    for place, token in enumerate(tokens[2:], 2):
        asked = any(before.word in _DID for before in tokens[: place - 1])
        if asked and _is_subject(tokens[place - 1].word, knows.lexicon) and (past := _past_of(token.word, knows)):
            spelled[place] = Token(past, past, "word")
    return tuple(spelled)


def with_names_that_we_part(tokens: tuple[Token, ...], knows: Knowledge) -> tuple[Token, ...]:
    """Say "interest did we earn" as "interest earned" where something is called so: the verb alone says nothing."""
    for place in range(1, len(tokens) - 1):
        begins = place - (tokens[place - 1].word in _ASKING)
        if tokens[place].word == "we" and begins:
            noun, verb = tokens[begins - 1].word, tokens[place + 1].word
            behind = tuple(token.word for token in tokens[place + 2 : place + 3])
            for said in (verb, past_of(verb)):
                called = (*knows.lexicon.names((noun, said, *behind)), *knows.lexicon.names((noun, said)))
                if any(_tells_an_amount(found.meaning, knows) for found in called):
                    return (*tokens[:begins], Token(said, said, "word"), *tokens[place + 2 :])
    return tokens


def _tells_an_amount(meaning: Meaning, knows: Knowledge) -> bool:
    if isinstance(meaning, Figure):
        return knows.model.metric(meaning.metric).unit != "count"
    return isinstance(meaning, Attribute) and knows.field(meaning).role == "measure"


def _is_subject(word: str, lexicon: Lexicon) -> bool:
    named = any(isinstance(found.meaning, Thing) for found in lexicon.names((word,)))
    return word in _WE or named or bool(lexicon.stored((word,)))


def _past_of(verb: str, knows: Knowledge) -> str:
    """The participle of a bare verb that tells a day or a kind of rows, "" for other words."""
    if verb.endswith("ly"):
        return ""  # "do we currently have"
    dates = knows.lexicon.dates_of_verbs
    told = [said for said, days in dates.items() if days == dates.get(verb) and said.startswith(verb)]
    dated = next((said for said in told if said.endswith("ed") and said != verb), "")
    past = past_of(verb)
    noun = any(verb in words(knows.dataset(name).label) for name in _left_by(past, knows))  # "what did we invoice"
    told_so = (verb in dates and past in dates) or noun
    return dated or (past if told_so or kinds_done(past, knows.kinds_by_verb) else "")


def is_participle(said: str) -> bool:
    """Tell whether a verb can say what was done with what stands before it: "payments made"."""
    return said.lower() in _PARTICIPLES


def in_directions(span: Span) -> Iterator[Phrase]:
    """An order of dates, of sizes, or one that says only which end comes first."""
    for item in span.candidates:
        if (
            isinstance(item.meaning, Cue)
            and item.meaning.kind == "direction"
            and not is_of_a_scale(span.text, item.meaning)
        ):
            said = set(span.text.lower().split())
            kind = next((name for name, told in _ORDERS.items() if said & told), ":direction")
            yield Phrase(span.start, span.end, kind, item.meaning.value, item.cost)


def acting(span: Span, tokens: tuple[Token, ...], schema: Schema, prices: Prices) -> Iterator[Phrase]:
    """What the verbs of a span can say, and the noun for people whoever they are."""
    said, knows = span.text.lower(), schema.knows
    for rows in rows_done(said, schema):
        yield Phrase(span.start, span.end, "Did", rows, _VERB_COST)
    if said in PEOPLE and knows.people is not None:
        yield Phrase(span.start, span.end, "People", Rows(knows.people), span.candidates[0].cost)
    if not any(isinstance(item.meaning, Unknown) or item.meaning == Cue("have") for item in span.candidates):
        return
    if is_participle(said) and not knows.lexicon.stored((said,)) and not knows.lexicon.dates_of_verbs.get(said):
        yield Phrase(span.start, span.end, "Done", True, _VERB_COST)
    links = knows.lexicon.role_verbs.links(said)
    plain = not (links or _left_by(said, knows) or said in knows.lexicon.dates_of_events)
    if plain and said in _DEALT_IN | _CAME_IN:
        yield Phrase(span.start, span.end, "Done" if said in _DEALT_IN else "CameIn", True, _VERB_COST)
    if links:
        yield Phrase(span.start, span.end, "Does", links, _VERB_COST)
    if said in _LENDING:
        return
    reason: LeafReason = "a verb as its rows"
    for dataset in _left_by(said, knows):
        cost = _VERB_COST + prices.of(reason)
        asked = _asks_how_much(tokens[: span.start])
        category, value = ("Did", Rows(dataset)) if asked else ("Deed", Thing(dataset))
        yield Phrase(span.start, span.end, category, value, cost, priced=(reason,))


def rows_done(said: str, schema: Schema) -> tuple[Rows, ...]:
    """The rows that a verb in the past leaves behind, where they are of a kind called after it and have an amount."""
    found = []
    for kind in kinds_done(said, schema.knows.kinds_by_verb):
        left = Rows(kind.field.dataset, filters=(kind,))
        fig, out = schema.main_figure(left), schema.went_out(left.dataset) if gives(said) else None
        if fig is not None and fig.core.field is not None and is_flow(fig.core.field, schema.knows):
            found.append(replace(left, filters=(kind, out)) if out is not None else left)
    return tuple(found)


def is_deed_of_noun(said: str, meaning: Meaning, schema: Schema) -> bool:
    """Tell whether words end in a deed that a name has only as a noun: what was "deposited" are no deposits."""
    verb, model = (words(said) or ("",))[-1], schema.knows.model
    match meaning:
        case Thing():
            named = (model.dataset(meaning.dataset).label, *model.dataset(meaning.dataset).synonyms)
        case Attribute():
            field = schema.knows.field(meaning)
            named = (field.label, field.name, *field.synonyms)
        case Figure():
            metric = model.metric(meaning.metric)
            named = (metric.label, metric.name, *metric.synonyms)
        case _:
            return False
    return not any(verb in words(name) for name in named) and bool(rows_done(verb, schema))


def is_another_word(said: str, meaning: Meaning, schema: Schema) -> bool:
    """Who "manages" clients is not of the kind "management", who is "employed" has more than some "employment"."""
    if isinstance(meaning, Attribute) and said.endswith("ed") and " " not in said:
        item = schema.knows.field(meaning)
        named = {word for name in (item.label, item.name, *item.synonyms) for word in words(name)}
        return item.role in {"category", "name"} and any(stem(word) == stem(said) for word in named - {said})
    values = schema.knows.lexicon.values
    return (
        isinstance(meaning, Stored)
        and is_stewardship(said)
        and not (values.exactly((said,)) or values.by_synonym((said,)))
    )


def _asks_how_much(before: tuple[Token, ...]) -> bool:
    """ "how much did customers" does a verb do behind, and "what did we": it says nothing of which customers."""
    said = [token.word for token in before]
    places = (place for place, word in enumerate(said) if word in _DID)
    asked = next((p for p in places if "much" in said[:p] or said[:p][-1:] == ["what"]), len(said))
    return asked < len(said) - 1 and said[-1] not in _RELATIVES


def says_how(tokens: tuple[Token, ...], span: Span) -> bool:
    """Tell whether a verb says how things are, "on hold" and "in service", and not what anybody does."""
    return [token.word for token in tokens[: span.start][-1:]] in (["on"], ["in"])


def leaves_out(tokens: tuple[Token, ...], span: Span) -> bool:
    """Tell whether a last "out" sets aside what stands before it: "calls by fault, voids out" are not void."""
    before = tokens[max(span.start - _LONGEST_ASIDE, 0) : span.start]
    aside = any(token.word in {",", ";"} for token in before) or any(t.kind == "number" for t in before[-2:-1])
    return span.text.lower() == "out" and span.end == len(tokens) and aside


def says_of_a_deed(said: str, meaning: Meaning, lexicon: Lexicon) -> bool:
    """ "declared turnover" is rather a column than the turnover declarations."""
    if not isinstance(meaning, Thing) or " " not in said:
        return False
    return any(word.endswith("ed") and not lexicon.is_noun(word, meaning) for word in said.split())
