// The module of WebAssembly: `room` is where texts are exchanged, `ask` answers the one that is there.

/** Makes an instance; `tell` is given what it has to say while it works. */
export async function load(module, tell) {
  let exports = null;
  const text = (start, bytes) => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, start, bytes));
  const host = { now: () => performance.now(), tell: (start, bytes) => tell(JSON.parse(text(start, bytes))) };
  ({ exports } = await WebAssembly.instantiate(module, { plimsoll: host }));
  return (question) => {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    const start = exports.room(bytes.length);
    new Uint8Array(exports.memory.buffer).set(bytes, start);
    const length = exports.ask();
    return JSON.parse(text(exports.room(0), length));
  };
}
