"""Fresh processes; this one stays small and free of numpy: a child is measured, not its parent."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from boundary.measurement import Job, Measurement
from boundary.task import Task
from harness.processes import ask

CHILD = "boundary.child"


@contextmanager
def exported(task: Task, n_train: int, n_test: int) -> Iterator[str]:
    """Write the data of a task into a folder, which is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = {"name": task.name, "folder": folder, "n_train": n_train, "n_test": n_test}
        ask(sys.executable, CHILD, "export", arguments, timeout=None)
        yield folder


def measure(python: str, job: Job, timeout: float) -> Measurement:
    """Run a job in a fresh process; what goes wrong is part of the answer."""
    try:
        return Measurement(**ask(python, CHILD, "measure", asdict(job), timeout))
    except subprocess.TimeoutExpired:
        reason = f"more than {timeout:.0f} s"
    except RuntimeError as error:
        reason = str(error)
    return Measurement(job.task, job.peer, job.seed, failed=reason)
