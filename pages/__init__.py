"""The web page: a file for each screen, and what several of them draw."""
