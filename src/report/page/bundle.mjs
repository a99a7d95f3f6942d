// Bundles the page into one file: node bundle.mjs NODE_MODULES OUTPUT
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, output] = process.argv.slice(2);
const page = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(modules, "package.json"))("esbuild");

const common = { bundle: true, minify: true, write: false, logLevel: "warning", legalComments: "none" };
const script = await build({
  ...common,
  entryPoints: [join(page, "main.js")],
  nodePaths: [modules],
  format: "iife",
  target: "es2022",
  metafile: true,
});
const style = await build({ ...common, entryPoints: [join(page, "style.css")] });

// The licences of what went in ask to go with it.
const packages = new Set(
  Object.keys(script.metafile.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  ),
);
const licences = new Map(); // text -> names
for (const name of [...packages].sort()) {
  const file = readdirSync(join(modules, name)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  const licence = readFileSync(join(modules, name, file), "utf8").trim();
  licences.set(licence, [...(licences.get(licence) ?? []), name]);
}
const notices = [...licences]
  .map(([licence, names]) => `${names.join(", ")}\n\n${licence}\n`)
  .join("\n----\n\n");

// "</script" within the script would end it; functions as replacements, so that "$&" stays as it is.
const text = script.outputFiles[0].text.replaceAll("</script", "<\\/script");
writeFileSync(
  output,
  readFileSync(join(page, "index.html"), "utf8")
    .replace("{{style}}", () => style.outputFiles[0].text)
    .replace("{{licences}}", () => notices.replaceAll("</", "<\\/"))
    .replace("{{script}}", () => text),
);
