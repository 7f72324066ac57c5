import type { ScalarArray } from "../algebra/arrays.ts";
import type { ScalarType } from "../algebra/types.ts";
import type { Dtype } from "./dtypes.ts";
import { arrays, compoundRefusal, dtypeOf, dtypes, isTaken, nameOfRaw, refusal } from "./dtypes.ts";
import { counted, UsageError } from "./errors.ts";
import type { Input } from "./files.ts";
import type { Literal } from "./python_literal.ts";
import { LiteralError, parseLiteral } from "./python_literal.ts";
import {
  bytesOfEach,
  elementsOver,
  inCOrder,
  placeOfStored,
  reverseBytes,
  storedBytes,
  typeRead,
  widen,
} from "./stored.ts";

/** An array of elements of a `.npy` file. */
export interface ElementsFile {
  readonly type: ScalarType;
  /** How the file holds them, but for the order of their bytes. Without it, as it does elements of the type. */
  readonly dtype?: Dtype;
  /** In C order; f16 as its bits, in a `Uint16Array`. */
  readonly data: ScalarArray;
  readonly shape: readonly number[];
}

/** The flags of a `.npy` file, one for each place. */
export interface FlagsFile {
  readonly flags: Uint8Array;
  readonly shape: readonly number[];
}

interface Header {
  /** NumPy's dtype, such as `<u4` or `>u4`. */
  readonly descr: string;
  readonly dtype: Dtype;
  readonly isBigEndian: boolean;
  /** Whether Fortran order differs from C order for this shape, and the data is in it. */
  readonly isFortran: boolean;
  readonly shape: readonly number[];
  readonly dataOffset: number;
  readonly dataBytes: number;
}

/** The longest header that version 1.0 has. An array of one of these types takes some hundred bytes. */
const MOST_HEADER_BYTES = 0xffff;
/** As many as NumPy has. */
const MOST_DIMENSIONS = 64;
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Of the magic, the version and the header's length, in the versions that have four bytes for it. */
const FIXED_BYTES = 12;

/**
 * The elements of a `.npy` file.
 *
 * @throws {UsageError} naming what is wrong with the file, and what would be right.
 */
export function parseElements(bytes: Uint8Array, name: string): Required<ElementsFile> {
  const header = parseHeader(bytes, name);
  const { dtype, shape } = header;
  const type = typeRead(dtype);
  const stored = parseStored(header, bytes, name);
  const data = new Uint8Array((stored.length / bytesOfEach(dtype)) * type.bytes);
  placeOfStored(data, dtype).set(stored);
  widen(data, dtype, stored.length / bytesOfEach(dtype));
  return { type, dtype, data: elementsOver(type, data.buffer), shape };
}

/**
 * The flags of a `.npy` file: for each place, whether its value is not zero (NaN is not).
 *
 * @throws {UsageError} as {@link parseElements}.
 */
export function parseFlags(bytes: Uint8Array, name: string): FlagsFile {
  const header = parseHeader(bytes, name);
  return flagsOf(header, parseStored(header, bytes, name));
}

/** As {@link parseFlags}, of a file that is read no further than its header says. */
export async function readFlags(input: Input): Promise<FlagsFile> {
  const { header, stored } = await openStored(input);
  const bytes = await allOf(stored, header.dataBytes, input.path);
  return flagsOf(header, inMemoryOrder(header, bytes));
}

/** Elements of a file, which are read piece by piece. */
export interface ElementSource {
  readonly type: ScalarType;
  /** How the file holds them, but for the order of their bytes. */
  readonly dtype: Dtype;
  /** It is undefined where no header tells it. */
  readonly shape: readonly number[] | undefined;
  /** Of the elements, in bytes; undefined where it is known only at the end. */
  readonly size: number | undefined;
  /**
   * Fills an array with the elements that come next. Returns the number of bytes, which is less at the end alone.
   *
   * @throws {UsageError} where the file does not hold what its header says, or ends in the middle of an element.
   */
  fill(bytes: Uint8Array): Promise<number>;
}

