"""The built-in model: questions read by rule, without a key and without a network."""

from ai_engine.built_in.model import BuiltInModel

__all__ = ["BuiltInModel"]
