import { readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { UsageError } from "./errors.ts";

const causes: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "this is a folder; it takes a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "there is no space left",
  ERR_FS_FILE_TOO_LARGE: "the file is larger than Node.js can read at once",
};

function fileError(path: string, cause: unknown): UsageError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  return new UsageError(`${path}: ${causes[code] ?? message}`);
}

/** @throws {UsageError} where it cannot be read. */
export async function readInput(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** A place for output, known to be good before the work starts. */
export interface Target {
  /** Writes beside the place and renames: the file is there whole, or as it was. */
  write(bytes: Uint8Array): Promise<void>;
}

/** @throws {UsageError} where a file of that name could not be. */
export async function openTarget(path: string): Promise<Target> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) {
    throw new UsageError(`${path}: the output is a folder; it takes the path of a file`);
  }
  if (existing !== undefined && !existing.isFile()) {
    throw new UsageError(`${path}: the output is not a regular file; it takes the path of one`);
  }
  // What a link leads to is written, not the link.
  const place = existing === undefined ? path : await realpath(path);
  const folder = dirname(place);
  const parent = await stat(folder).catch(() => undefined);
  if (parent === undefined || !parent.isDirectory()) {
    throw new UsageError(`${path}: the output's folder ${folder} does not exist; make it first`);
  }
  return {
    async write(bytes) {
      const temporary = join(folder, `.${basename(place)}.${process.pid}.tmp`);
      try {
        await writeFile(temporary, bytes, {
          flag: "wx",
          ...(existing !== undefined && { mode: existing.mode & 0o777 }),
        });
        await rename(temporary, place);
      } catch (cause) {
        await rm(temporary, { force: true });
        throw fileError(path, cause);
      }
    },
  };
}
