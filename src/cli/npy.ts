import { dump } from "npyjs";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { ScalarType } from "../algebra/types.ts";
import type { Dtype } from "./dtypes.ts";
import { arrays, compoundRefusal, dtypeOf, dtypes, refusal } from "./dtypes.ts";
import { counted, UsageError } from "./errors.ts";
import type { Input } from "./files.ts";
import type { Literal } from "./python_literal.ts";
import { LiteralError, parseLiteral } from "./python_literal.ts";

/** An array of elements as a `.npy` file holds it. */
export interface ElementsFile {
  readonly type: ScalarType;
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
  /** NumPy's dtype, such as `<u4`. */
  readonly descr: string;
  readonly shape: readonly number[];
  readonly dataOffset: number;
  readonly dataBytes: number;
}

const types = Object.values<ScalarType>(elementTypes);
const elementDtypes = types.map((type) => dtypes[type.name]);

const flagDtypes = Object.keys(arrays);

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
export function parseElements(bytes: Uint8Array, name: string): ElementsFile {
  return elementsOf(...parse(bytes, name, elementDtypes));
}

/**
 * The flags of a `.npy` file: for each place, whether its value is not zero (NaN is not).
 *
 * @throws {UsageError} as {@link parseElements}.
 */
export function parseFlags(bytes: Uint8Array, name: string): FlagsFile {
  return flagsOf(...parse(bytes, name, flagDtypes));
}

/** As {@link parseFlags}, of a file that is read no further than its header says. */
export async function readFlags(input: Input): Promise<FlagsFile> {
  return flagsOf(...(await read(input, flagDtypes)));
}

/** Elements of a file, which are read piece by piece. */
export interface ElementSource {
  readonly type: ScalarType;
  /** It is undefined where no header tells it. */
  readonly shape: readonly number[] | undefined;
  /** In bytes; undefined where it is known only at the end. */
  readonly size: number | undefined;
  /**
   * Fills an array with what comes next. Returns the number of bytes, which is less at the end alone.
   *
   * @throws {UsageError} where the file does not hold what its header says, or ends in the middle of an element.
   */
  fill(bytes: Uint8Array): Promise<number>;
}

/**
 * Opens a file of elements: a `.npy` file; or elements of a type, without a header.
 *
 * @throws {UsageError} as {@link parseElements}.
 */
export async function openElements(input: Input, raw?: ScalarType): Promise<ElementSource> {
  return raw === undefined ? openNpy(input) : openRaw(input, raw);
}

