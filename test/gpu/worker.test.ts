import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapter } from "../support/fold.ts";

// The program and its workers are one file, run on what the build made, as a program of a user's is.
const source = `
import { isMainThread, parentPort, SHARE_ENV, Worker, workerData } from "node:worker_threads";
import { openFold } from ${JSON.stringify(pathToFileURL("dist/node.js").href)};

const names = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];
const sum = async () => {
  const fold = await openFold({ adapter: ${JSON.stringify(adapter)} });
  const sum = await fold.reduce(Uint32Array.of(3, 1, 7));
  if (workerData !== "keep") {
    fold.destroy();
  }
  return String(sum);
};
const start = (what, options = {}) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: what, ...options });
    worker.on("message", async (text) => {
      if (what === "keep") {
        await worker.terminate();
      }
      resolve(text);
    });
    worker.on("error", reject);
  });
const cases = {
  "an environment of its own": () => start("sum", { env: {} }),
  "a shared environment": () => start("sum", { env: SHARE_ENV }),
  "a worker of a worker": () => start("nested"),
  "beside the main thread": async () => (await Promise.all([sum(), start("sum")])).join(", "),
  "after the main thread": async () => [await sum(), await start("sum")].join(", "),
  "three at once": async () => (await Promise.all([1, 2, 3].map(() => start("sum")))).join(", "),
  "while the main thread waits": async () => {
    const done = new Int32Array(new SharedArrayBuffer(4));
    const answer = start(done);
    return [Atomics.wait(done, 0, 0, 60_000), await answer].join(" ");
  },
  "ended while it is open": () => start("keep"),
  "without a way to the main thread": () => start("denied"),
  "without a way to the main thread, in a shared environment": () => start("denied", { env: SHARE_ENV }),
};
if (isMainThread) {
  // On a GPU, the loader would look for its driver there.
  if (${adapter === "software"}) {
    process.env.VK_DRIVER_FILES = "as it was";
  }
  const stated = () => names.map((name) => String(process.env[name])).join(", ");
  const before = stated();
  console.log(await cases[process.argv[2]]());
  const after = stated();
  if (after !== before) {
    console.log("the environment was not given back: " + after);
  }
} else if (workerData === "nested") {
  parentPort.postMessage(await start("sum"));
} else {
  if (workerData === "denied") {
    const { default: inspector } = await import("node:inspector");
    inspector.Session.prototype.connectToMainThread = () => { throw new Error("no inspector"); };
  }
  parentPort.postMessage(await sum().catch(String));
  if (typeof workerData === "object") {
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  }
}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-worker-"));
  writeFileSync(join(folder, "program.mjs"), source);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(what: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "program.mjs"), what], {
    encoding: "utf8",
    timeout: 240_000,
  });
  return { status, stdout, stderr };
}

const SUM = "11";

describe("openFold in a worker thread", () => {
  const whats = [
    ["an environment of its own", SUM],
    ["a shared environment", SUM],
    ["a worker of a worker", SUM],
    ["beside the main thread", `${SUM}, ${SUM}`],
    ["after the main thread", `${SUM}, ${SUM}`],
    ["three at once", [SUM, SUM, SUM].join(", ")],
    ["while the main thread waits", `ok ${SUM}`],
    ["ended while it is open", SUM],
  ] as const;
  it.each(whats)("%s", (what, printed) => {
    expect(run(what)).toEqual({ status: 0, stdout: `${printed}\n`, stderr: "" });
  });

  it.skipIf(adapter !== "software")("says what to do where the main thread cannot be reached", () => {
    const { status, stdout } = run("without a way to the main thread");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        "AdapterError: openFold: in a worker thread, the software adapter takes a variable of the process's environment, which the main thread did not set (no inspector); start the worker with { env: SHARE_ENV }, of node:worker_threads\n",
    });
    expect(run("without a way to the main thread, in a shared environment")).toEqual({
      status: 0,
      stdout: `${SUM}\n`,
      stderr: "",
    });
  });
});
