// A click on a header sorts the table by that column; a second click, the other way round.
// Columns of words have a class (tables.py gives it), columns of numbers have none.
const text = (row, column) => {
  const cell = row.cells[column].cloneNode(true);
  for (const line of cell.querySelectorAll("br")) line.replaceWith(" ");
  return cell.textContent.trim();
};
// What follows the number (a deviation, an interval, a unit) does not count.
const number = (words) => Number.parseFloat(words.replace("−", "-").replaceAll(",", ""));
function sortTable(table, column, header) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const numeric = header.className === "";
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
