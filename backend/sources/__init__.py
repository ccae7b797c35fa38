"""The databases that may be asked, side by side: which there are, for whom, and which are open."""
