// The same answers natively and in WebAssembly: every model of a folder is asked about in both, and what is written as JSON is compared.
// Left aside: times, and bytes, which are fewer where a pointer has four of them. A model that takes longer than its limit is left out, and said so.
//
// usage: [VERBOSE=1] node tests/same.mjs MODULE.wasm NATIVE MODEL…    (NATIVE: `cargo build -p page --example answer`)
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { load } from "../source/module.js";

const NATIVE_SECONDS = 10;
const MODULE_SECONDS = 60;
// Ends by themselves are the same on every machine; the clock is not. So states are few and the time is long.
const LIMITS = { seconds: 20_000, states: 10_000, megabytes: 512, thorough: true };

const question = (path) => ({ check: { name: basename(path), text: readFileSync(path, "utf8"), ...LIMITS } });

if (!isMainThread) {
  const ask = await load(await WebAssembly.compile(readFileSync(workerData.module)), () => {});
  parentPort.on("message", (path) => parentPort.postMessage(ask(question(path))));
} else {
  await main(...process.argv.slice(2));
}

function asideFrom(answer) {
  const aside = new Set(["seconds", "bytes", "state_bytes"]);
  return JSON.stringify(answer, (key, value) => (aside.has(key) || key === "page" ? undefined : value), 1);
}

function native(program, path) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, { timeout: NATIVE_SECONDS * 1000, maxBuffer: 1 << 28 }, (error, out) => {
      if (error?.killed) resolve(null);
      else if (error) reject(error);
      else resolve(JSON.parse(out));
    });
    child.stdin.end(JSON.stringify(question(path)) + "\n");
  });
}

function inModule(state, path) {
  state.worker ??= new Worker(new URL(import.meta.url), { workerData: { module: state.module } });
  const { worker } = state;
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(late);
      worker.off("message", answered).off("error", failed);
    };
    const answered = (answer) => (end(), resolve(answer));
    const failed = (error) => (end(), reject(new Error(`${path}: ${error.message}`)));
    const late = setTimeout(() => {
      end();
      worker.terminate();
      state.worker = null;
      resolve(null);
    }, MODULE_SECONDS * 1000);
    worker.on("message", answered).on("error", failed).postMessage(path);
  });
}

async function main(module, program, ...paths) {
  const state = { module, worker: null };
  const counts = { same: 0, leftOut: [], different: [] };
  let ahead = native(program, paths[0]);
  for (const [index, path] of paths.entries()) {
    const expected = await ahead;
    // The next one is asked natively while this one is asked in the module.
    const next = paths[index + 1];
    ahead = next ? native(program, next) : null;
    const found = expected && (await inModule(state, path));
    if (!found) {
      counts.leftOut.push(path);
      if (process.env.VERBOSE) console.log(`${path}: ${expected ? "took too long in the module" : "took too long natively"}`);
      continue;
    }
    const [one, other] = [asideFrom(expected), asideFrom(found)].map((text) => text.split("\n"));
    const line = one.findIndex((text, at) => text !== other[at]);
    if (line < 0 && one.length === other.length) {
      counts.same += 1;
      if (process.env.VERBOSE) console.log(`${path}: the same, ${found.answers.seconds.toFixed(1)} s in the module, ${expected.answers.seconds.toFixed(1)} s natively`);
    } else {
      counts.different.push(path);
      console.error(`${path}: native ${one[line]}, module ${other[line]}`);
    }
  }
  await state.worker?.terminate();
  console.log(`${counts.same} of ${paths.length} models have the same answers; ${counts.leftOut.length} took too long`);
  for (const path of counts.leftOut) console.log(`  left out: ${path}`);
  if (counts.different.length > 0 || counts.same < 0.8 * paths.length) process.exitCode = 1;
}
