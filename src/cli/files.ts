import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  read,
  renameSync,
  rmSync,
  statSync,
  write,
} from "node:fs";
import { access, mkdir, open, readFile, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { onExit } from "signal-exit";
import { counted, UsageError } from "./errors.ts";

const causes: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "this is a folder; it takes a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "there is no space left",
  EDQUOT: "there is no space left in the quota",
  EFBIG: "the file would be larger than the system lets it be",
  ELOOP: "this is a link that leads back to itself, or through too many others",
  ENAMETOOLONG: "the name is too long",
  ENXIO: "this is a socket or a device that is not there; it takes a file",
  ERR_FS_FILE_TOO_LARGE: "the file is larger than Node.js can read at once",
};

/** Causes that have another text if the path should be a folder. */
const folderCauses: Readonly<Record<string, string>> = {
  ENOENT: "it cannot be made",
  ENOTDIR: "there is a file of that name",
};

/** What went wrong with a file, by its name. */
export function fileError(path: string, cause: unknown): UsageError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  return new UsageError(`${path}: ${causes[code] ?? message}`);
}

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code;
const isMissing = (cause: unknown): boolean => codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR";

/** @throws {UsageError} where it cannot be read. */
export async function readInput(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** A file that is read from its start, as far as is asked. */
export interface Input {
  readonly path: string;
  /** In bytes; nothing where the file does not say, as a pipe. */
  readonly size: number | undefined;
  /** Fills an array with what comes next. Returns the number of bytes, which is less at the file's end alone. */
  fill(bytes: Uint8Array): Promise<number>;
  /** Has a `fill` that waits for a pipe wait no longer: what it fills then does not count. */
  abandon(): void;
}

/** The most that one call to the system reads or writes. It bounds what a signal has to wait for. */
const PIECE_BYTES = 2 ** 24;

/** The name of stdin and of stdout on the command line. */
export const DASH = "-";
const STDIN_NAME = "stdin";

/** Fills arrays with what comes in chunks. */
export function fillFromChunks(
  chunks: AsyncIterator<Uint8Array, unknown>,
  failed: (cause: unknown) => never,
): Input["fill"] {
  let left: Uint8Array = new Uint8Array(0);
  return async (bytes) => {
    let filled = 0;
    while (filled < bytes.length) {
      if (left.length === 0) {
        const { done, value } = await chunks.next().catch(failed);
        if (done) {
          break;
        }
        left = value;
      }
      const piece = left.subarray(0, bytes.length - filled);
      bytes.set(piece, filled);
      filled += piece.length;
      left = left.subarray(piece.length);
    }
    return filled;
  };
}

/** Reads pieces of a file, up to its end. */
const fillFrom =
  (readPiece: (bytes: Uint8Array, at: number, most: number) => Promise<{ readonly bytesRead: number }>) =>
  async (bytes: Uint8Array): Promise<number> => {
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await readPiece(bytes, filled, Math.min(PIECE_BYTES, bytes.length - filled));
      if (bytesRead === 0) {
        break;
      }
      filled += bytesRead;
    }
    return filled;
  };

/**
 * Opens a file, or stdin for `-`, and closes it when `work` is done.
 *
 * @throws {UsageError} where it cannot be read.
 */
export async function withInput<Result>(
  path: string,
  work: (input: Input) => Promise<Result>,
): Promise<Result> {
  if (path === DASH) {
    const input = await openStdin();
    try {
      return await work(input);
    } finally {
      // A pipe that is still open would keep the program from its end.
      input.abandon();
    }
  }
  const failed = (cause: unknown): never => {
    throw fileError(path, cause);
  };
  const file = await open(path).catch(failed);
  try {
    const stats = await file.stat().catch(failed);
    const size = stats.isFile() ? stats.size : undefined;
    let total = 0;
    return await work({
      path,
      size,
      fill: fillFrom(async (bytes, at, most) => {
        const piece = await file.read(bytes, at, most, null).catch(failed);
        total += piece.bytesRead;
        if (piece.bytesRead === 0 && size !== undefined && total < size) {
          throw new UsageError(
            `${path}: it had ${counted(size, "byte")} when it was opened, and ended after ${total}; it must not change while it is read`,
          );
        }
        return piece;
      }),
      abandon() {},
    });
  } finally {
    await file.close();
  }
}

const readPiece = promisify(read);

