import { readFile } from "node:fs/promises";
import type { Fold, NodeOpenOptions } from "../node.ts";
import { openFold } from "../node.ts";
import type { AdapterTuning } from "../plan/adapter_tuning.ts";
import { UsageError } from "./errors.ts";
import { fileError } from "./files.ts";
import type { AdapterOption } from "./options.ts";

/** @throws {UsageError} for a file that cannot be read, or is no JSON. */
async function readTuning(path: string): Promise<AdapterTuning> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw fileError(path, cause);
  }
  try {
    // Some editors put a byte order mark at the start.
    return JSON.parse(text.replace(/^\uFEFF/, "")) as AdapterTuning;
  } catch {
    throw new UsageError(`${path} is no JSON; --tuning takes what wavefold tune --output writes, or auto`);
  }
}

/** Opens an adapter, and gives it back whatever happens: while it is held, Node.js may not exit. */
export async function withFold<Result>(
  { adapter, tuning }: AdapterOption,
  work: (fold: Fold) => Promise<Result>,
  more: NodeOpenOptions = {},
): Promise<Result> {
  const options: NodeOpenOptions = {
    ...more,
    ...(adapter === "cpu" ? { cpu: "always" } : adapter !== "auto" && { adapter }),
    ...(tuning !== undefined && { tuning: tuning === "auto" ? tuning : await readTuning(tuning) }),
  };
  const fold = await openFold(options);
  try {
    return await work(fold);
  } finally {
    fold.destroy();
  }
}

/** The same for commands that measure an adapter, or say what is wrong with it: no call runs on the CPU. */
export const withGpu: typeof withFold = (options, work, more = {}) =>
  withFold(options, work, { cpu: "never", ...more });
