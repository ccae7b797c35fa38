"""What a question says in other words, said in plain ones or in those of the vocabulary, before it is read."""
