// Looks at reports in a browser: node check.mjs BROWSER FOLDER NAME..., each with NAME.html and NAME.json in the folder.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browser_path, folder, ...names] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browser_path, args: ["--no-sandbox"] });

// A page that must neither complain nor ask for anything but itself.
async function open(file, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on(
    "request",
    (request) => /^(file|data):/.test(request.url()) || complaints.push(`asks for ${request.url()}`),
  );
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".canvas")].every((canvas) => canvas.querySelector("svg")),
  );
  return {
    page,
    close: async () => {
      assert.deepEqual(complaints, [], "the browser's console");
      await context.close();
    },
  };
}

// Every chart has marks with a size, and a table with rows.
async function check_charts(page, what) {
  const charts = await page.$$eval("[data-chart]", (figures) =>
    figures.map((figure) => ({
      name: figure.dataset.chart,
      marks: [...figure.querySelectorAll("svg :is(rect, circle, path, line)")].filter((mark) => {
        const { width, height } = mark.getBBox();
        return width + height > 0;
      }).length,
      broken: [...figure.querySelectorAll("svg *")].filter((mark) =>
        [...mark.attributes].some(({ value }) => /NaN|undefined/.test(value)),
      ).length,
      rows: figure.querySelectorAll("tbody tr").length,
      label: figure.querySelector(".canvas").getAttribute("aria-label"),
      focusable: figure.querySelector(".canvas").tabIndex === 0,
    })),
  );
  for (const chart of charts) {
    assert.ok(chart.marks > 0, `${what}: ${chart.name} has no data`);
    assert.equal(chart.broken, 0, `${what}: ${chart.name} has marks without a place`);
    assert.ok(chart.rows > 0, `${what}: ${chart.name} has no table behind it`);
    assert.ok(chart.label && chart.focusable, `${what}: ${chart.name} cannot be reached or read`);
  }
  return charts.map((chart) => chart.name);
}

const at = (document, path) => path.split(".").reduce((value, key) => value[key], document);

// The figures on the page are those of the JSON.
async function check_figures(page, document) {
  const figures = await page.$$eval("[data-path]", (data) =>
    data.map((datum) => [datum.dataset.path, datum.value]),
  );
  assert.ok(figures.length > 10, "few figures");
  for (const [path, value] of figures) assert.equal(value, String(at(document, path)), path);
  return figures.length;
}

async function check_overflow(page, what) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${what}: ${content} pixels wide in ${window}`);
}

async function check_remarks(page, document) {
  const total = document.plan.remarks.length;
  if (!total) return;
  const shown = () => page.locator(".remarks li:visible").count();
  assert.equal(await shown(), total);
  await page.fill("#remark-text", "no remark says this");
  assert.equal(await shown(), 0);
  await page.fill("#remark-text", "");
  const { code } = document.plan.remarks[0];
  await page.focus(`.codes button[value="${code}"]`);
  await page.keyboard.press("Enter");
  assert.equal(await shown(), document.plan.remarks.filter((remark) => remark.code === code).length);
}

// Everything that can be done can be done without a mouse.
async function check_keyboard(page) {
  await page.evaluate(() => scrollTo(0, 0));
  const reached = new Set();
  for (let presses = 0; presses < 400; ++presses) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const { activeElement: element } = document;
      if (element === document.body) return null;
      return element.closest("[data-chart]")?.dataset.chart ?? element.className ?? element.tagName;
    });
    if (name === null) break;
    reached.add(name);
  }
  const charts = await page.$$eval("[data-chart]", (figures) =>
    figures.map((figure) => figure.dataset.chart),
  );
  for (const name of [...charts, "skip", "theme"])
    assert.ok(reached.has(name), `${name} is not reached by Tab`);
}

async function check_theme(page) {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.click(".theme");
  assert.notEqual(await background(), before, "the theme stays");
  await page.click(".theme");
  assert.equal(await background(), before, "the theme does not come back");
}

async function check(name) {
  const document = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const file = join(folder, `${name}.html`);
  const picture = (what) => join(folder, `${name}-${what}.png`);
  let drawn;
  for (const scheme of ["light", "dark"]) {
    const { page, close } = await open(file, { colorScheme: scheme });
    drawn = await check_charts(page, scheme);
    await check_overflow(page, scheme);
    await page.screenshot({ path: picture(scheme), fullPage: true });
    if (scheme === "light") {
      const figures = await check_figures(page, document);
      await check_keyboard(page);
      await check_theme(page);
      await check_remarks(page, document);
      for (const choice of await page.$$(".controls input[type=radio]")) await choice.check();
      await check_charts(page, "the other width");
      console.log(`${name}: ${drawn.join(", ")}; ${figures} figures`);
    }
    await close();
  }
  const narrow = await open(file, { viewport: { width: 390, height: 800 } });
  await check_charts(narrow.page, "narrow");
  await check_overflow(narrow.page, "narrow");
  await narrow.page.screenshot({ path: picture("narrow"), fullPage: true });
  await narrow.close();

  const paper = await open(file, { colorScheme: "dark", viewport: { width: 720, height: 1000 } });
  await paper.page.emulateMedia({ media: "print" });
  await check_charts(paper.page, "on paper");
  await check_overflow(paper.page, "on paper");
  assert.equal(
    await paper.page.evaluate(() => getComputedStyle(document.body).backgroundColor),
    "rgb(255, 255, 255)",
    "paper is white",
  );
  await paper.page.screenshot({ path: picture("print"), fullPage: true });
  await paper.page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
  assert.ok(statSync(join(folder, `${name}.pdf`)).size > 10000);
  await paper.close();
  return drawn;
}

// Names and remarks that would be markup if they were not text.
async function check_hostile(name) {
  const page_text = readFileSync(join(folder, `${name}.html`), "utf8");
  const document = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const hostile = "</script><img src=x onerror=alert(1)><!-- \"'&";
  document.program = hostile;
  document.plan.remarks.push({ code: "one-stage", where: hostile, what: hostile, hint: hostile });
  document.sources.forEach((view) => view.lines.fill(hostile));
  const json = JSON.stringify(document).replaceAll("<", "\\u003c");
  const begin = page_text.indexOf('<script type="application/json"'),
    inside = page_text.indexOf(">", begin) + 1;
  writeFileSync(
    join(folder, "hostile.html"),
    page_text.slice(0, inside) + json + page_text.slice(page_text.indexOf("</script>", inside)),
  );
  const { page, close } = await open(join(folder, "hostile.html"));
  assert.equal(await page.textContent("h1"), hostile);
  assert.equal(await page.locator("img").count(), 0);
  await close();
}

const expected = {
  staged: ["speed", "cycles", "path", "stages", "misses", "windows", "relaxations", "batches", "sweep"],
  bare: ["cycles", "stages", "windows", "relaxations"],
  hidden: ["speed", "cycles", "path", "stages", "misses", "windows", "relaxations", "loads", "batches"],
};
for (const name of names) {
  const drawn = await check(name);
  assert.deepEqual(drawn, expected[name], `the charts of ${name}`);
}
await check_hostile(names[0]);
await browser.close();
