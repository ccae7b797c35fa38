"""What an operator may be told of the conversation, the tools, the results and the actions."""
