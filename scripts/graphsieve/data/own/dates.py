"""Dates as numbers: days since the first of them, and those parts that say more than the days do."""

import re

import numpy as np
import pandas as pd

ISO = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
ISO_FORMAT = "ISO8601"
DAY_FIRST, MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"
FORMATS = ("%d.%m.%Y", DAY_FIRST, MONTH_FIRST, "%Y/%m/%d")
TIMES = ("", " %H:%M", " %H:%M:%S")
DAY = np.timedelta64(1, "D")
# Days that dates must span so that a part of them tells more than their order does.
SPANS = {"month": 366, "weekday": 14, "hour": 2}


def parse_dates(texts: pd.Series) -> tuple[pd.Series, str] | None:
    """The dates that all of these texts are, and their format; None where one of them is none.

    Where days and months cannot be told apart, the day comes first.
    """
    first = texts.iloc[0]
    if ISO.fullmatch(first):
        formats = [ISO_FORMAT] if texts.str.fullmatch(ISO.pattern).all() else []
    elif re.match(r"\d{1,4}[./]\d{1,2}[./]\d{1,4}\b", first):
        formats = [f"{day}{time}" for day in FORMATS for time in TIMES]
    else:
        formats = []
    for form in formats:
        dates = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
        if dates.notna().all():
            return dates.dt.tz_localize(None), form
    return None


def is_ambiguous(texts: pd.Series, form: str) -> bool:
    """Whether the texts are dates too where the month comes first."""
    if not form.startswith(DAY_FIRST):
        return False
    return bool(pd.to_datetime(texts, format=form.replace(DAY_FIRST, MONTH_FIRST), errors="coerce").notna().all())


def date_parts(dates: pd.Series) -> dict[str, np.ndarray]:
    """`days` since the first date, and month, weekday (Monday is 1) and hour where the dates span enough of them."""
    days = ((dates - dates.min()) / DAY).to_numpy(float)
    parts = {"month": dates.dt.month, "weekday": dates.dt.day_of_week + 1, "hour": dates.dt.hour + dates.dt.minute / 60}
    span = np.nanmax(days)
    told = {name: part for name, part in parts.items() if span >= SPANS[name] and part.nunique() > 1}
    return {"days": days, **{name: part.to_numpy(float) for name, part in told.items()}}
