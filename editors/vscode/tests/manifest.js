// What the manifest promises is there: files, and words that the language has.

const assert = require("assert");
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const read = (name) => JSON.parse(fs.readFileSync(path.join(root, name), "utf8"));
const { contributes, main } = read("package.json");

assert(fs.existsSync(path.join(root, main)));
for (const grammar of contributes.grammars) {
  const { repository, patterns } = read(grammar.path);
  const included = JSON.stringify([patterns, repository]).match(/#[a-z]+(?=")/g);
  for (const name of included) {
    assert(repository[name.slice(1)], `the grammar has no ${name}`);
  }
}
for (const language of contributes.languages) {
  read(language.configuration);
}
for (const { path: file } of contributes.snippets) {
  for (const [name, snippet] of Object.entries(read(file))) {
    assert(snippet.prefix && snippet.body, name);
  }
}
const source = fs.readFileSync(path.join(root, main), "utf8");
for (const { command } of contributes.commands) {
  assert(source.includes(`registerCommand("${command}"`), `nobody does ${command}`);
}

// The words of the language are those of the front end.
const tokens = path.join(root, "../../crates/promela/src/token.rs");
if (fs.existsSync(tokens)) {
  const table = fs.readFileSync(tokens, "utf8").split("Keyword {")[1].split("}")[0];
  const words = [...table.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  const grammar = fs.readFileSync(path.join(root, contributes.grammars[0].path), "utf8");
  const missing = words.filter((word) => !new RegExp(`[|(]${word}[|)]`).test(grammar));
  assert.deepStrictEqual(missing, [], "words without a colour");
}
console.log("the manifest keeps its promises");
