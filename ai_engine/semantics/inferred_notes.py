"""What an inferred vocabulary assumes about a database, in sentences for whoever operates it."""

from __future__ import annotations

from ai_engine.semantics.model import SemanticModel

PERMITTING = "sensitive: false"
_MOST_NAMED = 40
_BASES = {"name": "by its name", "values": "its values are there"}


def inferred_notes(model: SemanticModel) -> tuple[str, ...]:
    """Return what nobody has said of the database and the vocabulary takes for given."""
    guessed = [
        f"{link.from_dataset}.{link.from_columns[0]} leads to {link.to_dataset} ({_BASES[link.guessed_by]})"
        for link in sorted(model.relationships, key=lambda link: link.guessed_by != "values")
        if link.guessed_by is not None
    ]
    notes = []
    if guessed:
        links = f"Links that the database does not declare were guessed: {_listed(guessed)}."
        notes.append(f"{links} A vocabulary file confirms or changes them.")
    unseen = [name for name in model.unseen if model.inferred]
    held = [f"{dataset.name}.{item.name}" for dataset in model.datasets for item in dataset.fields if item.sensitive]
    held = [name for name in held if name not in unseen]
    if held and model.inferred:
        notes.append(
            f"Kept back as personal or secret: {_listed(held)}. A vocabulary file permits them ({PERMITTING})."
        )
    if unseen:
        notes.append(
            f"Kept back because their values could not be looked at: {_listed(unseen)}. "
            f"Opening the database again looks anew; a vocabulary file permits them ({PERMITTING})."
        )
    return tuple(notes)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
