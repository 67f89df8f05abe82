"""Blocks of work on several threads, each running its tensor operations on one core."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def workers_on(device: torch.device) -> int:
    return torch.get_num_threads() if device.type == "cpu" else 1


def ordered_map(function: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """As `map`, with at most `workers` + 1 results in memory.

    Small tensor operations scale better when every thread has its own block than when all share each operation. The
    result does not depend on the number of threads, because no sum is split between them.
    """
    if workers == 1:
        yield from map(function, items)
        return
    threads = torch.get_num_threads()
    waiting: deque = deque()
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(threads)
