"""Parts of screens, one file per thing drawn."""
