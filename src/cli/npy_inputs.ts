import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Input } from "./files.ts";
import { DASH, withInput } from "./files.ts";

/** An archive, and the name of an array in it. */
const MEMBER = /^(.*\.npz):(.+)$/is;
/** What a zip archive starts with. */
const ZIP = Buffer.from("PK");

/** The file that a path of an input leads to. `data.npz:name` is an array in an archive, if no file has that name. */
export function placeOfInput(path: string): { readonly file: string; readonly member?: string } {
  const [, file, member] = existsSync(path) ? [] : (MEMBER.exec(path) ?? []);
  return file === undefined || member === undefined ? { file: path } : { file, member };
}

/** Whether a file is a zip archive. What goes wrong with it is for who opens it. A pipe is not asked, since it gives its bytes once. */
async function isArchive(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (path === DASH || !stats?.isFile()) {
    return false;
  }
  const file = await open(path).catch(() => undefined);
  const start = await file?.read(Buffer.alloc(ZIP.length), 0, ZIP.length, 0).catch(() => undefined);
  await file?.close();
  return start?.buffer.equals(ZIP) ?? false;
}

/**
 * Opens a `.npy` file, as {@link withInput} does, or an array in an archive: `data.npz:name`, or `data.npz` if it holds one array.
 *
 * @throws {UsageError} where it cannot be read.
 */
export async function withNpy<Result>(
  path: string,
  work: (input: Input) => Promise<Result>,
): Promise<Result> {
  const { file, member } = placeOfInput(path);
  return member !== undefined || (await isArchive(file))
    ? (await import("./npz.ts")).withMember(file, member, work)
    : withInput(path, work);
}
