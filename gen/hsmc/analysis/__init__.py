"""What the compiler refuses or doubts beyond names and types."""
