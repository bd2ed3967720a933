"""Experiments of the MORF paper (M1 to M8) and of the thesis it became (T1)."""
