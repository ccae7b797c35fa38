"""Conversations: the list beside the page, what can be done with a turn, an answer opened by its link."""
