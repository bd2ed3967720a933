"""What tasks and peers are, and how pairs of them are measured."""
