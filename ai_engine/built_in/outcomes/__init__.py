"""What becomes of a question: an answer, a question back, a refusal, or words about the data."""
