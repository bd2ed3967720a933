"""The demonstration of the command line."""
