// Plimsoll in a worker of its own: one question after the other, and whoever does not want to wait for an answer ends the worker.

export class Engine {
  #worker = null;
  #waiting = [];

  #start() {
    const worker = new Worker("worker.js");
    worker.addEventListener("message", ({ data }) => {
      if (worker !== this.#worker) return;
      if ("told" in data) return this.#waiting[0]?.tell(data.told);
      const { resolve, reject } = this.#waiting.shift();
      if ("answer" in data) return resolve(data.answer);
      // After a trap nothing in its memory can be relied on.
      this.#end();
      reject(new Error(data.failed));
      this.#refuse("the engine had to be started again");
    });
    worker.addEventListener("error", (event) => {
      if (worker !== this.#worker) return;
      this.#end();
      this.#refuse(event.message || "the engine could not be loaded");
    });
    this.#worker = worker;
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #refuse(why) {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(why));
  }

  /** Asks; `tell` is given what happens meanwhile. */
  ask(question, tell = () => {}) {
    if (!this.#worker) this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, tell });
      this.#worker.postMessage(question);
    });
  }

  /** Ends whatever is being asked; nobody is answered any more. */
  stop() {
    this.#end();
    this.#waiting = [];
  }
}
