import { fstatSync } from "node:fs";
import process from "node:process";
import { UsageError } from "./errors.ts";
import type { Target } from "./files.ts";
import { DASH, fileError, openTarget, writeAll } from "./files.ts";

const STDOUT = 1;
const NAME = "standard output";

let closed = false;

/**
 * Writes to stdout, all of it. A reader that has seen enough, as `| head`, is no failure: what is left is not written.
 *
 * @throws {UsageError} where it cannot be written.
 */
export async function print(text: string): Promise<void> {
  if (closed) {
    return;
  }
  try {
    await writeStdout(new TextEncoder().encode(text));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EPIPE") {
      throw fileError(NAME, cause);
    }
    closed = true;
  }
}

async function writeStdout(bytes: Uint8Array): Promise<void> {
  const stats = fstatSync(STDOUT);
  if (stats.isFIFO() || stats.isSocket() || process.stdout.isTTY) {
    await throughStream(bytes);
  } else {
    // The stream takes a file for written that the system took a part of.
    await writeAll(STDOUT, bytes);
  }
}

/** The reader of stdout is gone. The command prints no message then, like a program that SIGPIPE ends. */
export class ClosedPipeError extends Error {
  override name = "ClosedPipeError";
  /** The status of a shell for what SIGPIPE ended. */
  readonly status = 128 + 13;
}

/**
 * Stdout as the place for a result's bytes.
 *
 * @throws {UsageError} for a terminal, unless they are text.
 * @throws {ClosedPipeError} later, where nobody reads them any more.
 */
export function stdoutTarget(isText = false): Target {
  if (process.stdout.isTTY && !isText) {
    throw new UsageError("the output - is a terminal, which shows no bytes; it takes a file or a pipe");
  }
  const write = async (bytes: Uint8Array): Promise<void> => {
    try {
      await writeStdout(bytes);
    } catch (cause) {
      throw (cause as NodeJS.ErrnoException).code === "EPIPE"
        ? new ClosedPipeError("standard output was closed")
        : fileError(NAME, cause);
    }
  };
  const writeStart = (): Promise<void> => {
    throw new UsageError("the output - cannot be written to again at its start");
  };
  return { write, writeBy: (work) => work({ write, writeStart }) };
}

/**
 * Where a report for programs goes: a file, or stdout for `-`, which then has nothing else.
 *
 * @throws {UsageError} where it cannot be written.
 */
export const reportTarget = async (path: string): Promise<Target> =>
  path === DASH ? stdoutTarget(true) : openTarget(path);

/** A pipe or a terminal may be one that does not wait, which the stream knows how to write to. */
const throughStream = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    // The callback is told as well; without a listener, the program would end here.
    process.stdout.once("error", reject);
    process.stdout.write(bytes, (cause) => {
      if (cause) {
        reject(cause);
      } else {
        process.stdout.off("error", reject);
        resolve();
      }
    });
  });
