"""The cases of fingerprints.py, and how a model becomes hashes."""
