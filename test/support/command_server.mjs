// The process in which `runIn` of command.ts runs the command, again and again. Each run evaluates dist/cli.js anew. What that imports, and the
// adapters, are loaded once.
import { Buffer } from "node:buffer";
import { closeSync, openSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import process from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const [, , program] = process.argv;
const { exit } = process;
let runs = 0;

/** Keeps what is written to a stream from now on. */
function taken(stream) {
  const pieces = [];
  stream.write = (piece, encoding, done) => {
    pieces.push(Buffer.from(piece, typeof encoding === "string" ? encoding : undefined));
    const told = typeof encoding === "function" ? encoding : done;
    if (told !== undefined) {
      process.nextTick(told);
    }
    return true;
  };
  return () => Buffer.concat(pieces);
}

/** As many bytes as come out of a pipe at once. */
const PIECE = 65_536;

function* piecesOf(bytes) {
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield bytes.subarray(at, at + PIECE);
  }
}

/** Runs with these bytes in stdin, which is no file, as a pipe is none. */
async function withStdin(input, run) {
  const fd = openSync(devNull, "r");
  const stdin = Readable.from(piecesOf(Buffer.from(input)), { objectMode: false });
  Object.defineProperty(process, "stdin", { configurable: true, value: Object.assign(stdin, { fd }) });
  try {
    await run();
  } finally {
    closeSync(fd);
  }
}

/** What the command adds to the process goes when it ends. */
async function withoutTraces(run) {
  const names = ["SIGXFSZ", "uncaughtException"];
  const before = names.map((name) => process.listeners(name));
  try {
    await run();
  } finally {
    for (const [at, name] of names.entries()) {
      for (const listener of process.listeners(name)) {
        if (!before[at].includes(listener)) {
          process.off(name, listener);
        }
      }
    }
    process.stdout.removeAllListeners("error");
    process.stderr.removeAllListeners("error");
  }
}

// It ends with the tests' process, also when that is killed while a command computes, or waits for ever.
process.on("disconnect", () => exit());
new Worker(
  `const { ppid } = process;
  setInterval(() => process.ppid !== ppid && process.kill(process.pid, "SIGKILL"), 1000);`,
  { eval: true, execArgv: [] },
).unref();
process.on("message", async ({ folder, args, input }) => {
  const stdout = taken(process.stdout);
  const stderr = taken(process.stderr);
  let isAnswered = false;
  const answer = (status) => {
    if (!isAnswered) {
      isAnswered = true;
      process.send({ status, stdout: stdout(), stderr: `${stderr()}` });
    }
  };
  process.exit = answer;
  process.exitCode = undefined;
  process.argv = [process.execPath, program, ...args];
  process.chdir(folder);
  runs++;
  await withoutTraces(() => withStdin(input, () => import(`${pathToFileURL(program)}?${runs}`)));
  // A folder that is in use cannot be removed on Windows.
  process.chdir(tmpdir());
  answer(process.exitCode ?? 0);
});
