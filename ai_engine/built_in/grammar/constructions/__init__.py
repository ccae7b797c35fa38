"""The constructions of English questions, one file for each kind of phrase."""
