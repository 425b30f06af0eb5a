// The editor: CodeMirror as one more client of the language server, which runs in a worker. Nothing here knows Promela.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippet } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, foldService, indentUnit } from "@codemirror/language";
import { forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";

const URI = "model:model.pml";

const setColours = StateEffect.define();
const colours = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setColours)) return effect.value;
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setFolds = StateEffect.define();
const folds = StateField.define({
  create: () => [],
  update(ranges, transaction) {
    for (const effect of transaction.effects) if (effect.is(setFolds)) return effect.value;
    return transaction.docChanged ? [] : ranges;
  },
});
const folding = foldService.of((state, start, end) => {
  const line = state.doc.lineAt(start).number - 1;
  const range = state.field(folds).find(({ startLine, endLine }) => startLine === line && endLine < state.doc.lines);
  return range ? { from: end, to: state.doc.line(range.endLine + 1).to } : null;
});

/** Where a position of the protocol is in a document. */
const offset = (doc, { line, character }) => {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
};
const position = (doc, at) => {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
};

/** The server's Markdown: blocks of code, and sentences with code in them. */
function shown(markdown) {
  const box = document.createElement("div");
  box.className = "hover";
  for (const [index, part] of markdown.split(/```\w*\n?/).entries()) {
    const made = document.createElement(index % 2 ? "pre" : "p");
    if (index % 2) {
      made.textContent = part.trimEnd();
    } else {
      for (const [inner, piece] of part.trim().split("`").entries()) {
        const span = document.createElement(inner % 2 ? "code" : "span");
        span.textContent = piece;
        made.append(span);
      }
    }
    if (made.textContent) box.append(made);
  }
  return box;
}

export class Editor {
  #engine;
  #listeners;
  #number = 0;
  #version = 0;
  #legend = [];
  #isOpen = false;
  #sending = null;

