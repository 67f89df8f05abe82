"""What a run says in the terminal: short messages, the end of a failed job's log, and a bar of progress."""

import copy
import logging
import time
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

from graphsieve.jobs.estimates import duration_text
from graphsieve.jobs.snakemake_internals import NOTHING_TO_RESTORE, event_of, screen_of

MOST_FILES = 4  # of a job, in its message
LONGEST_REASON = 240  # characters
LAST_LINES = 15  # of a failed job's log


# Messages


def shorten_messages(logger: logging.Logger) -> None:
    screen = screen_of(logger)
    if screen and not isinstance(screen.formatter, ShortFormatter):
        screen.setFormatter(ShortFormatter(screen.formatter))


class ShortFormatter(logging.Formatter):
    """Snakemake's formatter, but for thousands of files in a row and for failures, which it tells at length."""

    def __init__(self, whole: logging.Formatter):
        super().__init__()
        self.whole = whole

    def format(self, record: logging.LogRecord) -> str:
        event = event_of(record)
        if event == "JOB_INFO":
            return self.whole.format(shortened(record))
        if event == "JOB_ERROR":
            return failure_text(record)
        if event == "GROUP_ERROR":
            return group_text(record)
        if event == "ERROR" and "CalledProcessError" in record.getMessage():
            return ""  # the command line of a failed job, which was told already
        if record.getMessage().startswith(NOTHING_TO_RESTORE):
            return ""
        return self.whole.format(record)


def shortened(record: logging.LogRecord) -> logging.LogRecord:
    """A copy, because other handlers get the same record."""
    short = copy.copy(record)
    for name in ("input", "output", "log"):
        setattr(short, name, first_few(getattr(record, name)))
    if len(record.reason) > LONGEST_REASON:
        short.reason = f"{record.reason[:LONGEST_REASON]} …"
    return short


def first_few(files: list[str]) -> list[str]:
    return files if len(files) <= MOST_FILES else [*files[: MOST_FILES - 1], f"… {len(files) - MOST_FILES + 1:,} more"]


def failure_text(record: logging.LogRecord) -> str:
    """Which job failed, and how its log ends."""
    output = record.output[0] if record.output else f"job {record.jobid}"
    lines = [f"Failed: {record.rule_name}, which makes {output}"]
    lines += [f"  {name}: {value}" for name, value in record.aux.items()]
    for log in record.log:
        lines += last_lines(Path(log))
    return "\n".join(lines)


def group_text(record: logging.LogRecord) -> str:
    """Jobs that shared a submission: the scheduler's log; each of them is told after this."""
    logs = ", ".join(map(str, record.aux_logs)) or "not known"
    return f"Failed: a submission of {len(record.job_error_info)} jobs; the scheduler's log: {logs}"


def last_lines(log: Path) -> list[str]:
    if not log.exists():
        return [f"  It left no log ({log})."]
    text = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    if not text:
        return [f"  Its log is empty: {log}"]
    which = f"The last {LAST_LINES} of {len(text):,} lines" if len(text) > LAST_LINES else "All lines"
    return [f"  {which} of {log}:", *(f"    {line}" for line in text[-LAST_LINES:])]


# Progress


def start_bar(logger: logging.Logger, seconds: Mapping[int, float | None], wall: float) -> "Bar | None":
    """A bar on a terminal; elsewhere Snakemake's lines go on. `seconds` by job id, `wall` for all of them."""
    screen = screen_of(logger)
    return Bar(logger, screen, seconds, wall) if screen and screen.is_tty else None


class Bar(logging.Handler):
    """Progress by work, not by jobs: one may take a second and another an hour."""

    def __init__(
        self, logger: logging.Logger, screen: logging.StreamHandler, seconds: Mapping[int, float | None], wall: float
    ):
        super().__init__()
        known = [time for time in seconds.values() if time is not None]
        typical = sum(known) / len(known) if known else 1.0
        self.seconds = {job: typical if time is None else time for job, time in seconds.items()}
        self.logger, self.screen, self.wall = logger, screen, wall
        self.done, self.failed, self.started = 0, 0, time.monotonic()
        self.bar = tqdm(
            desc=f"{self.done} of {len(self.seconds):,} jobs",
            total=sum(self.seconds.values()),
            file=screen.stream,
            bar_format="{desc} |{bar}| {percentage:.0f} %{postfix}",
            dynamic_ncols=True,
            leave=False,
        )
        screen.addFilter(self._lets_through)
        logger.addHandler(self)
        self._draw()

    def _lets_through(self, record: logging.LogRecord) -> bool:
        """Only what went wrong is told while the bar stands, above it."""
        if record.levelno <= logging.INFO:
            return False
        self.bar.clear()
        return True

    def emit(self, record: logging.LogRecord) -> None:
        event = event_of(record)
        if event == "JOB_FINISHED":
            self.done += 1
            self.bar.n += self.seconds.get(record.job_id, 0.0)
        self.failed += event == "JOB_ERROR"
        if event == "JOB_FINISHED" or record.levelno > logging.INFO:
            self._draw()

    def _draw(self) -> None:
        failed = f", {self.failed} failed" if self.failed else ""
        self.bar.set_description_str(f"{self.done:,} of {len(self.seconds):,} jobs{failed}", refresh=False)
        if self.wall or self.bar.n:
            self.bar.set_postfix_str(f"about {duration_text(self.left())} left", refresh=False)
        self.bar.refresh()

    def left(self) -> float:
        """As estimated at first, then more and more at the pace so far, from a tenth of the work on at that alone."""
        done = self.bar.n / self.bar.total
        if not done:
            return self.wall
        trust = min(1.0, 10 * done)
        return (1 - done) * (trust * (time.monotonic() - self.started) / done + (1 - trust) * self.wall)

    def close(self) -> None:
        self.logger.removeHandler(self)
        self.screen.removeFilter(self._lets_through)
        self.bar.close()
        super().close()
