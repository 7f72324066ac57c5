import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Collects garbage, a few times: what is freed by a finalizer may let go of more. */
export async function collectGarbage(): Promise<void> {
  if (collect === undefined) {
    // Only contexts that are made after that have it.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Fills the room that V8 has for young objects, a few times. The system gives that memory only once it is touched, so a process without much
 * garbage grows for long, and nothing is lost.
 */
export function touchYoungObjects(): void {
  let last: readonly number[] = [];
  for (let at = 0; at < 6_000_000; at++) {
    last = [at, last.length, at, at, at, at, at, at];
  }
}

/**
 * Bytes that are in use once garbage was collected. Tests compare two of them: what files of tests before left in the process is
 * in both.
 */
export async function bytesInUse(): Promise<{ readonly heap: number; readonly rss: number }> {
  await collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}