  /** `problems` is told what is wrong, `changed` that the text is another, `names` which proctypes there are. */
  constructor(parent, engine, listeners) {
    this.#engine = engine;
    this.#listeners = listeners;
    const changes = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      this.#version += 1;
      listeners.changed();
      this.#send();
    });
    const keys = [
      { key: "F12", run: () => (this.#goToDefinition(), true) },
      { key: "Shift-Alt-f", run: () => (this.#format(), true) },
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
    ];
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          keymap.of([{ key: "Mod-Enter", run: () => (listeners.check(), true) }]),
          lineNumbers(), foldGutter(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), highlightSpecialChars(), drawSelection(),
          history(), bracketMatching(), closeBrackets(), highlightSelectionMatches(), EditorView.lineWrapping, indentUnit.of("\t"), EditorState.tabSize.of(4),
          colours, folds, folding, changes, keymap.of(keys),
          autocompletion({ override: [(context) => this.#complete(context)] }),
          hoverTooltip((_, at) => this.#hover(at)),
          EditorView.contentAttributes.of({ "aria-label": "the model; Escape and then Tab leaves the editor" }),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  /** Goes to what is wrong first. */
  goTo(at) {
    this.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.view.focus();
  }

  async open() {
    const { capabilities } = await this.#request("initialize", {
      processId: null, rootUri: null, initializationOptions: { checkOnSave: false },
      capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
    });
    this.#legend = capabilities.semanticTokensProvider.legend.tokenTypes;
    const version = this.#version;
    const textDocument = { uri: URI, languageId: "promela", version, text: this.text };
    this.#isOpen = true;
    await this.#sent(this.#notify("textDocument/didOpen", { textDocument }), version);
    if (version !== this.#version) this.#send();
  }

  /** Sends the text, and once more if it has changed when that is done. */
  #send() {
    if (this.#legend.length === 0 || this.#sending) return;
    this.#sending = (async () => {
      let version;
      do {
        version = this.#version;
        const change = { textDocument: { uri: URI, version }, contentChanges: [{ text: this.text }] };
        // A server that had to be started again knows nothing of the text.
        if (this.#isOpen) await this.#sent(this.#notify("textDocument/didChange", change), version);
        else await this.open();
      } while (version !== this.#version);
    })().catch((error) => {
      this.#isOpen = false;
      this.#listeners.failed(error);
    }).finally(() => (this.#sending = null));
  }

  async #sent(messages, version) {
    const published = (await messages).findLast(({ method }) => method === "textDocument/publishDiagnostics");
    if (!published || version !== this.#version) return;
    const textDocument = { uri: URI };
    const everything = { start: { line: 0, character: 0 }, end: { line: 1e9, character: 0 } };
    const [fixes, tokens, ranges, outline] = await Promise.all([
      this.#request("textDocument/codeAction", { textDocument, range: everything, context: { diagnostics: [] } }),
      this.#request("textDocument/semanticTokens/full", { textDocument }),
      this.#request("textDocument/foldingRange", { textDocument }),
      this.#request("textDocument/documentSymbol", { textDocument }),
    ]);
    if (version !== this.#version) return;
    const doc = this.view.state.doc;
    const diagnostics = published.params.diagnostics.map((problem) => this.#diagnostic(doc, problem, fixes ?? []));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
    this.view.dispatch({ effects: [setColours.of(this.#colours(doc, tokens.data)), setFolds.of(ranges)] });
    const CLASS = 5;
    this.#listeners.names(outline.filter(({ kind }) => kind === CLASS).map(({ name }) => name));
    this.#tellProblems();
  }

  #tellProblems() {
    const found = [];
    forEachDiagnostic(this.view.state, ({ severity, message }, from) => {
      found.push({ severity, message, from, line: this.view.state.doc.lineAt(from).number });
    });
    this.#listeners.problems(found);
  }

  #diagnostic(doc, { range, severity, message, code }, fixes) {
    const from = offset(doc, range.start);
    const mends = (action) => action.diagnostics.some((mended) => mended.code === code && JSON.stringify(mended.range) === JSON.stringify(range));
    const actions = fixes.filter(mends).map((action) => ({
      name: action.title,
      apply: (view) => view.dispatch({ changes: this.#changes(view.state.doc, action.edit.changes[URI]) }),
    }));
    return { from, to: Math.max(from, offset(doc, range.end)), severity: severity === 1 ? "error" : "warning", message, source: code, actions };
  }

  #changes(doc, edits) {
    return edits.map(({ range, newText }) => ({ from: offset(doc, range.start), to: offset(doc, range.end), insert: newText }));
  }

  /** The protocol's numbers: five for each token, places from the token before. */
  #colours(doc, data) {
    const marks = [];
    let [line, character] = [0, 0];
    for (let at = 0; at + 4 < data.length; at += 5) {
      character = data[at] === 0 ? character + data[at + 1] : data[at + 1];
      line += data[at];
      const from = offset(doc, { line, character });
      const to = offset(doc, { line, character: character + data[at + 2] });
      if (from < to) marks.push(Decoration.mark({ class: `token-${this.#legend[data[at + 3]]}` }).range(from, to));
    }
    return Decoration.set(marks);
  }

  async #complete(context) {
    const word = context.matchBefore(/[\w#@.]+$/);
    if (!word && !context.explicit) return null;
    await this.#sending;
    if (context.aborted) return null;
    const found = await this.#request("textDocument/completion", this.#at(context.pos));
    const from = context.matchBefore(/[\w#]*$/)?.from ?? context.pos;
    const option = ({ label, detail, insertText, insertTextFormat }) => {
      const text = insertText ?? label;
      const template = text.replace(/\$(\d+)/g, (_, number) => (number === "0" ? "${}" : `\${${number}}`));
      return { label, detail, apply: insertTextFormat === 2 ? snippet(template) : text };
    };
    return { from, options: (found?.items ?? []).map(option), validFor: found?.isIncomplete ? undefined : /^\w*$/ };
  }

  async #hover(at) {
    const found = await this.#request("textDocument/hover", this.#at(at));
    if (!found) return null;
    const doc = this.view.state.doc;
    const dom = shown(found.contents.value);
    return { pos: offset(doc, found.range.start), end: offset(doc, found.range.end), create: () => ({ dom }) };
  }

  async #goToDefinition() {
    const places = await this.#request("textDocument/definition", this.#at(this.view.state.selection.main.head));
    if (places?.length) this.goTo(offset(this.view.state.doc, places[0].range.start));
  }

  async #format() {
    await this.#sending;
    const edits = await this.#request("textDocument/formatting", { textDocument: { uri: URI }, options: { tabSize: 4, insertSpaces: false } });
    if (edits?.length) this.view.dispatch({ changes: this.#changes(this.view.state.doc, edits) });
  }

  #at(at) {
    return { textDocument: { uri: URI }, position: position(this.view.state.doc, at) };
  }

  #notify(method, params) {
    return this.#engine.ask({ editor: { jsonrpc: "2.0", method, params } });
  }

  async #request(method, params) {
    const id = (this.#number += 1);
    const messages = await this.#engine.ask({ editor: { jsonrpc: "2.0", id, method, params } });
    const { result, error } = messages.find((message) => message.id === id);
    if (error) throw new Error(error.message);
    return result ?? null;
  }
}
