"""The bank's own documents: searched by words, quoted and named."""
