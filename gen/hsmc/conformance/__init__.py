"""Traces of board runs against the spec."""
