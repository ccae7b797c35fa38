"""A question that leans on the one before it, rewritten so that it stands alone."""

from ai_engine.built_in.follow_up.continuing import Continued, continued

__all__ = ["Continued", "continued"]