async function openStdin(): Promise<Input> {
  const failed = (cause: unknown): never => {
    throw fileError(STDIN_NAME, cause);
  };
  const { fd } = process.stdin;
  // If stdin is a folder, Node.js takes it for an empty file.
  const stats = await stdinStats(fd).catch(failed);
  if (stats.isFile()) {
    // Another program may have read the start of the file, so its size says nothing.
    return {
      path: STDIN_NAME,
      size: undefined,
      fill: fillFrom((bytes, at, most) => readPiece(fd, bytes, at, most, null).catch(failed)),
      abandon() {},
    };
  }
  // A read of a pipe that never comes would keep the program from its end.
  const chunks = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return {
    path: STDIN_NAME,
    size: undefined,
    fill: fillFromChunks(chunks, failed),
    abandon() {
      process.stdin.destroy();
    },
  };
}

async function stdinStats(descriptor: number): Promise<Stats> {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) {
    throw Object.assign(new Error(), { code: "EISDIR" });
  }
  return stats;
}

/**
 * Makes a folder where there is none, and those above it. (The `recursive` of Node.js's own never ends where the system
 * says that a folder above is missing though it is there: in /proc, and in a folder that was removed.)
 *
 * @throws {UsageError} where it cannot be made, or not be written to.
 */
export async function makeFolder(path: string): Promise<void> {
  const make = async (folder: string): Promise<void> => {
    try {
      await mkdir(folder);
    } catch (cause) {
      const parent = dirname(folder);
      if (codeOf(cause) !== "ENOENT" || parent === folder) {
        throw cause;
      }
      await make(parent).catch(ignoreExisting);
      await mkdir(folder);
    }
  };
  const ignoreExisting = (cause: unknown): void => {
    if (codeOf(cause) !== "EEXIST") {
      throw cause;
    }
  };
  try {
    await make(path).catch(ignoreExisting);
    await access(`${path}/`, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    throw new UsageError(
      `${path}: this cannot be the folder for the output: ${folderCauses[code] ?? causes[code] ?? message}`,
    );
  }
}

const writePiece = promisify(write);

/** Writes all bytes: the system may take fewer of them at once, as where the disk is nearly full. */
export async function writeAll(descriptor: number, bytes: Uint8Array, start?: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const piece = Math.min(PIECE_BYTES, bytes.length - written);
    const place = start === undefined ? null : start + written;
    written += (await writePiece(descriptor, bytes, written, piece, place)).bytesWritten;
  }
}

/** What is written piece by piece. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Writes over the first bytes. A pipe has no such thing. */
  writeStart(bytes: Uint8Array): Promise<void>;
}

/** A place for output, known to be good before the work starts. */
export interface Target {
  /** Writes beside the place and renames: the file is there whole, or as it was. */
  write(bytes: Uint8Array): Promise<void>;
  /** The same, of what `work` writes piece by piece. If it fails, nothing is left. */
  writeBy(work: (output: Output) => Promise<void>): Promise<void>;
}

/** @throws {UsageError} where a file of that name could not be. */
export async function openTarget(path: string): Promise<Target> {
  await placeOf(path);
  // Looked for again: the work may have taken hours.
  const writeBy = async (work: (output: Output) => Promise<void>): Promise<void> =>
    replace(await placeOf(path), path, work);
  return { writeBy, write: (bytes) => writeBy((output) => output.write(bytes)) };
}

/** Where a file is to be, and what is there now. */
interface Place {
  /** The folder, without links. */
  readonly folder: string;
  readonly name: string;
  readonly existing: Stats | undefined;
}

/**
 * Checks that each output of a command has a place of its own, however the paths spell it.
 *
 * @throws {UsageError} if two outputs would go to one place, or a file of such a name could not be.
 */
export async function requireApart(paths: readonly string[]): Promise<void> {
  const files = paths.filter((path) => path !== DASH);
  if (files.length < 2) {
    return;
  }
  const taken: Place[] = [];
  for (const path of files) {
    const place = await placeOf(path);
    if (taken.some((other) => named(path, () => isSamePlace(place, other)))) {
      throw new UsageError(`${path}: two outputs would go there; it takes a file for each`);
    }
    taken.push(place);
  }
}

/** Whether a file at one place would be the file at the other. */
const isSamePlace = (one: Place, other: Place): boolean =>
  isSameFolder(one.folder, other.folder) &&
  (one.name === other.name ||
    (foldedName(one.name) === foldedName(other.name) && !tellsApart(one.folder, one.name, other.name)));

