"""A spec compiled as a whole, and what the commands share: reading specs, choosing checks, printing, exit statuses."""
