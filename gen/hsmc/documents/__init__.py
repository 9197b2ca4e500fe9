"""Statecharts, the site, the page that simulates."""
