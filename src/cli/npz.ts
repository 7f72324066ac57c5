import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { fromRandomAccessReaderPromise, RandomAccessReader } from "yauzl";
import { UsageError } from "./errors.ts";
import type { Input } from "./files.ts";
import { fileError, fillFromChunks } from "./files.ts";

// NumPy's archives: zip files of `.npy` files, which numpy.savez and numpy.savez_compressed write.

const EXTENSION = ".npy";
/** Names that a message shows. */
const MOST_NAMES = 20;
/** How members may be compressed: not at all, or deflated. */
const METHODS: readonly number[] = [0, 8];

const nameOf = ({ fileName }: Entry): string => fileName.slice(0, -EXTENSION.length);

/** The names of arrays, for a message. */
function listed(arrays: readonly Entry[]): string {
  const names = arrays.slice(0, MOST_NAMES).map((one) => nameOf(one));
  return `${names.join(", ")}${arrays.length > MOST_NAMES ? ` and ${arrays.length - MOST_NAMES} more` : ""}`;
}

/** The array of a name, or the only one. @throws {UsageError} */
function arrayOf(entries: readonly Entry[], name: string | undefined, path: string): Entry {
  const arrays = entries.filter(({ fileName }) => fileName.endsWith(EXTENSION));
  const named =
    name === undefined ? arrays : arrays.filter((one) => nameOf(one) === name || one.fileName === name);
  const [array, other] = named;
  if (array === undefined) {
    throw new UsageError(
      arrays.length === 0
        ? `${path}: this zip archive holds no ${EXTENSION} file; it takes one, as numpy.savez writes it`
        : `${path}: it holds no array ${name}; it holds ${listed(arrays)}`,
    );
  }
  if (other !== undefined) {
    throw new UsageError(
      name === undefined
        ? `${path}: it holds ${arrays.length} arrays; it takes the name of one, as ${path}:${nameOf(array)}: ${listed(arrays)}`
        : `${path}: it holds ${named.length} arrays ${name}; save it again with numpy.savez, with a name for each`,
    );
  }
  return array;
}

/** @throws {UsageError} unless its bytes can be read as they were. */
function requireReadable(entry: Entry, shown: string): void {
  if (entry.isEncrypted()) {
    throw new UsageError(`${shown}: it is encrypted; save it again with numpy.savez, which does not encrypt`);
  }
  if (!METHODS.includes(entry.compressionMethod)) {
    throw new UsageError(
      `${shown}: it is compressed by the method ${entry.compressionMethod} of zip; it takes stored and deflated arrays: save it again with numpy.savez_compressed`,
    );
  }
}

/** Reads an archive. The places of its parts are what it says, so each is compared with its size. */
class ArchiveReader extends RandomAccessReader {
  readonly #file: FileHandle;
  readonly #size: number;

  constructor(file: FileHandle, size: number) {
    super();
    this.#file = file;
    this.#size = size;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#file.createReadStream({ start, end: end - 1, autoClose: false });
  }

  override read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (position + length > this.#size) {
      callback(new Error("a part of it would lie past its end"));
      return;
    }
    this.#file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => callback(null, bytesRead), callback);
  }

  override close(callback: (error: Error | null) => void): void {
    // The file is closed by who opened it.
    callback(null);
  }
}

/** All files of an archive. */
async function entriesOf(archive: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) {
    entries.push(entry);
  }
  return entries;
}

/** What comes out of an archive, which has to have the archive's checksum. */
async function* checked(
  chunks: AsyncIterable<Uint8Array>,
  entry: Entry,
): AsyncGenerator<Uint8Array, undefined> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) {
    throw new Error("its checksum (CRC-32) is another one");
  }
}

/** Throws what went wrong with a file of the system's, or else with what it holds. */
const failing =
  (path: string, what: string) =>
  (cause: unknown): never => {
    const { syscall, message } = cause as NodeJS.ErrnoException;
    throw syscall === undefined
      ? new UsageError(`${path}: ${what}: ${message.replace(/\.$/, "")}; save it again with numpy.savez`)
      : fileError(path, cause);
  };

/**
 * Opens an array of an archive, and closes that when `work` is done. Without a name, it is the only one.
 *
 * @throws {UsageError} where it cannot be read.
 */
export async function withMember<Result>(
  path: string,
  name: string | undefined,
  work: (input: Input) => Promise<Result>,
): Promise<Result> {
  const failed = failing(path, "this zip archive cannot be read");
  const file = await open(path).catch(failed);
  try {
    const { size } = await file.stat();
    const reader = new ArchiveReader(file, size);
    const options = { autoClose: false, lazyEntries: true };
    const archive = await fromRandomAccessReaderPromise(reader, size, options).catch(failed);
    const entry = arrayOf(await entriesOf(archive).catch(failed), name, path);
    const shown = name === undefined ? path : `${path}:${name}`;
    requireReadable(entry, shown);
    const damaged = failing(shown, "this array is damaged in the zip archive");
    const stream = await archive.openReadStreamPromise(entry).catch(damaged);
    try {
      return await work({
        path: shown,
        size: entry.uncompressedSize,
        fill: fillFromChunks(checked(stream, entry), damaged),
        abandon() {
          stream.destroy();
        },
      });
    } finally {
      stream.destroy();
    }
  } finally {
    await file.close();
  }
}
