"""A statement told in plain sentences, by rule: what is not known is quoted, so that no sentence says a wrong thing."""

from ai_engine.sql_in_words.statement import sql_in_words

__all__ = ["sql_in_words"]