/** What a file holds behind its header, which is read piece by piece as it is. */
type Stored = Pick<ElementSource, "size" | "fill">;

/**
 * Opens a file of elements: a `.npy` file; or elements of a dtype, without a header. It is read whole at the first piece if it is in
 * Fortran order.
 *
 * @throws {UsageError} as {@link parseElements}.
 */
export async function openElements(input: Input, raw?: Dtype): Promise<ElementSource> {
  if (raw !== undefined) {
    return elementsOf(await openRaw(input, raw), { dtype: raw, shape: undefined });
  }
  const { header, stored } = await openStored(input);
  return elementsOf(header.isFortran ? reordered(stored, header, input.path) : stored, header);
}

/** The elements of what a file holds. */
function elementsOf(
  stored: Stored,
  {
    dtype,
    shape,
    isBigEndian = false,
  }: Pick<ElementSource, "dtype" | "shape"> & { readonly isBigEndian?: boolean },
): ElementSource {
  const type = typeRead(dtype);
  const each = bytesOfEach(dtype);
  return {
    type,
    dtype,
    shape,
    size: stored.size === undefined ? undefined : (stored.size / each) * type.bytes,
    async fill(bytes) {
      const place = placeOfStored(bytes, dtype);
      const filled = await stored.fill(place);
      if (isBigEndian) {
        reverseBytes(place.subarray(0, filled), dtype);
      }
      widen(bytes, dtype, filled / each);
      return (filled / each) * type.bytes;
    },
  };
}

async function openStored(input: Input): Promise<{ readonly header: Header; readonly stored: Stored }> {
  const { header, first } = await openHeader(input);
  const { dataBytes } = header;
  let done = 0;
  const stored: Stored = {
    size: dataBytes,
    async fill(bytes) {
      const wanted = bytes.subarray(0, dataBytes - done);
      const known = first.subarray(done, done + wanted.length);
      wanted.set(known);
      const filled = known.length + (await input.fill(wanted.subarray(known.length)));
      done += filled;
      if (wanted.length < bytes.length || filled < wanted.length) {
        // If there is one more byte, the file is too long.
        const more = done === dataBytes ? await input.fill(new Uint8Array(1)) : 0;
        requireBytes(header, Math.max(first.length, done + more), input.path);
      }
      return filled;
    },
  };
  return { header, stored };
}

/** What a file in Fortran order holds, in C order. The file is read whole. */
function reordered(stored: Stored, { dataBytes, shape, dtype }: Header, path: string): Stored {
  let all: Uint8Array | undefined;
  let done = 0;
  return {
    size: dataBytes,
    async fill(bytes) {
      all ??= inCOrder(await allOf(stored, dataBytes, path), shape, dtype);
      const piece = all.subarray(done, done + bytes.length);
      bytes.set(piece);
      done += piece.length;
      return piece.length;
    },
  };
}

/** All bytes of what is read, if their number is known. */
async function allOf({ fill }: Stored, size: number, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = allocate(size, path);
  await fill(bytes);
  // One more read makes the source check that the file ends here.
  await fill(new Uint8Array(1));
  return bytes;
}

/** @throws {UsageError} if a file starts as a `.npy` file does, and `option` says that it has no header. */
export function requireNoHeader(first: Uint8Array, path: string, option: string): void {
  if (startsAsNpy(first) && first.length >= MAGIC.length) {
    throw new UsageError(
      `${path}: this is a .npy file, whose header ${option} would take for data; leave ${option} out, since the header names the type`,
    );
  }
}

/** Whether what is there of the first bytes is what a `.npy` file starts with. */
const startsAsNpy = (bytes: Uint8Array): boolean =>
  MAGIC.slice(0, bytes.length).every((byte, index) => bytes[index] === byte);

