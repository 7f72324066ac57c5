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
 * Bytes that are in use once garbage was collected. Tests compare two of them: what files of tests before left in the process is
 * in both.
 */
export async function bytesInUse(): Promise<{ readonly heap: number; readonly rss: number }> {
  await collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}
