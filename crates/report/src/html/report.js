"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const table = (title, rows, before) => {
    const box = element("div");
    if (rows.length === 0) return box;
    box.append(element("h4", title));
    const made = element("table");
    const old = new Map(before);
    for (const [name, value] of rows) {
      const row = element("tr");
      row.append(element("td", name));
      const cell = element("td");
      if (Array.isArray(value)) {
        if (value.length === 0) cell.textContent = "empty";
        for (const message of value) cell.append(element("span", message, "message"));
      } else {
        cell.textContent = value;
      }
      row.append(cell);
      if (before && JSON.stringify(old.get(name)) !== JSON.stringify(value)) row.className = "changed";
      made.append(row);
    }
    box.append(made);
    return box;
  };

  const places = (rows) => rows.map(([name, [file, line]]) => [name, (file === 0 ? "line " : data.sources[file].name + ":") + line]);

  for (const section of document.querySelectorAll("section.violation")) {
    const run = data.violations[Number(section.dataset.violation)];
    const stepper = section.querySelector(".stepper");
    const slider = section.querySelector("input");
    const source = section.querySelector(".source");
    const state = section.querySelector(".state");
    const said = section.querySelector(".said");
    const where = section.querySelector(".where");
    const last = run.steps.length;
    let at = 0;
    let file = -1;
    slider.max = String(last);

    const showFile = (wanted) => {
      if (file === wanted || !data.sources[wanted]) return;
      file = wanted;
      source.replaceChildren(...data.sources[wanted].lines.map((text, index) => {
        const line = element("div");
        line.append(element("span", String(index + 1), "n"), document.createTextNode(text));
        return line;
      }));
    };

    const markLine = (place, className) => {
      if (!place || place[0] !== file) return null;
      const line = source.children[place[1] - 1];
      if (line) line.classList.add(className);
      return line;
    };

    const say = (step) => {
      if (!step) return ["the beginning"];
      const parts = [step.who + " ", element("code", step.text)];
      if (step.with) parts.push(" with " + step.with.who + " ", element("code", step.with.text));
      if (step.changes && step.changes.length) parts.push("  → " + step.changes.join(", "));
      if (step.violation) parts.push(" ", element("span", step.violation, "wrong"));
      if (run.loop !== null && run.loop !== undefined) {
        if (at - 1 === run.loop) parts.push("  (here the loop begins)");
        if (at === last) parts.push("  (and on with step " + (run.loop + 1).toLocaleString("en") + ")");
      }
      return parts;
    };

    const show = () => {
      const step = run.steps[at - 1];
      slider.value = String(at);
      where.textContent = "step " + at.toLocaleString("en") + " of " + last.toLocaleString("en");
      said.replaceChildren(...say(step));
      showFile(step ? step.at[0] : 0);
      for (const line of source.querySelectorAll(".now, .with")) line.classList.remove("now", "with");
      const now = markLine(step && step.at, "now");
      if (step && step.with) markLine(step.with.at, "with");
      // Before the first step the reader sees where it will be.
      const first = !step && run.steps[0] && run.steps[0].at[0] === file ? source.children[run.steps[0].at[1] - 1] : null;
      const seen = now || first;
      if (seen) source.scrollTop = seen.offsetTop - source.offsetTop - source.clientHeight / 2;
      const here = run.states[at];
      const before = at > 0 ? run.states[at - 1] : here;
      if (here) {
        state.replaceChildren(
          table("channels", here.channels, before.channels),
          table("variables", here.variables, before.variables),
          table("processes", places(here.processes), places(before.processes)));
      }
      for (const row of section.querySelectorAll(".chart g[data-step]")) {
        const number = Number(row.dataset.step);
        row.classList.toggle("now", number === at);
        row.classList.toggle("later", at > 0 && number > at);
      }
    };

    const go = (wanted) => {
      at = Math.max(0, Math.min(last, wanted));
      show();
    };
    const moves = { first: () => go(0), back: () => go(at - 1), on: () => go(at + 1), last: () => go(last) };
    for (const button of section.querySelectorAll("button[data-go]")) button.addEventListener("click", moves[button.dataset.go]);
    slider.addEventListener("input", () => go(Number(slider.value)));
    stepper.addEventListener("keydown", (event) => {
      if (event.target === slider) return;
      const move = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
      if (move) {
        event.preventDefault();
        moves[move]();
      }
    });
    for (const row of section.querySelectorAll(".chart g[data-step]")) {
      row.style.cursor = "pointer";
      row.addEventListener("click", () => go(Number(row.dataset.step)));
    }
    show();
  }
})();
