// A click on a header sorts the table by that column; a second click, the other way round.
// NUMBER is as in tables.py.
const NUMBER = /^\s*([-−+]?)((?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w(])/i;
const text = (row, column) => {
  const cell = row.cells[column].cloneNode(true);
  for (const line of cell.querySelectorAll("br")) line.replaceWith(" ");
  return cell.textContent.trim();
};
const number = (words) => {
  const found = NUMBER.exec(words);
  return found ? (/[-−]/.test(found[1]) ? -1 : 1) * Number(found[2].replace(/,/g, "")) : NaN;
};
function sortTable(table, column, header) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const words = rows.map((row) => text(row, column)).filter((value) => value !== "");
  const numeric = words.every((value) => !Number.isNaN(number(value)));
  const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [text(one, column), text(other, column)];
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (numeric ? number(a) - number(b) : a.localeCompare(b, "en", { numeric: true }));
  });
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort by this column";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortTable(table, column, header));
    header.append(button);
    header.setAttribute("aria-sort", "none");
  });
}
