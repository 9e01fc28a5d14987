"use strict";
for (const head of document.querySelectorAll("thead th")) {
  head.querySelector("button").addEventListener("click", () => sort(head));
}

function sort(head) {
  const table = head.closest("table");
  const column = head.cellIndex;
  const numbers = head.dataset.kind === "number";
  // Numbers begin with the greatest, words with A.
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numbers;
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [row, row.cells[column].dataset.key]);
  rows.sort(([, a], [, b]) => {
    if (!a || !b) return !a - !b; // what is missing comes last either way
    const order = numbers ? a - b : a.localeCompare(b, "en", { numeric: true });
    return down ? -order : order;
  });
  body.append(...rows.map(([row]) => row));
}

for (const field of document.querySelectorAll("input[data-table]")) {
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    const rows = Array.from(document.getElementById(field.dataset.table).tBodies[0].rows);
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    const shown = rows.filter((row) => !row.hidden).length;
    field.parentElement.querySelector("output").textContent =
      wanted ? `${shown} of ${rows.length}` : "";
  });
}
