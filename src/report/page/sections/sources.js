// The source around every site, window and expensive load.
import { h, plural } from "../dom.js";

const kinds = { site: "site", window: "window", load: "load" };

function view({ line, first, lines, uses }) {
  const rows = lines.map((text, index) =>
    h(
      "tr",
      { class: first + index === line && "here" },
      h("td", { class: "line" }, String(first + index)),
      h("td", {}, h("code", {}, text || " ")),
    ),
  );
  return h(
    "div",
    { class: "view", "data-kinds": [...new Set(uses.map((use) => use.kind))].join(" ") },
    h(
      "ul",
      { class: "uses" },
      uses.map((use) => h("li", {}, h("span", { class: `use ${use.kind}` }, kinds[use.kind]), " ", use.text)),
    ),
    h(
      "div",
      { class: "code", tabindex: "0", role: "region", "aria-label": `Source around line ${line}` },
      h("table", {}, h("tbody", {}, rows)),
    ),
  );
}

export const sources = {
  id: "sources",
  title: "Source",
  build({ sources: views }) {
    if (!views.length) return null;
    const files = new Map();
    for (const place of views) files.set(place.file, [...(files.get(place.file) ?? []), place]);
    const counts = (places) =>
      Object.keys(kinds)
        .map((kind) => [kind, places.filter((place) => place.uses.some((use) => use.kind === kind)).length])
        .filter(([, count]) => count)
        .map(([kind, count]) => plural(count, kind))
        .join(", ");
    return [...files].map(([file, places], index) =>
      h(
        "details",
        { class: "file", open: index === 0 },
        h("summary", {}, h("code", {}, file), " ", h("span", { class: "note" }, counts(places))),
        places.map(view),
      ),
    );
  },
};
