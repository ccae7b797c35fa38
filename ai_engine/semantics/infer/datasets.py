"""Which date speaks for a row, and which columns show it to a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from ai_engine.semantics.model import Field
from ai_engine.semantics.names import singular
from ai_engine.semantics.schema_words import word_set

_BEGINNINGS = word_set(
    """
    open opened opening issue issued start started begin beginning placed made posted posting booked booking join
    joined joining registered registration disbursed disbursal disbursement granted grant effective snapshot trade
    originated origination order since onboarding commencement inception hired hire sold purchase purchased
    received filed reported onboarded signup request requested raised lodged from
    """
)
_DISPATCH = frozenset({"sent", "sending", "dispatched", "mailed"})  # a letter is opened after it was sent
_LESSER_BEGINNINGS = frozenset(
    {"created", "creation", "value", "approved", "sanctioned", "inserted", "sanction", "approval"}
)
_ENDS = word_set(
    """
    close closed closing maturity end ended ending expiry expired expiration expires due settled settlement updated
    update modified last next deleted off payoff foreclosure termination terminated cancelled to until written
    processed verified review
    """
)
_FOUNDED = word_set("founded foundation established establishment incorporated incorporation built manufactured")
_LONGEST_LIST = 6
_MAY_BE_MISSING = 5
_FEW_DESCRIBING = 3
_DESCRIBING = frozenset({"category", "time", "measure"})
_STEM_LENGTH = 5
_PEOPLE = word_set(
    """
    customer client person member user employee staff borrower holder nominee guarantor beneficiary agent officer
    manager contact dependent student owner party applicant payee payer
    """
)
_OF_PEOPLE = word_set("birth dob gender sex surname salary forename nationality marital")
_OF_COMPANIES = word_set("company business firm corporate organisation organization enterprise")
_DAYS = frozenset({"date", "timestamp", "text"})
_LIVES = frozenset("birth birthday dob death deceased died left resigned retired".split())


def default_time(
    label: str, fields: Sequence[Field], words: Mapping[str, tuple[str, ...]], missing: Set[str] = frozenset()
) -> str | None:
    """Return the field that dates a row of `label`, None when there is none or only one of birth, death or leaving.

    A year dates rows that have no day, and a field that is kept back those that have no other. Of fields that may be
    `missing` one dates rows only where it is of their beginning: of customers who never became insolvent there is no
    such day.
    """
    dated = [
        item
        for item in fields
        if item.role == "time" and (item.type in _DAYS or item.is_year) and not _LIVES & set(words[item.name])
    ]
    dated = [item for item in dated if not item.is_year] or dated
    dated = [item for item in dated if not item.sensitive] or dated
    if not dated:
        return None
    scores = {item.name: _speaks_for_row(words[item.name], set(label.split())) for item in dated}
    best = max(scores, key=lambda name: scores[name] - _MAY_BE_MISSING * (name in missing))
    return best if best not in missing or scores[best] > 0 else None


def _speaks_for_row(words: Sequence[str], nouns: set[str]) -> int:
    said = {singular(word) for word in words} | set(words)
    near = {word for word in said if any(_akin(word, noun) for noun in nouns)}
    score = 3 if near & nouns else 6 if near else 0
    score += 5 if said & _DISPATCH else 4 if said & _BEGINNINGS else 0
    score += 2 if said & _LESSER_BEGINNINGS else 0
    score -= 6 if said & _ENDS - near else 0
    score -= 3 if said & _FOUNDED else 0  # long before its row came to be
    if said - near <= {"date", "time", "timestamp", "day", "year"}:
        score += 5
    return score


def _akin(word: str, noun: str) -> bool:
    """Tell whether two words share a stem long enough to mean the same event: settled, settlement."""
    return word == noun or (len(word) >= _STEM_LENGTH and word[:_STEM_LENGTH] == noun[:_STEM_LENGTH])


def own_numbers(
    fields: Sequence[Field], key: tuple[str, ...], unique: Sequence[tuple[str, ...]], pointing: Set[str]
) -> tuple[str, ...]:
    """Return the number by which people know rows without a name, whose key is another one: `policy_no`."""
    if any(item.role == "name" for item in fields):
        return ()
    lone = {names[0].lower() for names in unique if len(names) == 1 and names != key} - pointing
    return tuple(
        item.name for item in fields if item.role == "identifier" and not item.sensitive and item.name.lower() in lone
    )[:1]


def display(
    key: tuple[str, ...], fields: Sequence[Field], names_of_rows: Sequence[tuple[str, ...]], pointing: Set[str]
) -> tuple[str, ...]:
    """Return the fields that show a row in a list: its key, its names, and what describes it when it has no name.

    Args:
        key: the primary key.
        fields: all fields of the dataset.
        names_of_rows: names that differ in every row; the key says no more than such a name.
        pointing: lower-case columns that name rows of other tables, which describe nothing by themselves.
    """
    by_name = {item.name: item for item in fields}
    keys = [name for name in key if name in by_name and not names_of_rows]
    names = [item.name for item in fields if item.role == "name" and not item.sensitive]
    shown = list(dict.fromkeys([*keys, *names]))
    if not (names and (keys or names_of_rows)):
        own = [item for item in fields if item.role in _DESCRIBING and item.name.lower() not in pointing]
        shown += [item.name for item in own if not item.sensitive][:_FEW_DESCRIBING]
    if len(shown) <= len(keys):
        shown += [item.name for item in fields if not item.sensitive]
    return tuple(dict.fromkeys(shown))[:_LONGEST_LIST]


def is_about_people(label: str, columns: Collection[Sequence[str]]) -> bool:
    """Tell whether rows are people, by their noun or by what is kept of them: two of one name are never far."""
    if any(_OF_COMPANIES & set(words) for words in columns):
        return False
    return label.rsplit(maxsplit=1)[-1] in _PEOPLE or any(_OF_PEOPLE & set(words) for words in columns)


def unique_names(fields: Sequence[Field], distinct: Set[str]) -> tuple[tuple[str, ...], ...]:
    """Return each name that stands for its row as a key of one field; `distinct` are lower-case columns."""
    return tuple(
        (item.name,) for item in fields if item.role == "name" and not item.sensitive and item.name.lower() in distinct
    )
