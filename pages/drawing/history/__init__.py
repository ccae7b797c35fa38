"""What the history page is made of."""
