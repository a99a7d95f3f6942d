// A chart with its caption and the table of what it shows. Drawn again when its width changes, so that text keeps its size.
import * as Plot from "@observablehq/plot";

import { h, kind } from "./dom.js";

const print_width = 700;

// name: for tests; title: what the chart shows; draw(width): a Plot; data: the table; how: measured, simulated, modelled.
export function chart({ name, title, how, draw, note, data, controls }) {
  const canvas = h("div", { class: "canvas", role: "img", "aria-label": title, tabindex: "0" });
  let drawn = 0;
  const redraw = (width) => {
    if (!width) return;
    drawn = width;
    canvas.replaceChildren(draw(Math.min(width, 1080)));
  };
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (Math.abs(width - drawn) > 1 && !matchMedia("print").matches) redraw(width);
  }).observe(canvas);
  matchMedia("print").addEventListener("change", (event) =>
    redraw(event.matches ? print_width : canvas.clientWidth),
  );
  const figure = h(
    "figure",
    { "data-chart": name },
    controls,
    canvas,
    h("figcaption", {}, kind(how), " ", title, note ? ` ${note}` : ""),
    data ? h("details", {}, h("summary", {}, "The figures"), data) : null,
  );
  figure.redraw = () => redraw(canvas.clientWidth);
  return figure;
}

// Colours are names of the style sheet's, so that a theme changes them without drawing again.
export const colour = (name) => `var(--${name})`;

export const base = (width) => ({
  width,
  style: {
    background: "none",
    color: colour("text"),
    fontFamily: "inherit",
    fontSize: "12px",
    overflow: "visible",
  },
});

// Direct labels in place of a legend where there are few series.
export function legend(entries) {
  return h(
    "ul",
    { class: "legend" },
    entries.map(([label, name]) =>
      h("li", {}, h("span", { class: "swatch", style: `background:${colour(name)}` }), label),
    ),
  );
}

// What is longer than there is room for.
export const shorten = (text, most) =>
  text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;

export { Plot };
