"""The prompts, one Markdown file each."""