/** Not by their paths: where case is not told apart, a folder has several. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => statSync(folder, { bigint: true }));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/** A name without what some file systems do not tell apart: case, and how letters with accents are encoded. */
const foldedName = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase();

/** Whether two names name two files in a folder. It tries both in a new folder there, which is gone before a signal is handled. */
function tellsApart(folder: string, one: string, other: string): boolean {
  const trial = temporaryIn(folder);
  mkdirSync(trial);
  try {
    closeSync(openSync(join(trial, one), "wx"));
    return !existsSync(join(trial, other));
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** A name that nothing has. It is not made of an output's own name, which may be as long as names can be. */
const temporaryIn = (folder: string): string =>
  join(folder, `.wavefold-${randomBytes(8).toString("hex")}.tmp`);

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** The place that a path names: what a link leads to is written, not the link, and made where it leads to nothing. */
async function placeOf(path: string): Promise<Place> {
  const failed = (cause: unknown): never => {
    throw fileError(path, cause);
  };
  const allowed = (where: string, mode: number): Promise<void> => access(where, mode).catch(failed);
  let at = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const existing = await stat(at).catch((cause: unknown) => (isMissing(cause) ? undefined : failed(cause)));
    if (existing?.isDirectory()) {
      throw new UsageError(`${path}: the output is a folder; it takes the path of a file`);
    }
    if (existing !== undefined && !existing.isFile()) {
      throw new UsageError(`${path}: the output is not a regular file; it takes the path of one`);
    }
    if (existing !== undefined) {
      const place = await realpath(at).catch(failed);
      // Renaming would take the place of a file that its owner made read-only.
      await allowed(place, constants.W_OK);
      await allowed(dirname(place), constants.W_OK | constants.X_OK);
      return { folder: dirname(place), name: basename(place), existing };
    }
    if (at === "" || at.endsWith("/")) {
      throw new UsageError(`${path || '""'}: this names no file; the output takes the path of one`);
    }
    const folder = await realpath(dirname(at)).catch((cause: unknown) =>
      isMissing(cause) ? undefined : failed(cause),
    );
    if (folder === undefined || !(await stat(folder).catch(failed)).isDirectory()) {
      throw new UsageError(`${path}: the output's folder ${dirname(at)} does not exist; make it first`);
    }
    const link = await readlink(join(folder, basename(at))).catch(() => undefined);
    if (link === undefined) {
      await allowed(folder, constants.W_OK | constants.X_OK);
      return { folder, name: basename(at), existing };
    }
    // Not `join`, which takes `..` for the parent of a link rather than of what it leads to.
    at = isAbsolute(link) ? link : `${folder}/${link}`;
  }
  return failed({ code: "ELOOP" });
}

/** Puts a file in a place at once, with the permissions of the one that was there. */
async function replace(
  { folder, existing }: Place,
  path: string,
  work: (output: Output) => Promise<void>,
): Promise<void> {
  const temporary = temporaryIn(folder);
  // Also where a signal ends the program. What makes the file and renames it returns before a signal is looked at.
  const forget = onExit(() => rmSync(temporary, { force: true }));
  const failed = (cause: unknown): never => {
    throw fileError(path, cause);
  };
  let descriptor: number | undefined;
  try {
    const file = named(path, () => openSync(temporary, "wx", existing === undefined ? 0o666 : 0o600));
    descriptor = file;
    await work({
      write: (bytes) => writeAll(file, bytes).catch(failed),
      writeStart: (bytes) => writeAll(file, bytes, 0).catch(failed),
    });
    // Else a file could be renamed before its bytes are on the disk, and be empty after a crash.
    await promisify(fsync)(file).catch(failed);
    // The work may have taken hours.
    const place = await placeOf(path);
    named(path, () => {
      if (place.existing !== undefined) {
        keepOwner(file, place.existing);
        fchmodSync(file, place.existing.mode & 0o777);
      }
      descriptor = undefined;
      closeSync(file);
      renameSync(temporary, join(place.folder, place.name));
    });
  } catch (cause) {
    if (descriptor !== undefined) {
      closeSync(descriptor);
    }
    rmSync(temporary, { force: true });
    throw cause;
  } finally {
    forget();
  }
}

/** Does something with a file. @throws {UsageError} which names the file. */
function named<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** Gives a file to the owner of another, where this user may. */
function keepOwner(descriptor: number, { uid, gid }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) {
    return;
  }
  try {
    fchownSync(descriptor, uid, gid);
  } catch (cause) {
    if (codeOf(cause) !== "EPERM") {
      throw cause;
    }
  }
}
