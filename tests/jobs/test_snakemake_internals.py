"""The parts of Snakemake that we reach into: these fail when a new version has changed them."""

import inspect
import logging
from types import SimpleNamespace

from graphsieve.jobs.snakemake_internals import (
    NOTHING_TO_RESTORE,
    SCREEN_HANDLER,
    event_of,
    forced_jobs,
    lift_rate_limit,
    lock_files,
    screen_of,
)


def test_the_screen_is_written_by_the_handler_we_look_for():
    import snakemake.logging

    handler = getattr(snakemake.logging, SCREEN_HANDLER)
    assert issubclass(handler, logging.StreamHandler)
    assert "is_tty" in inspect.getsource(handler)
    logger = logging.Logger("run")
    assert screen_of(logger) is None
    screen = handler.__new__(handler)
    logger.handlers.append(screen)
    assert screen_of(logger) is screen


def test_the_events_have_the_names_we_look_for():
    from snakemake.logging import LogEvent

    record = logging.makeLogRecord({"event": LogEvent.JOB_FINISHED})
    assert event_of(record) == "JOB_FINISHED"
    assert {"JOB_INFO", "JOB_ERROR", "GROUP_ERROR", "ERROR"} <= {event.name for event in LogEvent}
    assert event_of(logging.makeLogRecord({})) == ""


def test_locks_lie_where_we_look_for_them_and_name_the_files_they_lock(tmp_path, monkeypatch):
    from snakemake.persistence.file import FilePersistence

    monkeypatch.chdir(tmp_path)
    source = inspect.getsource(FilePersistence)
    assert '"locks"' in source
    assert ".lock" in source
    locks = tmp_path / ".snakemake/locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text("results/tiny/index.html\n")
    (locks / "1.output.lock").write_text("results/tiny_two/index.html\n")
    assert [path.name for path in lock_files("results/tiny")] == ["0.output.lock"]


def test_the_scheduler_has_the_limit_that_we_lift():
    from snakemake.scheduling.job_scheduler import JobScheduler

    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler)
    for local in (True, False):
        workflow = SimpleNamespace(local_exec=local, scheduler=SimpleNamespace(job_rate_limiter="limit"))
        lift_rate_limit(workflow)
        assert workflow.scheduler.job_rate_limiter == (None if local else "limit")


def test_a_job_knows_whether_it_was_forced():
    import snakemake.api  # noqa: F401 (its parts import one another, and only in this order)
    from snakemake.dag import DAG
    from snakemake.jobs import Reason

    forced, late = Reason(), Reason()
    forced.forced = True
    dag = SimpleNamespace(needrun_jobs=lambda: ["one", "two"], reason={"one": forced, "two": late}.get)
    assert forced_jobs(SimpleNamespace(dag=dag)) == ["one"]
    assert hasattr(DAG, "needrun_jobs")
    assert hasattr(DAG, "reason")


def test_what_is_said_of_a_new_file_of_a_failed_job():
    from snakemake.persistence import FileBackupMixin

    assert f'"{NOTHING_TO_RESTORE}' in inspect.getsource(FileBackupMixin)
