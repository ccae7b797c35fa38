"""Where sqlglot would write what only some servers of a dialect know, the tree is rewritten first."""

from __future__ import annotations

from sqlglot import exp


def spell_for_every_server(tree: exp.Query, dialect: str) -> None:
    """MariaDB lacks REGEXP_LIKE, which sqlglot writes for REGEXP; both it and MySQL know REGEXP_INSTR."""
    if dialect != "mysql":
        return
    for node in list(tree.find_all(exp.RegexpLike)):
        position = exp.Anonymous(this="REGEXP_INSTR", expressions=[node.this, node.expression])
        node.replace(exp.Paren(this=exp.GT(this=position, expression=exp.Literal.number(0))))