async function openRaw(input: Input, dtype: Dtype): Promise<Stored> {
  // The system says 0 of files that are on no disk.
  const size = input.size || undefined;
  // A pipe is not asked yet: who writes to it may wait for a sign that the command is there.
  const start = new Uint8Array(MAGIC.length);
  const first = start.subarray(0, size === undefined ? 0 : await input.fill(start));
  requireNoHeader(first, input.path, "--raw");
  const each = bytesOfEach(dtype);
  const requireWhole = (bytes: number): void => {
    if (bytes % each !== 0) {
      throw new UsageError(
        `${input.path}: it ends in the middle of an element: it holds ${counted(bytes, "byte")}, and each ${nameOfRaw(dtype)} takes ${each}`,
      );
    }
  };
  requireWhole(size ?? 0);
  let done = 0;
  return {
    size,
    async fill(bytes) {
      // A file that grows meanwhile is taken as it was.
      const wanted = size === undefined ? bytes : bytes.subarray(0, size - done);
      const known = first.subarray(done, done + wanted.length);
      wanted.set(known);
      const filled = known.length + (await input.fill(wanted.subarray(known.length)));
      if (done === 0) {
        requireNoHeader(wanted.subarray(0, filled), input.path, "--raw");
      }
      done += filled;
      if (filled < bytes.length) {
        requireWhole(done);
      }
      return filled;
    },
  };
}

/**
 * All elements of a source at once.
 *
 * @throws {UsageError} where there is no memory for them.
 */
export async function readAll(source: ElementSource, path: string): Promise<ScalarArray> {
  const { type, size } = source;
  if (size !== undefined) {
    return elementsOver(type, (await allOf(source, size, path)).buffer);
  }
  const pieces: Uint8Array[] = [];
  for (let filled = UNKNOWN_PIECE; filled === UNKNOWN_PIECE; ) {
    const piece = new Uint8Array(UNKNOWN_PIECE);
    filled = await source.fill(piece);
    pieces.push(piece.subarray(0, filled));
  }
  const all = allocate(
    pieces.reduce((sum, { length }) => sum + length, 0),
    path,
  );
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return elementsOver(type, all.buffer);
}

const UNKNOWN_PIECE = 2 ** 20;

/** What the length of a header is a multiple of, with what comes before it. */
const HEADER_UNIT = 64;

/** The bytes before the data of a `.npy` file of a dtype, in C order. They are at least `least` bytes. */
export function npyHeader(dtype: Dtype, shape: readonly number[], least = 0): Uint8Array {
  const lengths = shape.length === 1 ? `${shape[0]},` : shape.join(",");
  const text = `{'descr':'${dtype}','fortran_order':False,'shape':(${lengths})}`;
  const start = [...MAGIC, 1, 0];
  const bytes = HEADER_UNIT * Math.ceil(Math.max(start.length + 2 + text.length + 1, least) / HEADER_UNIT);
  const header = new Uint8Array(bytes);
  header.set(start);
  const textBytes = bytes - start.length - 2;
  new DataView(header.buffer).setUint16(start.length, textBytes, true);
  header.set(new TextEncoder().encode(`${text.padEnd(textBytes - 1)}\n`), start.length + 2);
  return header;
}

/** A `.npy` file of elements. */
export function dumpElements({ type, dtype = dtypes[type.name], data, shape }: ElementsFile): Uint8Array {
  const header = npyHeader(dtype, shape);
  const stored = storedBytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), dtype);
  const file = new Uint8Array(header.length + stored.length);
  file.set(header);
  file.set(stored, header.length);
  return file;
}

function flagsOf({ dtype, shape }: Header, { buffer }: Uint8Array<ArrayBuffer>): FlagsFile {
  const values: ArrayLike<number | bigint> = new arrays[dtype](buffer);
  const flags = new Uint8Array(values.length);
  for (let index = 0; index < flags.length; index++) {
    const value = Number(values[index]);
    // The bits of an f16 have a sign, which zero may have too.
    flags[index] = (dtype === "<f2" ? value & 0x7fff : value) === 0 ? 0 : 1;
  }
  return { flags, shape };
}

