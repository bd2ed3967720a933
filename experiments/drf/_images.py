"""Measures of completed images: the upper half is given, the lower half predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

Array = NDArray[Any]


def halves(images: Array) -> tuple[Array, Array]:
    """Return the upper and the lower halves of images (n, height, width), flat."""
    middle = images.shape[1] // 2
    return images[:, :middle].reshape(len(images), -1), images[:, middle:].reshape(len(images), -1)


def completed(upper: Array, lower: Array, width: int) -> Array:
    """Return whole images from flat halves."""
    return np.concatenate([upper, lower], axis=1).reshape(len(upper), -1, width)


def rmse(predicted: Array, truth: Array) -> float:
    """Return the root mean squared error of an image, on average over images."""
    return float(np.mean(np.sqrt(np.mean((predicted - truth) ** 2, axis=1))))


def mse(predicted: Array, truth: Array) -> float:
    """Return the mean squared error of a pixel."""
    return float(np.mean((predicted - truth) ** 2))


def gradient_energies(images: Array) -> Array:
    """Return the sum of squared differences of neighbouring pixels in each lower half."""
    lower = images[:, images.shape[1] // 2 :]
    down, across = np.diff(lower, axis=1), np.diff(lower, axis=2)
    return np.asarray(np.sum(down**2, axis=(1, 2)) + np.sum(across**2, axis=(1, 2)))


def sharpness(images: Array, real: Array) -> float:
    """Return the gradient energy relative to that of real images: below 1 is blurred."""
    return float(np.mean(gradient_energies(images)) / np.mean(gradient_energies(real)))


def jumps(images: Array) -> Array:
    """Return the mean absolute jump from the last row of the upper half to the next."""
    middle = images.shape[1] // 2
    return np.asarray(np.mean(np.abs(images[:, middle] - images[:, middle - 1]), axis=1))


def seam(images: Array) -> float:
    """Return the mean jump between the halves."""
    return float(np.mean(jumps(images)))


def misread(images: Array, digits: Array, training: Array, training_digits: Array) -> Array:
    """Return which images the nearest whole training image takes for another digit."""
    classifier = KNeighborsClassifier(1)
    classifier.fit(training.reshape(len(training), -1), training_digits)
    return np.asarray(classifier.predict(images.reshape(len(images), -1)) != digits)


def suspicious(images: Array, training: Array) -> Array:
    """Return which images are more blurred, or less smooth in the middle, than 95 % of real ones.

    With `misread`, the criteria by which the paper counts bad reconstructions, by eye there:
    blurriness, smooth transition, correct digit.
    """
    blurred = gradient_energies(images) < np.quantile(gradient_energies(training), 0.05)
    return np.asarray(blurred | (jumps(images) > np.quantile(jumps(training), 0.95)))


def of_other_digits(
    predicted: Array, digits: Array, training: Array, training_digits: Array
) -> float | None:
    """Return the share of predictions that were retrieved from images of another digit.

    None if predictions are no training responses.
    """
    owner = {row.tobytes(): digit for row, digit in zip(training, training_digits, strict=True)}
    found = [owner.get(row.tobytes()) for row in predicted.astype(training.dtype)]
    if None in found:
        return None
    return float(np.mean(np.array(found) != digits))
