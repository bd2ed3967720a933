"""Fresh processes. This one stays small and free of numpy: a child is measured, not its parent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from harness.measurement import Job, Measurement
from harness.registry import FOLDER
from harness.task import Task

CHILD = "harness.child"
ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
}


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
    return Measurement(job.task, job.forest, job.peer, job.trees, job.seed, failed=reason)


def ask(python: str, child: str, verb: str, argument: dict[str, Any], timeout: float | None) -> Any:
    """Run a module in a fresh process and return the object that it answers with."""
    done = subprocess.run(
        [python, "-m", child, verb, json.dumps(argument)],
        capture_output=True,
        text=True,
        check=False,
        cwd=FOLDER,
        timeout=timeout,
        env=os.environ | ONE_THREAD,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"status {done.returncode}: {last[:200]}")
    return json.loads(done.stdout.splitlines()[-1])
