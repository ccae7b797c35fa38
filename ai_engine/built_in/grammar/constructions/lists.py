"""Lists: rows with the columns that are asked for."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.columns import columns_shown, is_rather_theirs, leading_dataset
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Ask, Bound, Cond, Fig, Mod, Related, Rows, When, Who
from ai_engine.built_in.grammar.questions import counts_values
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import Condition, FieldRef, Measure, Membership
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.people import calls_people

says = Constructions()


@says("Ask", "Rows", "accounts opened in 2025")
def listed(s: Schema, rows: Rows) -> Priced | None:
    if not rows.named and len(rows.filters) + bool(rows.period) == 1:
        return None  # a value alone
    because = times("a value alone is listed", 0 if rows.named else 2)
    return Priced(Ask(rows=rows), because if rows.narrowed else ("nothing narrows the list",))


@says("Ask", "-:who Mod", "who left in 2025")
def whoever(s: Schema, mod: Mod) -> Priced | None:
    """Whose people they are is told by what is said of them."""
    said = {
        part.dataset if isinstance(part, Cond) else part.dated.dataset if isinstance(part, When) and part.dated else ""
        for part in mod.parts
        if not isinstance(part, Who)
    }
    place = min(said, default="")
    if len(said) != 1 or not place or not calls_people(s.knows.dataset(place)):
        return None
    found = narrow(s, Rows(place), mod)
    return found and replace(found, value=Ask(rows=found.value))


# -- columns -----------------------------------------------------------------------------------------------------


@says("Col", "Amt|Date|Field|Flag", "balance")
def column(s: Schema, field: FieldRef) -> tuple[FieldRef, ...]:
    return (field,)


@says("ColT", "Thing", "branch")
def name_of(s: Schema, thing: Thing) -> tuple[FieldRef, ...]:
    return s.knows.naming_fields(thing)


@says("Cols", "Col", "balance")
@says("Cols", "Cols -And Col", "account type and balance")
@says("Cols", "Cols|ColT -And ColT", "balance and branch")
@says("Cols", "ColT -And Col", "branch and balance")
def columns(s: Schema, *given: tuple[FieldRef, ...]) -> Priced | None:
    """Columns named side by side are rather of the same rows."""
    joined = tuple(item for part in given for item in part)
    apart = len(given) > 1 and given[-1][0].dataset not in {item.dataset for item in given[0]}
    if len(set(joined)) < len(joined) or any(is_rather_theirs(s, ref, joined) for ref in joined):
        return None
    return Priced(joined, ("columns of other rows beside each other",) if apart else ())


# -- rows with columns -------------------------------------------------------------------------------------------


@says("Ask", "Cols|ColT -In|:have|By -:each? Rows", "account numbers of dormant accounts")
@says("Ask", "Cols -:each Rows", "account number of each account")
def columns_of(s: Schema, cols: tuple[FieldRef, ...], rows: Rows) -> Priced | None:
    if rows.alone:
        return None  # "customers with savings accounts only" says more
    return columns_shown(s, Ask(rows=rows), cols)


@says("Ask", "Rows Cols", "customer names")
def rows_then_columns(s: Schema, rows: Rows, cols: tuple[FieldRef, ...]) -> Priced | None:
    own = {"time", "identifier", "name"}
    if any(ref.dataset != rows.dataset and s.field(ref).role in own for ref in cols):
        return None  # "claim start date" is no start date of a policy
    found = columns_of(s, cols, rows)
    last = rows.filters[-1] if rows.filters else None
    if isinstance(last, Condition) and last.versus is not None:
        return None  # "above the average for their role"
    bare = isinstance(last, Membership) and not last.filters
    return found and replace(found, because=(*found.because, *times("columns behind what they have", bare)))


@says("Ask", "-list -all? Amt Mod?", "list loan amounts")
def every_amount(s: Schema, field: FieldRef, mod: Mod | None = None) -> Priced | None:
    """Each as it is, and not their sum."""
    rows = Rows(field.dataset)
    found = narrow(s, rows, mod) if mod else Priced(rows)
    ask = Ask(rows=found.value, columns=(field,), listed=True) if found else None
    return found and replace(found, value=ask, because=(*found.because, "only amounts are listed"))


@says("Ask", "-:distinct -:list? -of? Cols -In Rows", "different cities of customers")
def distinct_of(s: Schema, cols: tuple[FieldRef, ...], rows: Rows) -> Priced | None:
    found = columns_of(s, cols, rows)
    return found and replace(found, value=replace(found.value, distinct=True))


@says("Ask", "Cols", "account numbers")
def columns_alone(s: Schema, cols: tuple[FieldRef, ...]) -> Priced | None:
    base = leading_dataset(s, cols)
    if base is None or all(s.field(ref).role == "measure" for ref in cols):
        return None
    flag: tuple[Reason, ...] = ("a flag alone is listed",) if len(cols) == 1 and s.field(cols[0]).role == "flag" else ()
    return Priced(Ask(rows=Rows(base), columns=cols, listed=True), flag)


@says("Ask", "-:distinct -:list? -of? Cols", "different transaction types")
@says("Ask", "-:distinct -:list? -of? Cols Mod", "different cities with customers")
def distinct_alone(s: Schema, cols: tuple[FieldRef, ...], mod: Mod | None = None) -> Priced | None:
    found = columns_narrowed(s, cols, mod) if mod else columns_alone(s, cols)
    return found and replace(found, value=replace(found.value, distinct=True))


@says("Ask", "Cols Mod", "account numbers with a balance above 5000")
def columns_narrowed(s: Schema, cols: tuple[FieldRef, ...], mod: Mod) -> Priced | None:
    base = leading_dataset(s, cols)
    if base is None or any(isinstance(part, Bound) for part in mod.parts):
        return None
    if counts_values(s, cols, mod):
        return None  # "cities with more than 1000 customers": so many in each
    found = narrow(s, Rows(base), mod)
    first = mod.parts[0] if mod.parts else None
    other = first.rows.dataset if isinstance(first, Related) and first.of else base
    if other != base and other in {ref.dataset for ref in cols}:
        return None  # "claim number and amount of the claims" are columns of claims
    behind: tuple[Reason, ...] = ("columns before their rows",) if other != base else ()
    ask = Ask(rows=found.value, columns=cols, listed=True) if found else None
    return found and replace(found, value=ask, because=(*found.because, *behind))


# -- dates -------------------------------------------------------------------------------------------------------


@says("Ask", "-where Rows", "where is the Mumbai Dadar branch")
def where(s: Schema, rows: Rows) -> Priced | None:
    return Priced(Ask(rows=rows)) if rows.filters and rows.named else None


@says("Ask", "-:when Rows Date|:have?", "when was loan 12 disbursed")
def when(s: Schema, rows: Rows, date: object = None) -> Priced | None:
    field = date if isinstance(date, FieldRef) else s.knows.time_field(rows.dataset)
    if field is None or not rows.narrowed or s.up(rows.dataset, field.dataset) is None:
        return None
    return Priced(Ask(rows=rows, columns=(field,), listed=True))


@says("Date", "Date -:when|:relative -:each? N -Done|Date?", "date when loans were disbursed")
def date_of(s: Schema, field: FieldRef, rows: Rows) -> FieldRef | None:
    return field if field.dataset == rows.dataset and not rows.narrowed else None


@says("Ask", "Date -:when|:relative Latest N -Done|Date?", "date when the first loan was disbursed")
def date_of_extreme(s: Schema, field: FieldRef, aggregate: Aggregate, rows: Rows) -> Ask | None:
    return when_extreme(s, aggregate, rows, field)


@says("Ask", "-:when -:have|Date? Latest Rows Date?", "when was the earliest loan disbursed")
def when_extreme(s: Schema, aggregate: Aggregate, rows: Rows, date: FieldRef | None = None) -> Ask | None:
    field = date or s.knows.time_field(rows.dataset)
    if field is None or rows.bounds or field.dataset != rows.dataset:
        return None
    return Ask(figs=(Fig(Measure(aggregate=aggregate, field=field), rows),))
