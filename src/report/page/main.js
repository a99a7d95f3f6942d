// The page: one section per part of the document that there is data for, in the order of this list.
import { h } from "./dom.js";
import { theme_button } from "./theme.js";
import { batches } from "./sections/batches.js";
import { cycles } from "./sections/cycles.js";
import { left_out } from "./sections/left_out.js";
import { loads } from "./sections/loads.js";
import { misses } from "./sections/misses.js";
import { outputs } from "./sections/outputs.js";
import { path } from "./sections/path.js";
import { remarks } from "./sections/remarks.js";
import { sources } from "./sections/sources.js";
import { speed } from "./sections/speed.js";
import { stages } from "./sections/stages.js";
import { sweep } from "./sections/sweep.js";
import { summary } from "./sections/summary.js";
import { windows } from "./sections/windows.js";

const sections = [
  summary,
  speed,
  cycles,
  path,
  stages,
  misses,
  windows,
  loads,
  batches,
  sweep,
  outputs,
  sources,
  remarks,
  left_out,
];

function subtitle({ machine }) {
  const caches = machine.caches.map(
    ({ level, type, size }) => `L${level}${{ Instruction: "I", Data: "D" }[type] ?? ""} ${size}`,
  );
  const where = machine.hypervisor ? `virtual machine (${machine.hypervisor})` : "no hypervisor";
  return [machine.cpu, `${machine.cpus} CPUs`, ...caches, where, machine.kernel, machine.date].join(" · ");
}

function build(report) {
  const parts = sections
    .map((section) => ({ ...section, content: section.build(report) }))
    .filter(({ content }) => content);
  document.title = `${report.program}: Heddle report`;
  return [
    h(
      "header",
      {},
      h("div", { class: "title" }, h("h1", {}, report.program), theme_button()),
      h("p", { class: "subtitle" }, subtitle(report)),
      h(
        "nav",
        { "aria-label": "Sections" },
        h(
          "ul",
          {},
          parts.map(({ id, title, short }) => h("li", {}, h("a", { href: `#${id}` }, short ?? title))),
        ),
      ),
    ),
    h(
      "main",
      { id: "report", tabindex: "-1" },
      parts.map(({ id, title, content }) =>
        h(
          "section",
          { id, "aria-labelledby": `${id}-title` },
          h("h2", { id: `${id}-title` }, title),
          content,
        ),
      ),
    ),
    h(
      "footer",
      {},
      `Heddle ${report.heddle}. Every figure on this page is in `,
      h("code", {}, "heddle report --json"),
      "; docs/report.md says where each comes from.",
    ),
  ];
}

const report = JSON.parse(document.getElementById("document").textContent);
document.getElementById("page").replaceChildren(...build(report));
