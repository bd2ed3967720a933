"""Experiments of the RerF paper (R1 to R8)."""
