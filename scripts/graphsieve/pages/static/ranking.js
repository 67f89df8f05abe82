// The bars of all features: searched, sorted, and as many as are looked at. A bar that the page has serves as the model.
const data = JSON.parse(document.getElementById("data").textContent);
const bars = document.querySelector(".bars");
const model = bars.querySelector(".bar").cloneNode(true);
const more = document.getElementById("more");
const AT_ONCE = 50;
const ORDERS = {
  rank: (one, other) => one.rank - other.rank,
  p: (one, other) => one.p - other.p || one.rank - other.rank,
  name: (one, other) => one.name.localeCompare(other.name, "en", { numeric: true }),
};
let shown = AT_ONCE;

function filled(row) {
  const bar = model.cloneNode(true);
  const set = (selector, words) => { bar.querySelector(selector).textContent = words; };
  set(".star", row.starred ? "★ " : "");
  set(".label", row.name);
  set(".value b", row.importance);
  set(".value small", `p ${row.p_text}`);
  set(".why", row.sentence);
  const svg = bar.querySelector("svg");
  svg.setAttribute("aria-label", row.importance);
  const [rect, line, zero] = svg.children;
  const put = (element, values) => Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));
  put(rect, { x: row.start, width: row.width, fill: `var(${row.starred ? "--strong" : "--weak"})` });
  put(line, { x1: row.low, x2: row.high });
  put(zero, { x1: data.zero, x2: data.zero });
  return bar;
}

function chosen() {
  const form = document.forms[0];
  const asked = form.search.value.trim().toLowerCase();
  const rows = data.rows.filter((row) => (!form.starred.checked || row.starred)
    && (row.name.toLowerCase().includes(asked) || row.reason.includes(asked)));
  return rows.sort(ORDERS[form.order.value]);
}

function draw() {
  const rows = chosen();
  bars.replaceChildren(...rows.slice(0, shown).map(filled));
  const count = new Intl.NumberFormat("en");
  document.getElementById("count").textContent = `${count.format(rows.length)} of ${count.format(data.rows.length)} features`;
  more.hidden = rows.length <= shown;
  more.textContent = `Show ${count.format(Math.min(AT_ONCE, rows.length - shown))} more`;
}

document.forms[0].hidden = false;
document.forms[0].addEventListener("input", () => { shown = AT_ONCE; draw(); });
document.forms[0].addEventListener("submit", (event) => event.preventDefault());
more.addEventListener("click", () => { shown += AT_ONCE; draw(); });

// Names as a Python list: JSON writes strings as Python reads them.
const list = `[${data.kept.map((name) => JSON.stringify(name)).join(", ")}]`;
const copy = document.getElementById("copy");
copy.addEventListener("click", async () => {
  const area = document.getElementById("list");
  area.hidden = false;
  area.value = list;
  area.select();
  try {
    await navigator.clipboard.writeText(list);
    copy.textContent = "Copied";
  } catch {
    copy.textContent = document.execCommand("copy") ? "Copied" : "Copy it from below";
  }
});
const save = document.getElementById("save");
save.download = "kept_columns.txt";
save.href = URL.createObjectURL(new Blob([`${data.kept.join("\n")}\n`], { type: "text/plain" }));
document.getElementById("kept").hidden = false;
draw();
