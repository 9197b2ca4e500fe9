"""The reference interpreter and its terminal."""
