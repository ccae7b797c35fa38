"""The bank's databases: opened for reading only, asked within limits.

Nothing heavy is imported here, because every worker process passes through.
"""

from backend.databases.database import Database
from backend.databases.limits import DatabaseLimits
from backend.databases.opening import open_database

__all__ = ["Database", "DatabaseLimits", "open_database"]
