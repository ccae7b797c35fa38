"""Spellings that are brought to plain ones, before the rules see the tree and before it is printed."""

from __future__ import annotations

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.refusal import refuse
from ai_engine.guard.statement import Statement

_OPERATORS = frozenset(
    {
        *(TokenType.L_PAREN, TokenType.COMMA, TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT),
        *(TokenType.GTE, TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD),
        *(TokenType.DPIPE, TokenType.PIPE, TokenType.AMP, TokenType.TILDE),
    }
)
_OF_NO_COLUMN = frozenset({TokenType.NUMBER, TokenType.STRING, TokenType.PLUS, TokenType.DASH, TokenType.CASE})
_WORDS_BEFORE_VALUES = frozenset(
    "select distinct all where and or not on having when then else case by between in like glob is from limit offset "
    "escape values".split()
)
_WITH_NATIONAL_TEXTS = frozenset({"tsql", "oracle"})
_ESCAPED = frozenset("\n\r\t")
_WRITTEN_AS_OPERATORS = (exp.RegexpLike, exp.RegexpILike, exp.AddMonths, exp.Rand)
"""Calls of which sqlglot makes `a ~ b`, `a RLIKE b`, `d + INTERVAL …` and `(c - b) * RAND(a) + b` in some dialects."""
_BINDING = (exp.Binary, exp.Unary, exp.Predicate, exp.AtTimeZone)


def pluses_are_plain(tokens: list[Token], dialect: str) -> None:
    """Refuse a plus before a column on SQLite: it changes comparisons there, and sqlglot drops it."""
    if dialect != "sqlite":
        return
    for before, plus, after, next_ in zip(tokens, tokens[1:], tokens[2:], [*tokens[3:], tokens[0]], strict=False):
        if plus.token_type is not TokenType.PLUS or after.token_type in _OF_NO_COLUMN or not _expects_value(before):
            continue
        if next_.token_type is not TokenType.L_PAREN or after.text.lower() in ("cast", "("):
            raise refuse("a plus before a column changes how it is compared: leave it out", f"+{after.text}")


def _expects_value(before: Token) -> bool:
    kind = before.token_type
    return kind in _OPERATORS or (kind is not TokenType.IDENTIFIER and before.text.lower() in _WORDS_BEFORE_VALUES)


def gathered_lists_are_plain(tokens: list[Token], dialect: str) -> None:
    """Refuse GROUP_CONCAT of several values, distinct or by the place of one: sqlglot makes one text of them.

    Of that, ab and c would be the same as a and bc.
    """
    if dialect != "mysql":
        return
    for place, token in enumerate(tokens):
        if token.text.upper() != "GROUP_CONCAT":
            continue
        kinds = _kinds_of_call(tokens[place + 1 :])
        values, order = kinds, kinds[:0]
        if TokenType.ORDER_BY in kinds:
            cut = kinds.index(TokenType.ORDER_BY)
            values, order = kinds[:cut], kinds[cut:]
        if TokenType.COMMA in values and (TokenType.DISTINCT in values or TokenType.NUMBER in order):
            raise refuse("put the values of GROUP_CONCAT together by CONCAT_WS, with a sign between them", token.text)


def _kinds_of_call(tokens: list[Token]) -> list[TokenType]:
    """The types of the tokens in the brackets that open them, save those in brackets within."""
    kinds: list[TokenType] = []
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth <= 0:
            break
        if depth == 1:
            kinds.append(token.token_type)
    return kinds


def spell_plainly(statement: Statement) -> None:
    """Read `E'...'` and `$$...$$` as the text they mean, `IN name` as what it reads, and drop MySQL's FROM DUAL.

    A sample without a seed is given one: it has the same rows tomorrow.
    """
    for sample in statement.nodes(exp.TableSample):
        if not sample.args.get("seed"):
            seed = exp.Literal.number(1)
            sample.set("seed", seed)
            statement.kinds.setdefault(exp.Literal, []).append(seed)
    if statement.dialect in {"postgres", "duckdb"}:
        for raw in statement.kinds.pop(exp.RawString, ()):
            _replace_by_text(raw, raw.name, statement)
        for literal in statement.kinds.pop(exp.ByteString, ()):
            text: str = literal.this
            if "\\" in text or not all(character.isprintable() or character in _ESCAPED for character in text):
                raise refuse("only \\n, \\r, \\t and quotes may be escaped in a literal", text)
            _replace_by_text(literal, text, statement)
        for sign in statement.nodes(exp.Neg, exp.BitwiseNot):  # -~, ~- and ~~ are operators of their own there
            if isinstance(sign.this, exp.BitwiseNot) or (
                isinstance(sign, exp.BitwiseNot) and type(sign.this) is exp.Neg
            ):
                sign.set("this", exp.Paren(this=sign.this))
            if isinstance(sign, exp.BitwiseNot) and _is_called(sign.parent):
                brackets = exp.Paren()
                sign.replace(brackets)
                brackets.set("this", sign)
    for national in statement.kinds.pop(exp.National, ()) if statement.dialect in _WITH_NATIONAL_TEXTS else ():
        if not national.name.isascii():
            raise refuse("N'...' may only hold plain letters", national.name)
        _replace_by_text(national, national.name, statement)
    if statement.dialect == "mysql":
        for source in statement.kinds.get(exp.From, ()):
            if _is_dual(source.this) and source.parent is not None and not source.parent.args.get("joins"):
                source.pop()
                statement.kinds[exp.Table].remove(source.this)

    if statement.dialect == "sqlite":
        ctes = {cte.alias.lower() for cte in statement.kinds.get(exp.CTE, ())}
        for test in statement.kinds.get(exp.In, ()):
            name = test.args.get("field")
            if isinstance(name, exp.Column) and not name.table and name.name.lower() in ctes:
                _read_rows_of(test, name)


