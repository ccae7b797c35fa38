"""Small DB-API 2 modules over DuckDB, under the names of clients whose engines cannot be run here.

They take the parameters that the real ones document and no others, translate what they are asked, and write down all
of it beside the file, so that a test can ask what ran and what runs still.
"""

from pathlib import Path

CLIENTS = Path(__file__).parent / "clients"
"""The folder that has to stand on the path of whoever imports them."""
