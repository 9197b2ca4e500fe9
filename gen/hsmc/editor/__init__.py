"""What text editors need: highlighting generated from the grammar, and a language server."""
