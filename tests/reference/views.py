"""Views of examples, as short as possible."""

import numpy as np


def differences(image):
    """Right minus left and lower minus upper neighbour of each pixel; the border is repeated."""
    padded = np.pad(np.asarray(image, dtype=np.float64), 1, mode="edge")
    return padded[1:-1, 2:] - padded[1:-1, :-2], padded[2:, 1:-1] - padded[:-2, 1:-1]


def shares(x, y, orientations, real=np.float64):
    """Channel of gradients (x, y) and the magnitudes of this channel and the next."""
    x, y = np.asarray(x, dtype=real), np.asarray(y, dtype=real)
    turn = 2 * np.arctan2(real(0), real(-1))
    at = (orientations * np.arctan2(y, x) / turn) % orientations
    channel = np.floor(at).astype(int) % orientations
    magnitude, share = np.sqrt(x * x + y * y), at - np.floor(at)
    return channel, magnitude * (1 - share), magnitude * share


def as_bytes(cells):
    return np.minimum(np.floor(cells + 0.5), 255)


def gradients(images, orientations, channel_axis=None):
    """Cells (n, orientations, rows, columns), neither rounded nor cut."""
    images = np.asarray(images, dtype=np.float64)
    if channel_axis is None:
        images = images[..., None]
    else:
        images = np.moveaxis(images, channel_axis + 1 if channel_axis >= 0 else channel_axis, -1)
    n, rows, columns, _ = images.shape
    cells = np.zeros((n, orientations, rows, columns))
    for i, image in enumerate(images):
        pairs = [differences(image[..., k]) for k in range(image.shape[-1])]
        x, y = (np.stack(list(part)) for part in zip(*pairs, strict=True))
        missing = (np.isnan(x) | np.isnan(y)).any(axis=0)
        strongest = np.where(missing, 0, np.argmax(np.nan_to_num(x * x + y * y), axis=0))
        x, y = (np.take_along_axis(part, strongest[None], axis=0)[0] for part in (x, y))
        channel, first, second = shares(np.nan_to_num(x), np.nan_to_num(y), orientations)
        for r in range(rows):
            for c in range(columns):
                b = channel[r, c]
                cells[i, b, r, c] += first[r, c]
                cells[i, (b + 1) % orientations, r, c] += second[r, c]
        cells[i][:, missing] = np.nan
    return cells


def difference(X, order, smoothing):
    X = np.asarray(X, dtype=np.float64)
    length, half = X.shape[-1], smoothing // 2
    windows = [slice(max(0, t - half), min(length, t + half + 1)) for t in range(length)]
    smooth = np.stack([X[..., window].mean(axis=-1) for window in windows], axis=-1)
    return np.diff(smooth, order, axis=-1)


def spectrum(X):
    return np.abs(np.fft.rfft(np.asarray(X, dtype=np.float64), axis=-1))


def interval_cells(values, places, statistics, spacing=4, centre=True):
    """Cells of one series of values: for each interval its statistics, quantiles last."""
    cells = []
    for begin, end in places:
        part = np.asarray(values[begin:end], dtype=np.float64)
        n_quantiles = 1 + (end - begin - 1) // spacing if "quantile" in statistics else 0
        of_interval = []
        for name in ("mean", "minimum", "maximum", "std", "slope", "position"):
            if name in statistics:
                of_interval.append(_STATISTICS[name](part))
        if n_quantiles == 1:
            of_interval.append(np.median(part))
        elif n_quantiles:
            quantiles = np.quantile(part, np.linspace(0, 1, n_quantiles))
            if centre:
                quantiles[1::2] -= part.mean()
            of_interval.extend(quantiles)
        cells.extend(np.full(len(of_interval), np.nan) if np.isnan(part).any() else of_interval)
    return np.array(cells)


def _slope(part):
    return np.polyfit(np.arange(len(part)), part, 1)[0] if len(part) > 1 else 0.0


def _position(part):
    return np.argmax(part) / (len(part) - 1) if len(part) > 1 else 0.0


_STATISTICS = {
    "mean": np.mean,
    "minimum": np.min,
    "maximum": np.max,
    "std": np.std,
    "slope": _slope,
    "position": _position,
}


def kernel_cells(values, kernel, pools, n_places):
    """Cells of one kernel on one series of values, of n_places where the longest series has more.

    A kernel is its weights, dilation, begin and end of the interval, and threshold.
    """
    weights, dilation, begin, end, threshold = kernel
    values = np.asarray(values, dtype=np.float32)
    if len(values) < n_places:
        places = n_places - (len(weights) - 1) * dilation
        dilation = max(1, dilation * len(values) // n_places)
        left = len(values) - (len(weights) - 1) * dilation
        if left < 1:
            return np.full(len(pools), np.nan)
        begin = min(begin * left // places, left - 1)
        end = max(end * left // places, begin + 1)
    times = np.arange(begin, end)[:, None] + dilation * np.arange(len(weights))
    if np.isnan(values[begin : times.max() + 1]).any():
        return np.full(len(pools), np.nan)
    answers = np.zeros(len(times), dtype=np.float32)  # thresholds are answers: every bit counts
    for weight, of_weight in zip(weights, times.T, strict=True):
        answers += np.float32(weight) * values[of_weight]
    cells = {
        "maximum": answers.max(),
        "share": (answers > threshold).mean(),
        "mean": answers.mean(dtype=np.float64),
        "position": _position(answers),
    }
    return np.array([cells[pool] for pool in pools])
