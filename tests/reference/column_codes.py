"""Order codes of a column of floats, value by value."""

import numpy as np


def column_codes(values, most_codes):
    """Return the code of every row, the largest value of each code, and whether all are single."""
    values = values + np.float32(0)  # -0 is 0
    present = ~np.isnan(values)
    distinct, which, counts = np.unique(values[present], return_inverse=True, return_counts=True)
    lossless = len(distinct) <= most_codes
    code_of = np.arange(len(distinct)) if lossless else _shares(counts, most_codes)
    n_codes = code_of[-1] + 1 if len(distinct) else 0
    codes = np.full(len(values), n_codes)
    codes[present] = code_of[which]
    last = np.array([distinct[code_of == code].max() for code in range(n_codes)], np.float32)
    return codes, last, lossless


def _shares(counts, most_codes):
    """Return codes of about equally many rows for values that so many rows have."""
    rest, left = int(counts.sum()), most_codes
    code = size = 0
    codes = []
    for count in counts:
        full = -(-rest // left)  # rows of a code
        if size > 0 and left > 1 and (size >= full or count >= full):
            rest, left, code, size = rest - size, left - 1, code + 1, 0
        size += count
        codes.append(code)
    return np.array(codes)