async function openNpy(input: Input): Promise<ElementSource> {
  const { header, first } = await openHeader(input, elementDtypes);
  const { descr, shape, dataBytes } = header;
  let done = 0;
  return {
    type: typeOf(descr),
    shape,
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

async function openRaw(input: Input, type: ScalarType): Promise<ElementSource> {
  // The system says 0 of files that are on no disk.
  const size = input.size || undefined;
  // A pipe is not asked yet: who writes to it may wait for a sign that the command is there.
  const start = new Uint8Array(MAGIC.length);
  const first = start.subarray(0, size === undefined ? 0 : await input.fill(start));
  requireNoHeader(first, input.path, "--raw");
  const requireWhole = (bytes: number): void => {
    if (bytes % type.bytes !== 0) {
      throw new UsageError(
        `${input.path}: it ends in the middle of an element: it holds ${counted(bytes, "byte")}, and each ${type.name} takes ${type.bytes}`,
      );
    }
  };
  requireWhole(size ?? 0);
  let done = 0;
  return {
    type,
    shape: undefined,
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
  const holder = arrays[dtypes[type.name]];
  if (size !== undefined) {
    const data = allocate(size, path);
    await source.fill(data);
    // One more read makes the source check that the file ends here.
    await source.fill(new Uint8Array(1));
    return new holder(data.buffer) as ScalarArray;
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
  return new holder(all.buffer) as ScalarArray;
}

const UNKNOWN_PIECE = 2 ** 20;

/** The bytes before the data of a `.npy` file of elements, little-endian and in C order. They are at least `least` bytes. */
export function npyHeader(type: ScalarType, shape: readonly number[], least = 0): Uint8Array {
  const dtype = dtypes[type.name].slice(1) as NpyName;
  const header = new Uint8Array(dump(new Uint8Array(0), [...shape], { dtype }));
  if (header.length >= least) {
    return header;
  }
  const padded = new Uint8Array(least).fill(SPACE);
  padded.set(header.subarray(0, -1));
  padded[least - 1] = LINE_END;
  new DataView(padded.buffer).setUint16(MAGIC.length + 2, least - MAGIC.length - 4, true);
  return padded;
}

type NpyName = "u4" | "i4" | "f4" | "f2" | "u8" | "i8" | "f8";
const SPACE = 0x20;
const LINE_END = 0x0a;

/** A `.npy` file of elements. */
export function dumpElements({ type, data, shape }: ElementsFile): Uint8Array {
  const header = npyHeader(type, shape);
  const file = new Uint8Array(header.length + data.byteLength);
  file.set(header);
  file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), header.length);
  return file;
}

const typeOf = (descr: string): ScalarType => types.find((one) => dtypes[one.name] === descr) as ScalarType;

function elementsOf({ descr, shape }: Header, data: ArrayBuffer): ElementsFile {
  return { type: typeOf(descr), data: new arrays[descr as Dtype](data) as ScalarArray, shape };
}

function flagsOf({ descr, shape }: Header, data: ArrayBuffer): FlagsFile {
  const values: ArrayLike<number | bigint> = new arrays[descr as Dtype](data);
  const flags = new Uint8Array(values.length);
  for (let index = 0; index < flags.length; index++) {
    const value = Number(values[index]);
    // The bits of an f16 have a sign, which zero may have too.
    flags[index] = (descr === "<f2" ? value & 0x7fff : value) === 0 ? 0 : 1;
  }
  return { flags, shape };
}

function parse(bytes: Uint8Array, name: string, accepted: readonly string[]): [Header, ArrayBuffer] {
  const header = parseHeader(bytes, name, accepted);
  requireBytes(header, bytes.length - header.dataOffset, name);
  // The data may lie out of alignment, and the bytes in a larger buffer.
  return [header, Uint8Array.from(bytes.subarray(header.dataOffset)).buffer];
}

/** Reads a header, and what comes behind it at once. */
async function openHeader(
  input: Input,
  accepted: readonly string[],
): Promise<{ readonly header: Header; readonly first: Uint8Array }> {
  const start = new Uint8Array(FIXED_BYTES + MOST_HEADER_BYTES);
  const startBytes = await input.fill(start);
  const header = parseHeader(start.subarray(0, startBytes), input.path, accepted);
  const first = start.subarray(header.dataOffset, startBytes);
  if (input.size !== undefined) {
    requireBytes(header, Math.max(input.size, startBytes) - header.dataOffset, input.path);
  } else if (startBytes < start.length || first.length > header.dataBytes) {
    requireBytes(header, first.length, input.path);
  }
  return { header, first };
}

async function read(input: Input, accepted: readonly string[]): Promise<[Header, ArrayBuffer]> {
  const { header, first } = await openHeader(input, accepted);
  const { dataBytes } = header;
  const data = allocate(dataBytes, input.path);
  data.set(first.subarray(0, dataBytes));
  let present = first.length;
  if (present <= dataBytes) {
    present += await input.fill(data.subarray(present));
    // If there is one more byte, the file is too long.
    present += await input.fill(new Uint8Array(1));
  }
  requireBytes(header, present, input.path);
  return [header, data.buffer];
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
function headerTextOf(
  bytes: Uint8Array,
  accepted: readonly string[],
  fail: Fail,
): { readonly text: string; readonly dataOffset: number } {
  if (bytes.length === 0) {
    fail("the file is empty; it takes a .npy file, as numpy.save writes it");
  }
  if (!startsAsNpy(bytes)) {
    const zip = bytes[0] === 0x50 && bytes[1] === 0x4b;
    fail(
      zip
        ? "this is a zip archive (.npz?), not a .npy file; save one array alone with numpy.save"
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
      `its header takes ${textBytes} bytes; it takes ${MOST_HEADER_BYTES} at most, and an array of ${accepted.join(" ")} some hundred`,
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
function parseHeader(bytes: Uint8Array, name: string, accepted: readonly string[]): Header {
  const fail = (message: string): never => {
    throw new UsageError(`${name}: ${message}`);
  };
  const malformed = (what: string): never =>
    fail(`the header is malformed: ${what}; save the array again with numpy.save`);
  const { text, dataOffset } = headerTextOf(bytes, accepted, fail);
  const { descr: spelling, fortran, shape } = fieldsOf(literalIn(text, malformed), malformed);
  if (typeof spelling !== "string") {
    return fail(
      compoundRefusal(spelling, accepted) ?? malformed("its dtype ('descr') is no text, such as '<u4'"),
    );
  }
  const descr = dtypeOf(spelling);
  if (!accepted.includes(descr)) {
    fail(refusal(descr, accepted));
  }
  if (fortran && shape.filter((length) => length !== 1).length > 1) {
    fail(
      `it is in Fortran order, with shape (${shape.join(", ")}); it takes C order: convert it with numpy.ascontiguousarray(a)`,
    );
  }
  const dataBytes = shape.includes(0)
    ? 0
    : shape.reduce((product, one) => product * one, arrays[descr as Dtype].BYTES_PER_ELEMENT);
  if (!Number.isSafeInteger(dataBytes)) {
    fail(`its shape (${shape.join(", ")}) of ${descr} takes more bytes than any file holds`);
  }
  return { descr, shape, dataOffset, dataBytes };
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
