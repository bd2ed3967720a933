"""What the MORF papers say of seconds, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._experiment import Finding
from ._cnn import BATCH_SIZE
from ._methods import FORESTS
from ._seconds import PHASES, Measured

ON_PAR = 2.0  # "on par" is read as: at most this many times the slower of SPORF and RF


def ratio_to_slower(seconds: Mapping[str, float]) -> float:
    """Return the seconds of MORF over those of the slower of the two other forests."""
    return seconds["MORF"] / max(seconds["SPORF"], seconds["RF"])


def on_par(times: Measured, phase: str) -> Finding:
    """Compare MORF with the slower of SPORF and RF."""
    ratios = _forest_ratios(times, phase)
    ours = [f"{problem} {ratio:.1f} (n = {n})" for problem, (n, ratio) in ratios.items()]
    published = "“on par” in the text"
    if phase == "train_seconds":
        theirs = (f"{p} {ratio_to_slower(s):.1f}" for p, s in times.published.training.items())
        published += "; the authors' files: " + ", ".join(theirs)
    return Finding(
        f"MORF's {PHASES[phase]} time is on par with those of SPORF and RF",
        "MORF / slower of SPORF and RF: " + (", ".join(ours) or "not measured"),
        published,
        all(ratio <= ON_PAR for _, ratio in ratios.values()) if ratios else None,
        f"Read as at most {ON_PAR:g} times the slower of the two in every simulation. MORF draws "
        "50 candidates a node on circle and 30 on impulse, SPORF and RF 10; on bars all draw 28.",
    )


def _forest_ratios(times: Measured, phase: str) -> dict[str, tuple[int, float]]:
    """Return for each problem the largest size that all forests have, and the ratio there."""
    ratios = {}
    for problem in times.names:
        curves = {name: times.seconds(problem, name, phase) for name in FORESTS}
        sizes = set.intersection(*(set(curve) for curve in curves.values()))
        if sizes:
            n = max(sizes)
            ratios[problem] = (n, ratio_to_slower({name: c[n] for name, c in curves.items()}))
    return ratios


def below_network(times: Measured, phase: str) -> Finding:
    """Count where MORF takes less time than the network."""
    claim = f"MORF's {PHASES[phase]} time is below that of the CNN in most cases"
    published = "“well below CNN runtime in most examples”"
    if phase == "train_seconds":
        training = times.published.training
        theirs = (f"{p} {seconds['MORF'] / seconds['CNN']:.2f}" for p, seconds in training.items())
        published += f"; the authors' files, MORF / CNN at n = {times.published.n}: "
        published += ", ".join(theirs)
    cells = list(_ratios_to_network(times, phase))
    if not cells:
        return Finding(claim, "no CNN was trained", published, None, "Training it needs torch.")
    below = sum(ratio < 1 for *_, ratio in cells)
    last = {problem: (n, ratio) for problem, n, ratio in cells}  # sizes come in order
    ours = ", ".join(f"{problem} {ratio:.2f} (n = {n})" for problem, (n, ratio) in last.items())
    return Finding(
        claim,
        f"{below} of {len(cells)} simulations × sizes; MORF / CNN at the largest size: {ours}",
        published,
        below > len(cells) / 2,
        "Both on one thread of a processor. How long the network learns depends on the size of "
        f"its batches, here {BATCH_SIZE} examples, and on the rule by which it stops.",
    )


def _ratios_to_network(times: Measured, phase: str) -> Iterator[tuple[str, int, float]]:
    """Yield seconds of MORF over those of the network, for all problems and sizes."""
    for problem in times.names:
        forest = times.seconds(problem, "MORF", phase)
        network = times.seconds(problem, "CNN", phase)
        yield from ((problem, n, forest[n] / network[n]) for n in forest if n in network)


def beside_published(times: Measured) -> Iterator[Finding]:
    """Put our seconds beside the authors', if forests have as many trees."""
    published = times.published
    pairs = [
        (problem, ours[published.n], published.training[problem]["MORF"])
        for problem in times.names
        if published.n in (ours := times.seconds(problem, "MORF", "train_seconds"))
    ]
    if times.comparable and pairs:
        yield Finding(
            f"Seconds to train MORF at n = {published.n}, {published.trees} trees",
            ", ".join(f"{problem} {ours:.2f}" for problem, ours, _ in pairs) + " on one core",
            ", ".join(f"{problem} {theirs:.2f}" for problem, _, theirs in pairs)
            + f" on {published.cores} cores",
            None,
            f"If all {published.cores} cores were busy, theirs are "
            + ", ".join(f"{theirs * published.cores / ours:.0f}" for _, ours, theirs in pairs)
            + " times our core seconds; how busy they were is not known.",
        )
