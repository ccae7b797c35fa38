"""Workflow templates of the product, read from their files, and the limits of what workflows may be."""

from __future__ import annotations

from pathlib import Path

from ai_engine.errors import BadConfiguration, WorkflowInvalid
from ai_engine.workflows.checks import OperatorSchemas
from ai_engine.workflows.definition import WorkflowLimits
from ai_engine.workflows.template import WorkflowTemplate, read_template
from backend.settings import PROJECT_ROOT, Settings

TEMPLATES = PROJECT_ROOT / "data" / "workflows"


def workflow_limits(settings: Settings) -> WorkflowLimits:
    """Return how much one workflow may be."""
    return WorkflowLimits(
        max_steps=settings.workflow_max_steps,
        parallel_steps=settings.workflow_parallel_steps,
        step_timeout_s=settings.workflow_step_timeout_s,
        max_definition_kb=settings.workflow_max_definition_kb,
        max_input_kb=settings.workflow_max_input_kb,
        max_result_kb=settings.workflow_max_result_kb,
    )


def read_templates(
    limits: WorkflowLimits, operators: OperatorSchemas, own: Path | None = None
) -> tuple[WorkflowTemplate, ...]:
    """Read the product's templates, then every `.yaml` of a folder of one's own, in the order of their names.

    Raises:
        BadConfiguration: one cannot be read or cannot run, or two have one name; all that is wrong with it is said.
    """
    if own is not None and not own.is_dir():
        raise BadConfiguration(f"The folder {own} of BANK_WORKFLOWS_DIR is not there.")
    found: dict[str, WorkflowTemplate] = {}
    for file in (file for folder in (TEMPLATES, own) if folder is not None for file in sorted(folder.glob("*.yaml"))):
        template = _read(file, limits, operators)
        if template.name in found:
            raise BadConfiguration(f"The workflow template {file.name} has the name of another: {template.name}.")
        found[template.name] = template
    return tuple(found.values())


def _read(file: Path, limits: WorkflowLimits, operators: OperatorSchemas) -> WorkflowTemplate:
    try:
        template = read_template(file.read_text(encoding="utf-8"), limits.max_definition_kb)
        return template.checked(operators, limits)
    except WorkflowInvalid as fault:
        raise BadConfiguration(f"The workflow template {file.name} cannot run. {fault}") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise BadConfiguration(f"The workflow template {file.name} cannot be read: {fault}") from None
