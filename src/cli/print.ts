import { fstatSync } from "node:fs";
import process from "node:process";
import { fileError, writeAll } from "./files.ts";

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
    const stats = fstatSync(STDOUT);
    if (stats.isFIFO() || stats.isSocket() || process.stdout.isTTY) {
      await throughStream(text);
    } else {
      // The stream takes a file for written that the system took a part of.
      await writeAll(STDOUT, new TextEncoder().encode(text));
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EPIPE") {
      throw fileError(NAME, cause);
    }
    closed = true;
  }
}

/** A pipe or a terminal may be one that does not wait, which the stream knows how to write to. */
const throughStream = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // The callback is told as well; without a listener, the program would end here.
    process.stdout.once("error", reject);
    process.stdout.write(text, (cause) => {
      if (cause) {
        reject(cause);
      } else {
        process.stdout.off("error", reject);
        resolve();
      }
    });
  });
