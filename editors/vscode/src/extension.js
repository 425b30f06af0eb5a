// The client: starts `plimsoll lsp` for texts, `plimsoll dap` for the debugger, and `plimsoll check` as a task. It knows no Promela.

const vscode = require("vscode");
const path = require("path");
const os = require("os");
const fs = require("fs");
const { execFile } = require("child_process");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function settings() {
  return vscode.workspace.getConfiguration("plimsoll");
}

function program() {
  return settings().get("path", "plimsoll");
}

function notStarted(error) {
  return `cannot start \`${program()}\`: ${error?.message}; the setting plimsoll.path says where it is`;
}

function initializationOptions() {
  const names = ["checkOnSave", "seconds", "memoryMegabytes", "defines", "includeFolders"];
  const options = Object.fromEntries(names.map((name) => [name, settings().get(name)]));
  // This editor has a debugger: simulations and counterexamples go there.
  return { ...options, debugger: true };
}

function modelOf(uri) {
  if (uri) {
    return vscode.Uri.parse(uri).fsPath;
  }
  const editor = vscode.window.activeTextEditor;
  return editor && editor.document.languageId === "promela" ? editor.document.uri.fsPath : undefined;
}

async function debug(uri, question) {
  const model = modelOf(typeof uri === "string" ? uri : undefined);
  if (!model) {
    vscode.window.showInformationMessage("open a model first");
    return;
  }
  const editor = vscode.window.activeTextEditor;
  if (editor && editor.document.isDirty) {
    await editor.document.save();
  }
  const configuration = {
    type: "plimsoll",
    request: "launch",
    name: question === undefined ? "Simulate" : "Counterexample",
    program: model,
    defines: settings().get("defines"),
    includeFolders: settings().get("includeFolders"),
  };
  if (question !== undefined) {
    configuration.question = question;
  }
  await vscode.debug.startDebugging(undefined, configuration);
}

async function checkThis() {
  const model = modelOf();
  if (model) {
    const uri = client.code2ProtocolConverter.asUri(vscode.Uri.file(model));
    await client.sendRequest("workspace/executeCommand", { command: "plimsoll.check", arguments: [uri] });
  }
}

// The report of the command line, with its stepper, beside the text.
async function report() {
  const model = modelOf();
  if (!model) {
    return;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "plimsoll-"));
  const file = path.join(folder, "report.html");
  const defines = settings().get("defines", []).map((define) => `-D${define}`);
  const folders = settings().get("includeFolders", []).map((name) => `-I${name}`);
  const time = `${settings().get("seconds", 10)}s`;
  const args = ["check", model, "--html", file, "--time", time, ...defines, ...folders];
  const options = { location: vscode.ProgressLocation.Notification, title: "Plimsoll checks the model" };
  const said = await vscode.window.withProgress(options, () => {
    return new Promise((resolve) => execFile(program(), args, (failed, out, error) => resolve(error || out || notStarted(failed))));
  });
  if (!fs.existsSync(file)) {
    vscode.window.showErrorMessage(String(said).split("\n")[0] || "there is no report");
    return;
  }
  const panel = vscode.window.createWebviewPanel("plimsoll.report", `Report: ${path.basename(model)}`,
    vscode.ViewColumn.Beside, { enableScripts: true, retainContextWhenHidden: true });
  panel.webview.html = fs.readFileSync(file, "utf8");
  fs.rmSync(folder, { recursive: true, force: true });
}

class Tasks {
  provideTasks() {
    return ["check", "bounds", "progress", "search"].map((command) => task({ type: "plimsoll", command }));
  }

  resolveTask(given) {
    return task(given.definition, given.scope);
  }
}

function task(definition, scope = vscode.TaskScope.Workspace) {
  const model = definition.model || "${file}";
  const execution = new vscode.ShellExecution(program(), [definition.command, model]);
  return new vscode.Task(definition, scope, `${definition.command} the model`, "plimsoll", execution, "$plimsoll");
}

async function activate(context) {
  const server = { command: program(), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("plimsoll", "Plimsoll", server, {
    documentSelector: [{ language: "promela" }],
    initializationOptions: initializationOptions(),
    synchronize: { configurationSection: "plimsoll", fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{pml,prom,promela,spin,h}") },
  });
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "plimsoll.checkThis";
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("plimsoll.checkThis", checkThis),
    vscode.commands.registerCommand("plimsoll.simulate", (uri) => debug(uri, undefined)),
    vscode.commands.registerCommand("plimsoll.debug", (uri, question) => debug(uri, typeof question === "string" ? question : "")),
    vscode.commands.registerCommand("plimsoll.report", report),
    vscode.tasks.registerTaskProvider("plimsoll", new Tasks()),
    vscode.debug.registerDebugAdapterDescriptorFactory("plimsoll", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(), ["dap"]),
    }),
  );
  try {
    await client.start();
    client.onNotification("plimsoll/checked", ({ proved, violated, unknown }) => {
      status.text = `$(verified) ${proved} proved, ${violated} violated, ${unknown} unknown`;
      status.show();
    });
  } catch (error) {
    vscode.window.showErrorMessage(notStarted(error));
  }
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
