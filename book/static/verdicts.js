/* The verdict page's filters: by chapter, verdict, kind and words. Without this script all rows are shown. */
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("verdict-filters");
  const tables = [...document.querySelectorAll("table.verdicts[data-chapter]")];
  if (!place || !tables.length) return;
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows].map((row) => ({
    row, chapter: table.dataset.chapter, verdict: row.dataset.verdict, kind: row.dataset.kind, words: row.textContent.toLowerCase(),
  })));
  const fields = {};
  const add = (name, label, control) => {
    const box = document.createElement("div"), text = document.createElement("label");
    control.id = "filter-" + name;
    text.htmlFor = control.id;
    text.textContent = label;
    box.append(text, control);
    place.append(box);
    fields[name] = control;
  };
  for (const [name, label] of [["chapter", "Chapter"], ["verdict", "Verdict"], ["kind", "Kind of claim"]]) {
    const select = document.createElement("select");
    for (const value of ["", ...new Set(rows.map((row) => row[name]))]) select.append(new Option(value || "all", value));
    add(name, label, select);
  }
  const words = document.createElement("input");
  words.type = "search";
  add("words", "Words", words);
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Show all";
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  place.append(reset, said);
  const show = (first) => {
    const chosen = Object.entries(fields).filter(([, field]) => field.value);
    let count = 0;
    for (const { row, ...facts } of rows) {
      row.hidden = !chosen.every(([name, field]) => name === "words" ? facts.words.includes(field.value.toLowerCase()) : facts[name] === field.value);
      count += !row.hidden;
    }
    for (const table of tables) (table.closest("section") || table).hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
    said.textContent = `${count} of ${rows.length} verdicts are shown.`;
    if (first) return;
    const query = new URLSearchParams(chosen.map(([name, field]) => [name, field.value])).toString();
    try { history.replaceState(null, "", query ? "?" + query : location.pathname); } catch { /* from a disk some browsers refuse */ }
  };
  for (const field of Object.values(fields)) field.addEventListener("input", () => show(false));
  reset.addEventListener("click", () => { for (const field of Object.values(fields)) field.value = ""; show(false); fields.chapter.focus(); });
  const wanted = new URLSearchParams(location.search); // other pages link to a choice, as ?verdict=refuted
  for (const [name, field] of Object.entries(fields)) {
    field.value = wanted.get(name) || "";
    if (field.selectedIndex < 0) field.value = "";
  }
  place.hidden = false;
  show(true);
});
