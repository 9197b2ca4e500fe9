# SPDX-License-Identifier: MIT
"""Statecharts, the site, the page that simulates."""
