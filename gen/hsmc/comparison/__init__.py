"""Two versions of a spec compared."""
