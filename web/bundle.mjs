// Puts the page together in `dist/`: scripts and styles, the module, and a service worker that knows all of them.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";

const [module] = process.argv.slice(2);
if (!module) throw new Error("usage: node bundle.mjs MODULE.wasm");

for (const name of readdirSync("dist")) if (!name.startsWith(".")) rmSync(`dist/${name}`);
await build({
  entryPoints: ["source/main.js", "source/worker.js", "source/main.css"],
  outdir: "dist", bundle: true, minify: true, format: "iife", target: "es2023", loader: { ".pml": "text" }, logLevel: "warning", legalComments: "none",
});
for (const name of ["index.html", "icon.svg"]) copyFileSync(`source/${name}`, `dist/${name}`);
copyFileSync(module, "dist/plimsoll.wasm");

const files = readdirSync("dist").filter((name) => !name.startsWith(".")).sort();
const hash = createHash("sha256");
for (const name of files) hash.update(readFileSync(`dist/${name}`));
const version = hash.digest("hex").slice(0, 16);
const script = readFileSync("source/service-worker.js", "utf8");
writeFileSync("dist/service-worker.js", script.replace("@VERSION@", version).replace("@FILES@", ["./", ...files].join(" ")));