/** What a file holds, little-endian and in C order. */
function inMemoryOrder(
  { dtype, shape, isBigEndian, isFortran }: Header,
  stored: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if (isBigEndian) {
    reverseBytes(stored, dtype);
  }
  return isFortran ? inCOrder(stored, shape, dtype) : stored;
}

/** The same of a file whose bytes are at hand. */
function parseStored(header: Header, bytes: Uint8Array, name: string): Uint8Array<ArrayBuffer> {
  requireBytes(header, bytes.length - header.dataOffset, name);
  // The data may lie out of alignment, and the bytes in a larger buffer.
  return inMemoryOrder(header, Uint8Array.from(bytes.subarray(header.dataOffset)));
}

/** Reads a header, and what comes behind it at once. */
async function openHeader(input: Input): Promise<{ readonly header: Header; readonly first: Uint8Array }> {
  const start = new Uint8Array(FIXED_BYTES + MOST_HEADER_BYTES);
  const startBytes = await input.fill(start);
  const header = parseHeader(start.subarray(0, startBytes), input.path);
  const first = start.subarray(header.dataOffset, startBytes);
  if (input.size !== undefined) {
    requireBytes(header, Math.max(input.size, startBytes) - header.dataOffset, input.path);
  } else if (startBytes < start.length || first.length > header.dataBytes) {
    requireBytes(header, first.length, input.path);
  }
  return { header, first };
}

function allocate(bytes: number, name: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes);
  } catch {
    throw new UsageError(
      `${name}: its data takes ${bytes} bytes, and there is no memory for an array of as many`,
    );
  }
}

/** Throws the error of a file. */
type Fail = (message: string) => never;

/** The text of the header of a file that starts with these bytes, and where the data starts. */
function headerTextOf(bytes: Uint8Array, fail: Fail): { readonly text: string; readonly dataOffset: number } {
  if (bytes.length === 0) {
    fail("the file is empty; it takes a .npy file, as numpy.save writes it");
  }
  if (!startsAsNpy(bytes)) {
    const zip = bytes[0] === 0x50 && bytes[1] === 0x4b;
    fail(
      zip
        ? "this is a zip archive (.npz?), which is not read from a pipe; it takes a .npy file, or the path of the archive"
        : "this is not a .npy file; it takes one, as numpy.save writes it",
    );
  }
  const requireLength = (length: number): void => {
    if (bytes.length < length) {
      fail("the file is truncated in its header; save it again with numpy.save");
    }
  };
  const [major = 0, minor = 0] = bytes.subarray(6);
  requireLength(8);
  if (major < 1 || major > 3) {
    fail(`the .npy version is ${major}.${minor}; it takes 1.0, 2.0 or 3.0`);
  }
  const textOffset = major === 1 ? 10 : FIXED_BYTES;
  requireLength(textOffset);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const textBytes = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (textBytes > MOST_HEADER_BYTES) {
    fail(
      `its header takes ${textBytes} bytes; it takes ${MOST_HEADER_BYTES} at most, and an array of numbers some hundred`,
    );
  }
  const dataOffset = textOffset + textBytes;
  requireLength(dataOffset);
  const decoder = new TextDecoder(major === 3 ? "utf-8" : "latin1");
  return { text: decoder.decode(bytes.subarray(textOffset, dataOffset)), dataOffset };
}

function literalIn(text: string, malformed: Fail): Literal {
  try {
    return parseLiteral(text);
  } catch (cause) {
    if (!(cause instanceof LiteralError)) {
      throw cause;
    }
    return malformed(cause.message);
  }
}

