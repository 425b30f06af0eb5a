// The page in a real browser, used as a person would: type a model, see the error, mend it, check, step, share, reload, stop, offline.
//
// usage: node tests/page.mjs PLIMSOLL [FOLDER]    (a program with its page inside; screenshots go into the folder)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [program, folder] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const WRONG = "byte x;\nactive proctype P() { x = yy }\n";
const MENDED = `chan a = [0] of { byte };
chan b = [0] of { byte };
active proctype P() { a!1; b?1 }
active proctype Q() { b!1; a?1 }
`;
// The counters decide something, so that they cannot be left out.
const ENDLESS = `int x, y, z;
active proctype counter() { do :: x++ :: y++ :: z++ :: assert(x + y + z >= 0) od }
chan c = [2] of { byte };
active proctype P() { do :: c!1; c?1 od }
`;

const server = spawn(program, ["play", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
// However this ends, also when there is no browser to be started.
process.on("exit", () => server.kill());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
const address = await new Promise((resolve, reject) => {
  // What is said may come in pieces.
  let said = "";
  server.stdout.on("data", (data) => {
    said += data;
    const found = /(http:\S+)\s/.exec(said);
    if (found) resolve(found[1]);
  });
  server.on("exit", () => reject(new Error("plimsoll play ended")));
});

const browser = await chromium.launch({
  executablePath: process.env.PLIMSOLL_BROWSER ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const complaints = [];
let failed = null;
let page = null;

const open = async (options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  return page;
};
const ready = (page) => page.waitForSelector("html[data-ready=yes]");
const text = (page) => page.evaluate(() => [...document.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));
const write = async (page, model) => {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  // As if pasted: brackets that are typed close themselves.
  await page.keyboard.insertText(model);
};
const report = (page) => page.frameLocator("#report");
const checked = async (page) => {
  await page.locator("#stop").waitFor({ state: "hidden" });
  await page.locator("#report").waitFor({ state: "visible" });
  await report(page).locator("footer").waitFor();
};
const picture = async (page, name) => folder && page.screenshot({ path: `${folder}/${name}.png` });
const fits = async (page) => {
  const [wanted, there] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wanted <= there, `the page is ${wanted} wide, and there is room for ${there}`);
};

const steps = {
  async "an error is seen while typing, and a fix is offered"(page) {
    await write(page, "byte yyy;\n");
    await page.keyboard.type("active proctype P() { yyy = yy ", { delay: 5 });
    await page.locator("#problems.wrong", { hasText: "yy" }).waitFor();
    assert.match(await page.locator("#problems").textContent(), /line 2: .*`yy`/);
    assert.ok(await page.locator("#check").isDisabled());
    await page.locator(".cm-lintRange-error").first().hover();
    await page.locator(".cm-diagnosticAction", { hasText: "yyy" }).first().click();
    await page.locator("#problems:not(.wrong)").waitFor();
    assert.match(await text(page), /yyy = yyy/);
  },

  async "names are coloured, completed and explained by the language server"(page) {
    await write(page, "mtype = { red };\nchan wires = [3] of { mtype };\nactive proctype P() { wires!red }\n");
    await page.locator(".token-class", { hasText: "P" }).waitFor();
    await page.locator(".token-enumMember").first().waitFor();
    await page.locator(".token-variable", { hasText: "wires" }).last().hover();
    await page.locator(".hover", { hasText: "chan wires" }).waitFor();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("active proctype Q() { wir");
    await page.locator(".cm-tooltip-autocomplete", { hasText: "wires" }).waitFor();
    await page.keyboard.press("Escape");
  },

  async "an error is mended, the model is checked, its counterexample is stepped through"(page) {
    await write(page, WRONG);
    await page.locator("#problems.wrong").waitFor();
    await write(page, MENDED);
    await page.locator("#problems:not(.wrong)").waitFor();
    const began = Date.now();
    await page.keyboard.press("ControlOrMeta+Enter");
    await checked(page);
    console.log(`time from the key to the report: ${Date.now() - began} ms`);
    // What takes less than a second is told in milliseconds, as on the command line.
    assert.match(await page.locator("#said").textContent(), /1 violated.* in (\d{1,3} ms|[1-9]\d*\.\d s)$/);
    const section = report(page).locator("#violation-deadlock");
    assert.match(await section.locator(".waiting").textContent(), /waiting in a circle/);
    const where = section.locator(".where");
    assert.equal(await where.textContent(), "step 0 of 0");
  },

  async "the stepper goes on and back, by buttons and by keys"(page) {
    await page.locator("#examples").selectOption({ label: "Mutual exclusion: a first attempt" });
    await page.locator("#problems:not(.wrong)").waitFor();
    await page.locator("#check").click();
    await checked(page);
    await report(page).getByRole("link", { name: "assertions" }).click();
    const section = report(page).locator("#violation-assertions");
    const where = section.locator(".where");
    const last = Number(/of (\d+)/.exec(await where.textContent())[1]);
    assert.ok(last > 3, "there is something to step through");
    for (let step = 1; step <= last; step += 1) {
      await section.locator("[data-go=on]").click();
      assert.equal(await where.textContent(), `step ${step} of ${last}`);
    }
    assert.match(await section.locator(".said").textContent(), /assert/);
    await section.locator(".stepper").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await where.textContent(), `step ${last - 1} of ${last}`);
    assert.ok((await report(page).locator("#graphs svg").count()) > 0, "graphs");
    await picture(page, "light");
    await fits(page);
  },

  async "a model is shared by its address, and is there again after a reload"(page) {
    await write(page, MENDED);
    await page.locator("#problems:not(.wrong)").waitFor();
    await page.locator("#share").click();
    await page.locator("#said", { hasText: "copied" }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith(address), link);
    await page.reload();
    await ready(page);
    assert.equal((await text(page)).trim(), MENDED.trim());
    const other = await open();
    await other.goto(link);
    await ready(other);
    assert.equal((await text(other)).trim(), MENDED.trim());
    await other.context().close();
  },

  async "a check is stopped, and what was told stays"(page) {
    await write(page, ENDLESS);
    await page.locator("#problems:not(.wrong)").waitFor();
    await page.locator("#check").click();
    await page.locator("#told .PROVED").first().waitFor();
    await page.locator("#stop").click();
    await page.locator("#said", { hasText: "Stopped" }).waitFor();
    assert.ok((await page.locator("#told .PROVED").count()) > 0);
    assert.ok((await page.locator("#told .UNKNOWN").count()) > 0);
    await write(page, MENDED);
    await page.locator("#problems:not(.wrong)").waitFor();
    await page.keyboard.press("ControlOrMeta+Enter");
    await checked(page);
  },

  async "every example answers what its header says"(page) {
    const source = readFileSync(here("../source/examples.js"), "utf8");
    const files = new Map([...source.matchAll(/import (\w+) from "(.*?)"/g)].map(([, name, path]) => [name, path]));
    for (const [, title, name] of source.matchAll(/title: "(.*?)", text: (\w+)/g)) {
      await page.locator("#examples").selectOption({ label: title });
      await page.locator("#problems:not(.wrong)").waitFor();
      await page.locator("#check").click();
      await checked(page);
      const rows = report(page).locator("#summary tbody tr");
      const found = new Map();
      for (const row of await rows.all()) found.set(await row.locator("th").textContent(), await row.locator(".verdict").textContent());
      const header = readFileSync(here(`../source/${files.get(name)}`), "utf8");
      for (const [, question, verdict] of header.matchAll(/expect: ((?:ltl )?\w+) ([A-Z]+)/g)) {
        const nothing = verdict === "PROVED" && found.get(question) === "nothing";
        assert.ok(found.get(question) === verdict || nothing, `${title}: ${question} is ${found.get(question)}, expected ${verdict}`);
      }
      for (const [, buffer, bound] of header.matchAll(/expect: bound (\w+) (\d+)/g)) {
        const card = report(page).locator(".card", { hasText: buffer }).first();
        assert.match(await card.textContent(), new RegExp(`at most ${bound}\\b`));
      }
    }
  },

  async "the page works without a network"(page) {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    await write(page, MENDED);
    await page.locator("#problems:not(.wrong)").waitFor();
    await page.keyboard.press("ControlOrMeta+Enter");
    await checked(page);
    await page.context().setOffline(false);
  },
};

try {
  if (folder) mkdirSync(folder, { recursive: true });
  page = await open();
  const began = Date.now();
  await page.goto(address);
  await ready(page);
  console.log(`time until the page is ready: ${Date.now() - began} ms`);
  for (const [name, step] of Object.entries(steps)) {
    failed = name;
    await step(page);
    console.log(`ok: ${name}`);
  }
  failed = "dark and narrow";
  for (const [name, options] of [["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 420, height: 900 } }]]) {
    const other = await open(options);
    await other.goto(address);
    await ready(other);
    await other.locator("#examples").selectOption({ label: "Buffers: how full do they get?" });
    await other.locator("#problems:not(.wrong)").waitFor();
    await other.locator("#check").click();
    await checked(other);
    await fits(other);
    await picture(other, name);
    await other.context().close();
  }
  console.log("ok: dark and narrow");
  failed = "no complaints";
  assert.deepEqual(complaints, []);
  failed = null;
} catch (error) {
  console.error(`failed: ${failed}`, error, complaints);
  if (page) await picture(page, "failed");
} finally {
  await browser.close();
}
process.exit(failed ? 1 : 0);
