// A model in the address: compressed behind the `#`, which is never sent to a server.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** The part of an address behind `#` that stands for a model and what is asked of it. */
export async function encode(subject) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(subject)), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return "m=" + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What the part of an address behind `#` stands for; nothing, if it is none of ours. */
export async function decode(hash) {
  const coded = /^#?m=([\w-]+)$/.exec(hash)?.[1];
  if (!coded) return null;
  try {
    const letters = atob(coded.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const subject = JSON.parse(new TextDecoder().decode(bytes));
    return typeof subject?.text === "string" ? subject : null;
  } catch {
    return null;
  }
}
