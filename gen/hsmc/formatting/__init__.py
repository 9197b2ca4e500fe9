"""The canonical layout of a spec."""
