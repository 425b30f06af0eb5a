import { load } from "./module.js";

let defect = null;
const tell = (told) => {
  if (told?.defect) defect = told.defect;
  else postMessage({ told });
};
const compiled = fetch("plimsoll.wasm").then(async (response) => {
  if (!response.ok) throw new Error(`plimsoll.wasm: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
});
const asked = compiled.then((module) => load(module, tell));

onmessage = async ({ data }) => {
  try {
    postMessage({ answer: (await asked)(data) });
  } catch (error) {
    const deep = error instanceof RangeError;
    postMessage({ failed: defect ?? (deep ? "the model is nested too deeply for a browser" : String(error.message ?? error)) });
  }
};
