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