/** The header of the file that starts with these bytes. */
function parseHeader(bytes: Uint8Array, name: string): Header {
  const fail = (message: string): never => {
    throw new UsageError(`${name}: ${message}`);
  };
  const malformed = (what: string): never =>
    fail(`the header is malformed: ${what}; save the array again with numpy.save`);
  const { text, dataOffset } = headerTextOf(bytes, fail);
  const { descr: spelling, fortran, shape } = fieldsOf(literalIn(text, malformed), malformed);
  if (typeof spelling !== "string") {
    return fail(compoundRefusal(spelling) ?? malformed("its dtype ('descr') is no text, such as '<u4'"));
  }
  const descr = dtypeOf(spelling);
  const dtype = descr.replace(">", "<");
  if (!isTaken(dtype)) {
    return fail(refusal(descr));
  }
  const dataBytes = shape.includes(0) ? 0 : shape.reduce((product, one) => product * one, bytesOfEach(dtype));
  if (!Number.isSafeInteger(dataBytes)) {
    fail(`its shape (${shape.join(", ")}) of ${descr} takes more bytes than any file holds`);
  }
  return {
    descr,
    dtype,
    isBigEndian: descr !== dtype,
    isFortran: fortran && shape.filter((length) => length !== 1).length > 1,
    shape,
    dataOffset,
    dataBytes,
  };
}

/** What a header says, as it says it. */
interface Fields {
  readonly descr: Literal;
  readonly fortran: boolean;
  readonly shape: readonly number[];
}

function fieldsOf(literal: Literal, malformed: Fail): Fields {
  if (!isKind(literal, "dict")) {
    return malformed("it is no dict of Python");
  }
  const fields = new Map(literal.entries);
  for (const name of fields.keys()) {
    if (name !== "descr" && name !== "fortran_order" && name !== "shape") {
      malformed("it has a key that is none of 'descr', 'fortran_order' and 'shape'");
    }
  }
  const descr = fields.get("descr");
  if (descr === undefined) {
    return malformed("it has no dtype ('descr')");
  }
  const fortran = fields.get("fortran_order");
  if (typeof fortran !== "boolean") {
    return malformed("it has no 'fortran_order' of True or False");
  }
  const shape = fields.get("shape");
  if (shape === undefined || !isKind(shape, "tuple")) {
    return malformed("it has no 'shape'");
  }
  if (shape.items.length > MOST_DIMENSIONS) {
    return malformed(
      `its shape has ${shape.items.length} dimensions, and NumPy's have ${MOST_DIMENSIONS} at most`,
    );
  }
  const lengths = shape.items.map((one) => (isKind(one, "number") ? Number(one.digits) : Number.NaN));
  if (!lengths.every((length) => length >= 0)) {
    return malformed("it has no shape of whole numbers");
  }
  if (!lengths.every(Number.isSafeInteger)) {
    return malformed("its shape has a length of 2^53 or more");
  }
  return { descr, fortran, shape: lengths };
}

type Compound = Extract<Literal, { readonly kind: string }>;
const isKind = <Kind extends Compound["kind"]>(
  literal: Literal,
  kind: Kind,
): literal is Extract<Compound, { readonly kind: Kind }> =>
  typeof literal === "object" && literal?.kind === kind;

/** @throws {UsageError} where a file does not hold as many bytes behind its header as it says. */
function requireBytes({ descr, shape, dataBytes }: Header, present: number, name: string): void {
  const promised = `shape (${shape.join(", ")}${shape.length === 1 ? "," : ""}) of ${descr} takes ${counted(dataBytes, "byte")} of data`;
  if (present < dataBytes) {
    throw new UsageError(`${name}: the file is truncated: ${promised}, and it holds ${present}`);
  }
  if (present > dataBytes) {
    throw new UsageError(
      `${name}: it has ${counted(present - dataBytes, "byte")} too many behind the header: ${promised}, and it holds ${present}`,
    );
  }
}
