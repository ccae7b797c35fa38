"""What the page of verified answers is made of."""
