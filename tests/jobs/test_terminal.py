"""What a run says in the terminal: short messages, the end of a failed job's log, and a bar by work done."""

import io
import logging
from enum import Enum

import pytest

from graphsieve.jobs import terminal

Event = Enum("Event", ["JOB_INFO", "JOB_ERROR", "GROUP_ERROR", "ERROR", "JOB_FINISHED", "PROGRESS"])


class Whole(logging.Formatter):
    """Stands for Snakemake's formatter."""

    def format(self, record):
        if getattr(record, "event", None) == Event.JOB_INFO:
            return f"{', '.join(record.input)} | {record.reason}"
        return record.getMessage()


class ColorizingTextHandler(logging.StreamHandler):
    """Stands for Snakemake's handler, of that name."""

    is_tty = True


@pytest.fixture
def logger():
    """A logger whose screen is a text in memory, with the short messages on."""
    logger = logging.Logger("run", logging.INFO)
    logger.addHandler(ColorizingTextHandler(io.StringIO()))
    logger.handlers[0].setFormatter(Whole())
    terminal.shorten_messages(logger)
    return logger


def screen(logger) -> str:
    return logger.handlers[0].stream.getvalue()


def job_info(**values) -> dict:
    return {"event": Event.JOB_INFO, "input": [], "output": [], "log": [], "reason": "", **values}


def job_error(log: object, **values) -> dict:
    record = {"rule_name": "train", "output": ["a.npz", "b.npz"], "jobid": 7, "aux": {}, "log": [str(log)]}
    return {"event": Event.JOB_ERROR, **record, **values}


def test_thousands_of_files_become_a_few(logger):
    files = [f"{number}.csv" for number in range(1234)]
    logger.info("", extra=job_info(input=files, reason="x" * 1000))
    logger.info("", extra=job_info(input=files[:4], reason="short"))
    long, short = screen(logger).splitlines()
    assert long == f"0.csv, 1.csv, 2.csv, … 1,231 more | {'x' * terminal.LONGEST_REASON} …"
    assert short == "0.csv, 1.csv, 2.csv, 3.csv | short"


def test_other_handlers_still_get_the_whole_record(logger):
    seen = []
    other = logging.Handler()
    other.emit = seen.append
    logger.addHandler(other)
    logger.info("", extra=job_info(input=["a"] * 10))
    assert len(seen[0].input) == 10


def test_a_failed_job_shows_the_end_of_its_log(logger, tmp_path):
    log = tmp_path / "train.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    logger.error("Command 'a very long one' CalledProcessError", extra={"event": Event.ERROR})
    logger.warning("Cannot restore a.npz: no backup found.")
    logger.error("whole story", extra=job_error(log, aux={"slurm_log": "slurm.log"}))
    lines = screen(logger).splitlines()
    lines = [line for line in lines if line]
    assert lines[:3] == [
        "Failed: train, which makes a.npz",
        "  slurm_log: slurm.log",
        f"  The last 15 of 100 lines of {log}:",
    ]
    assert lines[3:] == [f"    line {number}" for number in range(85, 100)]


def test_a_failed_job_without_words_says_so(logger, tmp_path):
    (tmp_path / "empty.log").touch()
    logger.error("", extra=job_error(tmp_path / "empty.log"))
    logger.error("", extra=job_error(tmp_path / "absent.log", output=[]))
    assert "Its log is empty" in screen(logger)
    assert "makes job 7" in screen(logger)
    assert "It left no log" in screen(logger)


def test_a_failed_submission_names_the_schedulers_log(logger):
    group = {"event": Event.GROUP_ERROR, "aux_logs": ["slurm/12.log"], "job_error_info": [{}, {}, {}]}
    logger.error("Error in group train_small", extra=group)
    assert screen(logger) == "Failed: a submission of 3 jobs; the scheduler's log: slurm/12.log\n"


def test_other_errors_are_told_as_they_are(logger):
    logger.error("MissingOutputException: a.csv", extra={"event": Event.ERROR})
    assert screen(logger) == "MissingOutputException: a.csv\n"


def test_messages_are_shortened_once(logger):
    terminal.shorten_messages(logger)
    assert isinstance(logger.handlers[0].formatter.whole, Whole)


def test_the_bar_counts_work_and_hides_the_chatter(logger):
    bar = terminal.start_bar(logger, {1: 30.0, 2: 10.0, 3: None}, wall=60)
    assert "0 of 3 jobs" in screen(logger)
    assert "0 %, about 60 s left" in screen(logger)
    logger.info("Execute 1 jobs...")
    logger.info("Finished", extra={"event": Event.JOB_FINISHED, "job_id": 1})
    assert "1 of 3 jobs" in screen(logger)
    assert bar.bar.n / bar.bar.total == 0.5  # the third counts as the mean of the others
    logger.warning("something is wrong")
    logger.error("", extra=job_error("absent.log"))
    assert "1 of 3 jobs, 1 failed" in screen(logger)
    bar.close()
    logger.info("the end")
    assert "Execute" not in screen(logger)
    assert "something is wrong\n" in screen(logger)
    assert screen(logger).endswith("the end\n")


def test_time_left_is_the_estimate_at_first_and_the_pace_later(logger, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    bar = terminal.start_bar(logger, {1: 5.0, 2: 45.0, 3: 50.0}, wall=50)
    assert bar.left() == 50
    now[0] += 10
    logger.info("", extra={"event": Event.JOB_FINISHED, "job_id": 1})
    assert bar.left() == pytest.approx(0.95 * (0.5 * 10 / 0.05 + 0.5 * 50))
    logger.info("", extra={"event": Event.JOB_FINISHED, "job_id": 2})
    assert bar.left() == pytest.approx(10)  # half of the work took ten seconds
    bar.close()


def test_without_a_terminal_there_is_no_bar(logger):
    logger.handlers[0].is_tty = False
    assert terminal.start_bar(logger, {1: 1.0}, 1) is None
    logger.info("Execute 1 jobs...")
    assert screen(logger) == "Execute 1 jobs...\n"


def test_a_logger_plugin_is_left_alone():
    logger = logging.Logger("run")
    logger.addHandler(logging.NullHandler())
    terminal.shorten_messages(logger)
    assert terminal.start_bar(logger, {}, 0) is None
