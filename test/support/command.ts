import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { expect } from "vitest";

export const program = resolve("dist/cli.js");

/** Tests of a file take less. */
const LONGEST_MS = 250_000;

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Bytes and texts, as a command writes them. */
interface Written {
  readonly status: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

interface Server {
  readonly port: MessagePort;
  /** 1 when a command has ended. */
  readonly ended: Int32Array;
}

// Files of tests that share a process share its server.
const shared = globalThis as { wavefoldCommands?: Server | undefined };

function startServer(): Server {
  const { port1, port2 } = new MessageChannel();
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const server = fileURLToPath(new URL("command_server.mjs", import.meta.url));
  const worker = new Worker(new URL("command_worker.mjs", import.meta.url), {
    workerData: { server, program, port: port2, ended },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();
  return { port: port1, ended };
}

/**
 * Runs the command in a folder, to its end, and takes the bytes that it writes. All commands of a file of tests run in one process, one
 * after another: to start one takes longer than most commands. What is about the process itself starts one with `spawn`.
 *
 * @param input - what comes out of its stdin.
 */
export function writtenIn(folder: string, args: readonly string[], input: string | Uint8Array = ""): Written {
  shared.wavefoldCommands ??= startServer();
  const { port, ended } = shared.wavefoldCommands;
  Atomics.store(ended, 0, 0);
  port.postMessage({ folder, args, input });
  Atomics.wait(ended, 0, 0, LONGEST_MS);
  const received = receiveMessageOnPort(port);
  if (received?.message === undefined) {
    shared.wavefoldCommands = undefined;
    const what = received === undefined ? `has not ended in ${LONGEST_MS / 1000} s` : "ended its process";
    throw new Error(`wavefold ${args.join(" ")} ${what}`);
  }
  return received.message as Written;
}

/** Runs the command in a folder, to its end, as `writtenIn` does. */
export function runIn(folder: string, args: readonly string[], input?: string | Uint8Array): Ended {
  const { stdout, ...rest } = writtenIn(folder, args, input);
  return { ...rest, stdout: Buffer.from(stdout).toString() };
}

/** Runs the command bound to what files permit, which root is not. */
export function runBoundIn(folder: string, args: readonly string[]): Ended {
  const own = [process.execPath, program, ...args];
  const [command = "", ...rest] =
    process.getuid?.() === 0
      ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", ...own]
      : own;
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Runs what must fail: one line on stderr, with a line of WGSL below it if it is about one, nothing on stdout, and the folder as it was. */
export function failsIn(folder: string, message: RegExp, args: readonly string[]): void {
  const before = readdirSync(folder);
  const { status, stdout, stderr } = runIn(folder, args);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^wavefold: [^\n]+\n(?: {2}[^\n]+\n)?$/);
  expect(stdout).toBe("");
  expect(status).toBe(1);
  expect(readdirSync(folder)).toEqual(before);
}
