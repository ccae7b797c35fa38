"""An answer as something else: text, a file, a page, proof."""
