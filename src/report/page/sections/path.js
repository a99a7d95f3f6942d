// The packet path as an icicle, with the cuts drawn in.
import { base, chart, colour, Plot, shorten } from "../chart.js";
import { per_body } from "../bodies.js";
import { h, kib, number, plural, table } from "../dom.js";
import { icicle } from "../icicle.js";

const row_height = 26;
const limits = [1 / 16, 1 / 4, 1, 4, 16, 64]; // instructions per packet and line; the same on every report
const heats = limits.concat(Infinity).map((_, index) => `heat-${index}`);
const heat_of = ({ instructions, lines }) => {
  const index = limits.findIndex((limit) => instructions < limit * lines);
  return heats[index < 0 ? limits.length : index];
};

const widths = {
  code: {
    label: "Width: code",
    unit: "KiB of code, block by block (neighbours share lines)",
    of: (node) => kib(node.lines),
  },
  instructions: {
    label: "Width: instructions",
    unit: "instructions per packet",
    of: (node) => node.instructions,
  },
};

function draw(plan, nodes, by, width) {
  const { rows, cuts, total, depth } = icicle(plan, nodes, by.of);
  const stages = [0, ...cuts.map(({ x }) => x), total];
  const digits = total < 2 ? 2 : total < 20 ? 1 : 0;
  const pixels = (x) => (x / total) * (width - 2);
  const label = (row) => shorten(row.name ?? "", Math.floor(pixels(row.x2 - row.x1) / 6.6) - 1);
  const describe = (row) =>
    [
      row.name ?? plural(row.blocks, "small block"),
      row.node?.at,
      plural(Math.round(row.instructions), "instruction") + " per packet",
      `${number(kib(row.lines), 2)} KiB of code`,
      row.node ? `${number(row.node.visits)} visits in the sample` : plural(row.blocks, "block"),
      `stage ${row.stage}`,
    ]
      .filter(Boolean)
      .join("\n");
  return Plot.plot({
    ...base(width),
    height: (depth + 1) * row_height + 44,
    marginLeft: 1,
    marginRight: 1,
    marginTop: 4,
    marginBottom: 40,
    x: {
      domain: [0, total],
      label: `${by.unit} →`,
      tickFormat: (x) => number(x, digits),
      ticks: Math.max(3, Math.floor(width / 110)),
    },
    y: { domain: [0, depth + 1], reverse: true, axis: null },
    marks: [
      stages
        .slice(0, -1)
        .map((x1, index) =>
          Plot.text([0], {
            x: (x1 + stages[index + 1]) / 2,
            y: 0.5,
            fontWeight: 600,
            text: [
              pixels(stages[index + 1] - x1) > 56
                ? `stage ${index}`
                : pixels(stages[index + 1] - x1) > 14
                  ? `${index}`
                  : "",
            ],
          }),
        ),
      Plot.rect(rows, {
        x1: "x1",
        x2: "x2",
        y1: (row) => row.level + 1,
        y2: (row) => row.level + 2,
        fill: (row) => colour(heat_of(row)),
        stroke: colour("background"),
        strokeWidth: (row) => (pixels(row.x2 - row.x1) > 4 ? 0.75 : 0.2),
      }),
      Plot.text(
        rows.filter((row) => pixels(row.x2 - row.x1) > 40),
        {
          x: (row) => (row.x1 + row.x2) / 2,
          y: (row) => row.level + 1.5,
          text: label,
          fill: (row) => colour(`on-${heat_of(row)}`),
          fontSize: 11,
        },
      ),
      Plot.ruleX(cuts, { x: "x", stroke: colour("cut"), strokeWidth: 2.5 }),
      Plot.tip(
        rows,
        Plot.pointer({
          x: (row) => (row.x1 + row.x2) / 2,
          y: (row) => row.level + 1.5,
          title: describe,
          maxRadius: 60,
          fill: colour("surface"),
          stroke: colour("line"),
        }),
      ),
    ],
  });
}

function heat_legend() {
  const show = (limit) => (limit < 1 ? `1/${1 / limit}` : number(limit));
  const text = (index) =>
    index === 0
      ? `< ${show(limits[0])}`
      : index === limits.length
        ? `≥ ${show(limits.at(-1))}`
        : `${show(limits[index - 1])} – ${show(limits[index])}`;
  return h(
    "ul",
    { class: "legend heat" },
    heats.map((name, index) =>
      h("li", {}, h("span", { class: "swatch", style: `background:${colour(name)}` }), text(index)),
    ),
    h("li", {}, h("span", { class: "swatch cut" }), "cut"),
  );
}

function figure({ plan, path, at }) {
  if (!path?.nodes.length) return null;
  let by = widths.code;
  const choose = Object.entries(widths).map(([key, choice]) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name: `width-${at}`,
        checked: choice === by,
        onchange: () => {
          by = widths[key];
          part.redraw();
        },
      }),
      choice.label,
    ),
  );
  const hottest = path.nodes
    .map((node, index) => ({ ...node, index }))
    .sort((a, b) => b.instructions - a.instructions);
  const body_index = path.index;
  const part = chart({
    name: "path",
    how: "simulated",
    title: `A packet's way through the code: ${plural(path.nodes.length, "block")} that packets of the sample ran, by stage and time; colour is heat, in instructions per packet and cache line.`,
    note: plan.sites.length
      ? `The ${plural(plan.stages.length - 1, "cut")} ${plan.stages.length === 2 ? "is" : "are"} drawn in.`
      : "There is no cut.",
    controls: h(
      "div",
      { class: "controls" },
      h("div", { role: "radiogroup", "aria-label": "What width shows" }, choose),
      heat_legend(),
    ),
    draw: (width) => draw(plan, path.nodes, by, width),
    data: table({
      caption: "Blocks, hottest first",
      rows: hottest,
      limit: 60,
      columns: [
        { label: "function", value: (node) => node.function },
        { label: "at", value: (node) => node.at },
        { label: "stage", value: (node) => node.stage, numeric: true },
        {
          label: "instructions",
          value: (node) => node.instructions,
          path: (node) => `path.bodies.${body_index}.nodes.${node.index}.instructions`,
          numeric: true,
          format: (v) => number(v, 1),
        },
        {
          label: "lines a visit",
          value: (node) => node.lines,
          path: (node) => `path.bodies.${body_index}.nodes.${node.index}.lines`,
          numeric: true,
          format: (v) => number(v, 1),
        },
        {
          label: "into the packet",
          value: (node) => node.when,
          numeric: true,
          format: (v) => `${number(100 * v)} %`,
        },
      ],
    }),
  });
  return part;
}

export const path = {
  id: "path",
  title: "The packet path",
  short: "Path",
  build: (report) => per_body(report, figure),
};