def _is_called(node: exp.Expr | None) -> bool:
    """Whether a node was written as a call, of which sqlglot makes an operator now and then: CEIL(~a, 2)."""
    return isinstance(node, exp.Func) and not isinstance(node, exp.Binary)


def _replace_by_text(literal: exp.Expr, text: str, statement: Statement) -> None:
    plain = exp.Literal.string(text)
    literal.replace(plain)
    statement.kinds.setdefault(exp.Literal, []).append(plain)


def _read_rows_of(test: exp.Expr, name: exp.Column) -> None:
    """Write `IN name` of a common table expression as the subquery that it stands for."""
    rows = exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Table(this=name.this)))
    test.set("field", None)
    test.set("query", exp.Subquery(this=rows))


def _is_dual(table: exp.Expr) -> bool:
    given = {arg for arg, value in table.args.items() if value}
    name = table.this
    return given == {"this"} and isinstance(name, exp.Identifier) and name.this.upper() == "DUAL" and not name.quoted


def spell_for_every_server(statement: Statement) -> None:
    """Write what sqlglot would print in a way that a server of the dialect does not know, or would read otherwise."""
    for call in statement.nodes(*_WRITTEN_AS_OPERATORS):
        if isinstance(call, exp.Rand) and call.args.get("lower") is None:
            continue  # it is written as a call
        if isinstance(call.parent, _BINDING) and not isinstance(call.parent, (exp.Connector, exp.Paren, exp.Not)):
            brackets = exp.Paren()
            call.replace(brackets)
            brackets.set("this", call)
    for sign in statement.nodes(exp.Neg, exp.BitwiseNot):  # of MOD(a, b), which is printed as a % b
        if isinstance(sign.this, exp.Mod):
            sign.set("this", exp.Paren(this=sign.this))
    if statement.dialect in {"postgres", "mysql"}:
        for one in statement.nodes(exp.AnyValue):  # MariaDB has none, PostgreSQL before 16 the bank's own
            one.replace(exp.Min(this=one.this))
    if statement.dialect == "postgres":
        for time in statement.nodes(exp.CurrentTime):
            time.replace(exp.cast(exp.CurrentTimestamp(), "timetz"))
    if statement.dialect == "sqlite":  # which reads the tables of a CROSS JOIN in the order in which they stand
        for join in statement.nodes(exp.Join):
            if join.args.get("kind") == "CROSS" and not {"on", "using", "method"} & join.args.keys():
                join.set("kind", "INNER")
                join.set("on", exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1)))
    if statement.dialect == "tsql":  # for which sqlglot would write the time, too
        for today in statement.nodes(exp.CurrentDate):
            today.replace(exp.cast(exp.CurrentTimestamp(), "date"))
    if statement.dialect != "mysql":
        return
    for today in statement.nodes(exp.UtcDate):
        today.replace(exp.cast(exp.UtcTimestamp(), "date"))
    for added in statement.nodes(exp.AddMonths):  # which MySQL has not
        added.replace(exp.DateAdd(this=added.this, expression=added.expression, unit=exp.Var(this="MONTH")))
    for median in statement.nodes(exp.Median):
        order = exp.Order(expressions=[exp.Ordered(this=median.this, nulls_first=True)])
        median.replace(exp.WithinGroup(this=exp.PercentileCont(this=exp.Literal.number("0.5")), expression=order))
    for search in statement.nodes(exp.RegexpLike):  # MariaDB has no REGEXP_LIKE, both servers know REGEXP_INSTR
        position = exp.Anonymous(this="REGEXP_INSTR", expressions=[search.this, search.expression])
        search.replace(exp.Paren(this=exp.GT(this=position, expression=exp.Literal.number(0))))
