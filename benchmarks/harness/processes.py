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
from typing import Any, TypeVar

from harness.measurement import AnyJob
from harness.registry import FOLDER

Measured = TypeVar("Measured")

ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
}


@contextmanager
def exported(child: str, task: str, n_train: int, n_test: int) -> Iterator[str]:
    """Let a child write the data of a task into a folder, which is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = {"name": task, "folder": folder, "n_train": n_train, "n_test": n_test}
        ask(sys.executable, child, "export", arguments, timeout=None)
        yield folder


def measure(python: str, child: str, job: AnyJob[Measured], timeout: float) -> Measured:
    """Run a job in a fresh process; what goes wrong is part of the answer."""
    try:
        return job.measured(**ask(python, child, "measure", asdict(job), timeout))
    except subprocess.TimeoutExpired:
        reason = f"more than {timeout:.0f} s"
    except RuntimeError as error:
        reason = str(error)
    return job.measured(failed=reason)


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
