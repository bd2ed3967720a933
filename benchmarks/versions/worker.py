"""A process of one version: reads the name of a task in each line, answers with its times.

The answer to a name that is not that of the line before comes after the task was prepared and done
once, untimed.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import warnings
from typing import Any

from versions.tasks import TASKS, Call, Examples


def timed(call: Call) -> dict[str, float]:
    """Return the seconds of one call, by the clock and of this process."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    """Answer until there are no more lines."""
    settings: dict[str, Any] = json.loads(sys.argv[1])
    os.sched_setaffinity(0, {settings["core"]})
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print does not disturb the answers
    warnings.simplefilter("ignore")
    examples = Examples(settings["data"])
    prepared, call = "", None
    for line in sys.stdin:
        name = json.loads(line)
        if call is None or name != prepared:
            call = None  # frees the models of the task before
            prepared, call = name, TASKS[name].prepare(examples)
            call()
        print(json.dumps(timed(call)), file=stream, flush=True)


if __name__ == "__main__":
    main()
