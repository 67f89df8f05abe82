"""A page as Chromium shows it: what it complains of, and what a script finds in it."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs the Debian package chromium")

# The page lies in a frame as wide as a screen: Chromium's own windows cannot be narrower than 500 pixels.
FRAME = """<!DOCTYPE html>
<meta charset="utf-8">
<iframe id="frame" src="{source}" style="width: {width}px; height: 900px; border: 0"></iframe>
<pre id="found"></pre>
<script>
frame.onload = () => {{
  const page = frame.contentDocument;
  const found = (() => {{ {script} }})();
  document.getElementById("found").textContent = JSON.stringify(found).replaceAll("<", "\\\\u003c");
}};
</script>
"""


@dataclass
class Seen:
    found: object
    complaints: list[str]


def look_at(page: Path, script: str, width: int = 1200) -> Seen:
    """Open a page and run a script in which `page` is its document; the script returns what JSON can hold."""
    frame = page.with_name(f"frame_{width}.html")
    frame.write_text(FRAME.format(source=page.name, width=width, script=script), encoding="utf-8")
    profile = page.with_name("chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--window-size=1300,1000"]
    options += ["--allow-file-access-from-files", "--enable-logging=stderr"]
    command = [CHROMIUM, *options, "--dump-dom", frame.resolve().as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    frame.unlink()
    shutil.rmtree(profile, ignore_errors=True)
    found = re.search(r'<pre id="found">(.*?)</pre>', result.stdout, re.DOTALL)
    assert found, f"the script did not finish:\n{result.stderr}"
    text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return Seen(json.loads(text), [line for line in result.stderr.splitlines() if ":CONSOLE" in line])
