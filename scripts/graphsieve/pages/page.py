"""The frame of every page the project writes: one style, readable on a phone and in the dark, nothing fetched."""

STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #646464; --line: #ddd; --page: #fff; --card: #f5f7f9;
  --strong: #0072b2; --weak: #a9b4bd; --mark: #d55e00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #a6a6a6; --line: #3a3a3a; --page: #181818; --card: #232629;
    --strong: #56b4e9; --weak: #5b646b; --mark: #f0874a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1.1rem 3rem; background: var(--page); color: var(--ink);
  overflow-wrap: anywhere; font: 1.05rem/1.5 Charter, "Bitstream Charter", Cambria, Georgia, serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 0.3rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.4rem 0 0.4rem; }
p { margin: 0.4rem 0; }
a { color: var(--strong); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.soft { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 0.8rem; margin: 1.4rem 0; }
.cards div { background: var(--card); border-radius: 8px; padding: 0.8rem 1rem; font-size: 0.95rem; line-height: 1.35; }
.cards b { display: block; font-size: 1.7rem; line-height: 1.3; color: var(--strong); font-weight: 600; }
.warning { border-left: 3px solid var(--mark); padding-left: 0.8rem; font-size: 0.95rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; margin: 0.6rem 0; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th.text, td.text { text-align: left; white-space: normal; min-width: 7rem; }
summary { cursor: pointer; color: var(--strong); padding: 0.4rem 0; }
footer { border-top: 1px solid var(--line); margin-top: 2.4rem; padding-top: 0.8rem; font-size: 0.9rem; }
"""


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """`title` and `body` are HTML already; `style` comes after the common one."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""
