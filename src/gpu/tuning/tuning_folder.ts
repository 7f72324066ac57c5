import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import envPaths from "env-paths";
import type { TuningStore } from "./tuning_store.ts";

/** The folder of the system's cache, such as `~/.cache/wavefold`: programs must be able to make its files again. */
const tuningFolder = (): string => envPaths("wavefold", { suffix: "" }).cache;

/** Keeps tunings in a folder, each in a file of its own. */
export function fileStore(folder = tuningFolder()): TuningStore {
  const pathOf = (key: string): string =>
    join(folder, `tuning-${createHash("sha256").update(key).digest("hex").slice(0, 16)}.json`);
  return {
    get: async (key) => {
      try {
        return JSON.parse(await readFile(pathOf(key), "utf8")) as unknown;
      } catch {
        return undefined;
      }
    },
    set: async (key, value) => {
      const path = pathOf(key);
      // Several programs may write at once, and none may read half a file.
      const written = `${path}.${randomUUID()}`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(written, `${JSON.stringify(value, undefined, 1)}\n`);
        await rename(written, path);
      } catch {
        await rm(written, { force: true }).catch(() => {});
      }
    },
  };
}
