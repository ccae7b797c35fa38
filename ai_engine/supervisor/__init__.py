"""Answers a chat message: thinks, acts, observes and reflects, a few rounds at most, and always ends in an answer."""
