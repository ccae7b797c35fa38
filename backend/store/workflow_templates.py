"""Workflow templates that people keep, in the app's store: a line of JSON each, and one of what it rests on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Column, String, Table, Text, delete, func, insert, select

from ai_engine.errors import WorkflowInvalid
from ai_engine.workflows.checks import OperatorSchemas
from ai_engine.workflows.definition import WorkflowLimits
from ai_engine.workflows.template import WorkflowTemplate, read_kept_template
from backend.answers.withheld import Basis, Judge
from backend.store.keys import key_of, written
from backend.store.schema import METADATA, UtcTime

if TYPE_CHECKING:
    from backend.store.opening import Store

_log = logging.getLogger(__name__)
_Made = TypeVar("_Made")

TEMPLATES = Table(
    "workflow_templates",
    METADATA,
    Column("person", Text, primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("template", Text, nullable=False),
    Column("kept_at", UtcTime, nullable=False),
)


class SqlKeptTemplates:
    """Implements KeptTemplates.

    Args:
        store: opens the app's store, or gives it where it is open.
        operators: that a template may name.
        most: that one person may keep.
        judge: of the source whose data the templates name.
    """

    def __init__(
        self, store: Callable[[], Store], operators: OperatorSchemas, limits: WorkflowLimits, most: int, judge: Judge
    ) -> None:
        self._store = store
        self._operators = operators
        self._limits = limits
        self._most = most
        self._judge = judge

    async def of(self, person: str) -> tuple[WorkflowTemplate, ...]:
        """See KeptTemplates; one that can run no longer is left out, and stays for the day when it can."""
        return await asyncio.to_thread(self._of, key_of(person))

    async def keep(self, person: str, template: WorkflowTemplate, statements: Sequence[str]) -> None:
        """See KeptTemplates."""
        text = written(json.dumps(template.model_dump(mode="json"), ensure_ascii=False))
        self._judged(text)
        rests_on = written(Basis.of(self._judge, statements).to_json())
        await asyncio.to_thread(self._keep, key_of(person), template.name, f"{text}\n{rests_on}")

    async def drop(self, person: str, name: str) -> bool:
        """See KeptTemplates."""
        return await asyncio.to_thread(self._drop, key_of(person), name)

    def _judged(self, text: str) -> WorkflowTemplate:
        return read_kept_template(text, self._limits.max_definition_kb).checked(self._operators, self._limits)

    def _of(self, person: str) -> tuple[WorkflowTemplate, ...]:
        found = []
        for name, row in self._rows(person):
            text, _, rests_on = row.partition("\n")
            try:
                template = self._judged(text)
                if not Basis.from_json(rests_on).why_not_shown(self._judge):
                    found.append(template)
            except (ValueError, WorkflowInvalid) as fault:
                faults = fault.faults if isinstance(fault, WorkflowInvalid) else ("what it rests on",)
                _log.warning("the kept workflow template %s cannot run: %d faults", name, len(faults))
        return tuple(found)

    def _rows(self, person: str) -> list[tuple[str, str]]:
        wanted = select(TEMPLATES.c.name, TEMPLATES.c.template).where(TEMPLATES.c.person == person)
        with self._store().reading() as connection:
            rows = connection.execute(wanted.order_by(TEMPLATES.c.name).limit(self._most)).all()
        return [(str(name), str(text)) for name, text in rows]

    def _keep(self, person: str, name: str, text: str) -> None:
        row = {"person": person, "name": name, "template": text, "kept_at": datetime.now(UTC)}
        with self._store().writing() as connection:
            connection.execute(delete(TEMPLATES).where(TEMPLATES.c.person == person, TEMPLATES.c.name == name))
            count = connection.scalar(select(func.count()).where(TEMPLATES.c.person == person)) or 0
            if count >= self._most:
                raise WorkflowInvalid((f"You keep {count} templates already, which is the most: drop one first.",))
            connection.execute(insert(TEMPLATES), [row])

    def _drop(self, person: str, name: str) -> bool:
        where = (TEMPLATES.c.person == person) & (TEMPLATES.c.name == name)
        with self._store().writing() as connection:
            return connection.execute(delete(TEMPLATES).where(where)).rowcount == 1
