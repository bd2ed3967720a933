"""Experiments of the dRF paper (D1 to D3)."""
