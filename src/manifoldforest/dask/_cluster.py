"""The client, its workers, and waiting for them: never without a limit."""

from __future__ import annotations

import time
from asyncio import TimeoutError as AsyncioTimeoutError
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from distributed import Client, Future, default_client, wait

from ..validation._rules import Rule, check_argument, instance_of, none

CLIENT: Rule = instance_of(Client, "a distributed.Client") | none

# Seconds without any worker after which a fit gives up: a cluster may be starting, or replacing
# workers that died.
WORKER_LIMIT = 60.0
# Seconds between two looks at the tasks while a fit waits, and two questions to the cluster.
_LOOK = 0.25
_ASK = 1.0
# Seconds for results that are there to reach the client: at most the forest itself.
_RESULT_LIMIT = 600.0


def connected_client(client: Client | None) -> Client:
    """Return the client of an estimator, or distributed's default; an error if it is closed."""
    check_argument("client", client, CLIENT)
    if client is None:
        try:
            client = default_client()
        except ValueError as error:
            raise ValueError(
                "client must be given, or a distributed.Client be started before: got None, and "
                "there is no default client"
            ) from error
    if client.asynchronous:
        raise ValueError("client must not be asynchronous, got one with asynchronous=True")
    if client.status != "running":
        raise ValueError(
            f"client must be connected to a scheduler, got one whose status is {client.status!r}"
        )
    return client


def threads_of_workers(client: Client) -> dict[str, int]:
    """Return the number of threads of each worker by address, in a fixed order.

    Waits for the first worker; raises an error if there is none for long, or if one has another
    version of manifoldforest.
    """
    start = time.monotonic()
    while not (threads := client.nthreads()):
        if time.monotonic() - start > WORKER_LIMIT:
            raise RuntimeError(_NO_WORKERS)
        time.sleep(_LOOK)
    _check_versions(client)
    return dict(sorted(threads.items()))


_NO_WORKERS = "client must have workers, got a cluster without any: start workers, or scale it up"


def _check_versions(client: Client) -> None:
    from .. import __version__ as mine

    asked = client.get_versions(packages=["manifoldforest"])["workers"]
    for address, versions in asked.items():
        theirs = versions["packages"].get("manifoldforest")
        if theirs != mine:
            has = "no manifoldforest" if theirs is None else f"manifoldforest {theirs}"
            raise RuntimeError(
                f"client must have workers with manifoldforest {mine}, as this process has, got "
                f"the worker {address} with {has}"
            )


class WorkerLeft(RuntimeError):
    """A worker is gone without which tasks that a fit waits for cannot be done."""


def homes_of(client: Client, blocks: Sequence[Future]) -> list[str]:
    """Wait until blocks of rows are there, and return a worker for each that holds it.

    Of several workers that hold a block the one that is home to the fewest is chosen.
    """
    start = time.monotonic()
    while time.monotonic() - start < WORKER_LIMIT:
        wait_for(client, blocks)
        holders = client.who_has(blocks)
        if all(holders.get(block.key) for block in blocks):
            return _least_used([holders[block.key] for block in blocks])
        time.sleep(_LOOK)  # a worker left just now; what it held is computed again
    raise RuntimeError(f"rows were on no worker for {WORKER_LIMIT:g} s during the fit")


def _least_used(holders: Sequence[Collection[str]]) -> list[str]:
    used = dict.fromkeys(sorted(worker for each in holders for worker in each), 0)
    homes = []
    for each in holders:
        home = min((worker for worker in used if worker in each), key=used.__getitem__)
        used[home] += 1
        homes.append(home)
    return homes


def results_of(
    client: Client,
    futures: Sequence[Future],
    meanwhile: Callable[[], None] | None = None,
    needed: Collection[str] = (),
) -> list[Any]:
    """Wait for results, as `wait_for` does."""
    wait_for(client, futures, meanwhile, needed)
    # what a worker had that leaves now is computed again, if that is possible
    coming = run_coroutine_threadsafe(
        client.gather(list(futures), asynchronous=True), client.loop.asyncio_loop
    )
    watch, start = Watch(client, needed), time.monotonic()
    try:
        while time.monotonic() - start < _RESULT_LIMIT:
            try:
                return list(coming.result(timeout=_LOOK))
            except (TimeoutError, FutureTimeoutError):  # before Python 3.11 they are two classes
                watch.look()
    finally:
        coming.cancel()
    raise TimeoutError(f"results did not reach the client within {_RESULT_LIMIT:g} s")


def wait_for(
    client: Client,
    futures: Sequence[Future],
    meanwhile: Callable[[], None] | None = None,
    needed: Collection[str] = (),
    *,
    one: bool = False,
) -> None:
    """Wait for all tasks or for one; an error if the client is closed or workers are gone for long.

    The first error of a task ends the wait, and so does a worker that is needed and leaves.
    `meanwhile` is called again and again, in this thread.
    """
    watch = Watch(client, needed)
    while not _are_done(futures, _LOOK, one):
        if meanwhile is not None:
            meanwhile()
        _raise_errors(futures)
        watch.look()
    _raise_errors(futures)
    if meanwhile is not None:
        meanwhile()


class Watch:
    """Looks whether it still makes sense to wait: at the client, and now and then at workers."""

    def __init__(self, client: Client, needed: Collection[str]) -> None:
        self.client, self.needed = client, needed
        self.last_seen = self.last_asked = time.monotonic()

    def look(self) -> None:
        """Raise an error if it does not."""
        if self.client.status in ("closing", "closed"):
            raise RuntimeError("client was closed during the fit")
        if time.monotonic() - self.last_asked < _ASK:
            return
        self.last_asked = time.monotonic()
        workers = _workers(self.client)
        if workers:
            self.last_seen = time.monotonic()
            gone = sorted(set(self.needed).difference(workers))
            if gone:
                raise WorkerLeft(f"the worker {gone[0]} left during the fit")
        elif time.monotonic() - self.last_seen > WORKER_LIMIT:
            raise RuntimeError(f"all workers were gone for {WORKER_LIMIT:g} s during the fit")


def give_up(futures: Sequence[Future]) -> None:
    """Let the cluster forget tasks: those that have not begun never will, unless others need them.

    `Client.cancel` would do the same, but fails for tasks that others wait for which the client
    does not hold.
    """
    for future in futures:
        future.release()


def _raise_errors(futures: Sequence[Future]) -> None:
    for future in futures:
        if future.status == "error":
            future.result(timeout=_RESULT_LIMIT)  # raises it


def _are_done(futures: Sequence[Future], seconds: float, one: bool) -> bool:
    try:
        wait(
            list(futures),
            timeout=seconds,
            return_when="FIRST_COMPLETED" if one else "ALL_COMPLETED",
        )
    except (TimeoutError, AsyncioTimeoutError):  # before Python 3.11 they are two classes
        return False
    return True


def _workers(client: Client) -> Collection[str]:
    try:
        return list(client.nthreads())
    except OSError:  # the scheduler does not answer; the client tries to reconnect, or closes
        return []
