// Elements, numbers and tables. All text goes in as text, never as HTML.

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value == null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

const formats = new Map();
export function number(value, digits = 0) {
  if (!formats.has(digits))
    formats.set(
      digits,
      new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    );
  return formats.get(digits).format(value);
}
export const percent = (share, digits = 0) => `${number(100 * share, digits)} %`;
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
export const kib = (lines) => (lines * 64) / 1024;

// A figure that stands in the document at `path`; tests compare the two.
export function datum(value, text, path) {
  return h("data", { value, "data-path": path }, text);
}

// How a figure was had: measured, simulated or modelled.
export function kind(name) {
  const meaning = {
    measured: "from runs of the programs on the machine named above",
    simulated: "from the profile, replayed through caches in software",
    modelled: "predicted by the planner's cost model from simulated figures",
    sampled: "counted in the profile",
    analysed: "found in the program's code by the analysis",
  }[name];
  return h("span", { class: `kind ${name}`, title: meaning }, name);
}

// columns: {label, key} of the rows, or {label, value(row)}; `format` gives the text, `numeric` sets it to the right. `path`: where the
// rows stand in the document; column.path(row): where one value does.
export function table({ caption, columns, rows, path, limit = 200 }) {
  const cell = (row, index, column) => {
    const value = column.key ? row[column.key] : column.value(row, index);
    const text = column.format ? column.format(value, row) : String(value ?? "");
    const attributes = { class: column.numeric ? "number" : column.class };
    const at = column.path?.(row) ?? (column.key && path && `${path}.${index}.${column.key}`);
    return h(
      "td",
      attributes,
      at && ["number", "string"].includes(typeof value) ? datum(value, text, at) : text,
    );
  };
  const head = columns.map((column) =>
    h("th", { scope: "col", class: column.numeric && "number" }, column.label),
  );
  const body = rows.slice(0, limit).map((row, index) =>
    h(
      "tr",
      {},
      columns.map((column) => cell(row, index, column)),
    ),
  );
  const more =
    rows.length > limit ? h("p", { class: "note" }, `... and ${number(rows.length - limit)} more`) : null;
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)),
    more,
  );
}
