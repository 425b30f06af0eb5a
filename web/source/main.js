import { decode, encode } from "./address.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { examples } from "./examples.js";

const find = (id) => document.getElementById(id);
const made = (name, text, className = "") => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

// The language server never waits for the engines: each has a worker of its own.
const language = new Engine();
const engines = new Engine();

let addressTimer = null;
let isChecking = false;
let clock = null;

const subject = () => {
  const any = find("any").value.trim();
  return {
    text: editor.text,
    fairness: find("fairness").value,
    anyNumber: any ? any.split(/[\s,]+/) : [],
    seconds: Number(find("seconds").value) || 30,
  };
};

const show = ({ text, fairness = "all", anyNumber = [], seconds = 30 }) => {
  find("fairness").value = fairness;
  find("any").value = anyNumber.join(", ");
  find("seconds").value = String(seconds);
  find("options").open = fairness !== "all" || anyNumber.length > 0;
  editor.text = text;
};

const putInAddress = async () => {
  clearTimeout(addressTimer);
  addressTimer = null;
  const hash = await encode(subject());
  window.history.replaceState(null, "", `#${hash}`);
};

const editor = new Editor(find("editor"), language, {
  changed() {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(putInAddress, 400);
  },
  problems(found) {
    const errors = found.filter(({ severity }) => severity === "error");
    const box = find("problems");
    box.replaceChildren();
    box.classList.toggle("wrong", errors.length > 0);
    const [first] = errors.concat(found);
    if (first) {
      const go = made("button", `line ${first.line}: ${first.message.split("\n")[0]}`);
      go.type = "button";
      go.addEventListener("click", () => editor.goTo(first.from));
      box.append(go);
      if (found.length > 1) box.append(` (and ${found.length - 1} more)`);
    } else {
      box.textContent = "Nothing is wrong with the text.";
    }
    find("check").disabled = errors.length > 0;
  },
  names(proctypes) {
    find("proctypes").replaceChildren(...proctypes.map((name) => new Option(name)));
  },
  failed(error) {
    find("problems").textContent = error.message;
    find("problems").classList.add("wrong");
  },
  check,
});

const told = new Map();
const showTold = () => {
  const line = ([question, { states, verdict }]) => {
    const item = made("li", "");
    const said = verdict ?? (states ? `${states.toLocaleString("en")} states` : "…");
    item.append(made("span", question, "question"), made("span", said, verdict ?? ""));
    return item;
  };
  find("told").replaceChildren(...Array.from(told, line));
};

const showReport = (html) => {
  find("report")?.remove();
  if (!html) return;
  const frame = made("iframe", "");
  frame.id = "report";
  frame.title = "Report";
  frame.setAttribute("sandbox", "allow-scripts");
  // Links within the report lead to the report, not to the page around it.
  frame.srcdoc = html.replace("<head>", '<head><base href="about:srcdoc">');
  find("results").append(frame);
};

const working = (is) => {
  isChecking = is;
  clearInterval(clock);
  find("stop").hidden = !is;
  find("check").hidden = is;
};

async function check() {
  if (isChecking || find("check").disabled) return;
  working(true);
  told.clear();
  showTold();
  showReport(null);
  const began = performance.now();
  const passed = () => {
    const milliseconds = performance.now() - began;
    return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  };
  clock = setInterval(() => (find("said").textContent = `Checking… ${passed()}`), 100);
  try {
    const { answers, page: html, error } = await engines.ask({ check: subject() }, (event) => {
      if (!event) return;
      told.set(event.question, { ...told.get(event.question), ...event });
      showTold();
    });
    if (error) throw new Error(error);
    const { violated, proved, unknown } = answers.summary;
    const parts = [[violated, "violated"], [unknown, "unknown"], [proved, "proved"]].filter(([count]) => count > 0);
    find("said").textContent = `${parts.map(([count, word]) => `${count} ${word}`).join(", ")} in ${passed()}`;
    told.clear();
    showTold();
    showReport(html);
    // On a narrow screen it is below the editor.
    if (matchMedia("(max-width: 800px)").matches) find("results").scrollIntoView();
  } catch (error) {
    find("said").textContent = `No report: ${error.message}`;
  } finally {
    working(false);
  }
}

// What was told stays; only the whole report is not to be had.
find("stop").addEventListener("click", () => {
  engines.stop();
  working(false);
  for (const [question, known] of told) if (!known.verdict) told.set(question, { ...known, verdict: "UNKNOWN" });
  showTold();
  find("said").textContent = "Stopped: this is what was known until then.";
  find("check").focus();
});

find("check").addEventListener("click", check);
find("share").addEventListener("click", async () => {
  await putInAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    find("said").textContent = "The address is copied: whoever opens it sees this model.";
  } catch {
    find("said").textContent = "The model is in the address of this page: copy it from there.";
  }
});
for (const id of ["fairness", "any", "seconds"]) find(id).addEventListener("change", putInAddress);
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  check();
});

const picker = find("examples");
picker.append(new Option("choose one…", ""), ...examples.map(({ title }, index) => new Option(title, String(index))));
picker.addEventListener("change", () => {
  if (picker.value === "") return;
  show(examples[Number(picker.value)]);
  showReport(null);
  told.clear();
  showTold();
  find("said").textContent = examples[Number(picker.value)].lesson;
});

const showAddress = async () => {
  const shared = await decode(location.hash);
  if (shared) show(shared);
  return shared !== null;
};
addEventListener("hashchange", showAddress);

(async () => {
  if (!(await showAddress())) show(examples[0]);
  try {
    await editor.open();
    find("said").textContent = "Ready. Ctrl+Enter checks the model.";
  } catch (error) {
    find("said").textContent = `The engine could not be started: ${error.message}`;
  }
  document.documentElement.dataset.ready = "yes";
  if ("serviceWorker" in navigator && isSecureContext) await navigator.serviceWorker.register("service-worker.js").catch(() => {});
})();
