"""The screens of the web page, one file each."""
