"""Experiments of the papers, repeated with one command and shown beside the published results."""
