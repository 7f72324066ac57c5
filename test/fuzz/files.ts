import fc from "fast-check";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { UsageError } from "../../src/cli/errors.ts";
import type { ElementSource, ElementsFile } from "../../src/cli/npy.ts";
import { dumpElements, openElements, parseElements, parseFlags } from "../../src/cli/npy.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { inputOf } from "../support/npy_bytes.ts";
import type { Fixture } from "./fixture.ts";
import { dataArbitrary } from "./plans.ts";
import { requireLinear } from "./text.ts";
import type { DataSpec } from "./values.ts";
import { bytesOf, itemBytes } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow, Fault, isRefusal, oneLine } from "./verdict.ts";

// Files that others write: headers of .npy, as NumPy reads them, and changed in any way; and comment lines that ask for
// functions.

const keys = ["descr", "fortran_order", "shape"] as const;

/** A header that NumPy reads, written in some style. */
interface HeaderCase {
  readonly family: "files";
  readonly kind: "header";
  readonly dtype: keyof typeof dtypes;
  readonly isBigEndian?: boolean;
  readonly isFortran?: boolean;
  readonly shape: readonly number[];
  readonly data: DataSpec;
  /** The elements of a piece that is read at once. */
  readonly room?: number;
  readonly version?: 1 | 2 | 3;
  readonly quotes?: "'" | '"';
  readonly order?: readonly number[];
  readonly blank?: string;
  readonly comma?: boolean;
  /** Bytes of padding, so that the data starts anywhere. */
  readonly padding?: number;
}

/** A header that is changed. */
interface BrokenCase {
  readonly family: "files";
  readonly kind: "broken";
  readonly header: string;
  readonly repeats?: number;
  readonly unit?: string;
  readonly version?: number;
  readonly cut?: number;
  readonly flip?: readonly (readonly [number, number])[];
  readonly bytes: number;
}

/** A comment line that asks for a function that the kernel calls. */
interface DirectiveCase {
  readonly family: "files";
  readonly kind: "directive";
  readonly before: string;
  readonly marker: string;
  readonly between: string;
  readonly ask: string;
  readonly end: string;
}

export type FilesCase = HeaderCase | BrokenCase | DirectiveCase;

/** The kind and the bytes of each dtype, and the type of elements that it is read as. */
const dtypes = {
  b1: "u32",
  u1: "u32",
  i1: "i32",
  u2: "u32",
  i2: "i32",
  f2: "f16",
  u4: "u32",
  i4: "i32",
  f4: "f32",
  u8: "u64",
  i8: "i64",
  f8: "f64",
} as const satisfies Record<string, TypeName>;
const dtypeNames = Object.keys(dtypes) as (keyof typeof dtypes)[];
const ASK = "work_group_scan_exclusive_add_u32";

export function filesArbitrary(): fc.Arbitrary<FilesCase> {
  const family = fc.constant("files" as const);
  const pieces = fc.constantFrom(
    "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }",
    "{'descr': '<u4', 'fortran_order': False, 'shape': (",
    "{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '>u4', 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '<u4', 'fortran_order': True, 'shape': (2, 2)}",
    "{'descr': '>f2', 'fortran_order': True, 'shape': (2, 5)}",
    "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<u4', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    "{'descr': '<u4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}",
    "{'descr': '<u4', 'fortran_order': False, 'shape': 2}",
    "{'descr': '<u4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '\\'', 'fortran_order': False, 'shape': (2,)}",
    "{",
    "",
  );
  return fc.oneof(
    fc.record(
      {
        family,
        kind: fc.constant("header" as const),
        dtype: fc.constantFrom(...dtypeNames),
        isBigEndian: fc.boolean(),
        isFortran: fc.boolean(),
        shape: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
        data: dataArbitrary(),
        version: fc.constantFrom(1 as const, 2 as const, 3 as const),
        quotes: fc.constantFrom("'" as const, '"' as const),
        order: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
        blank: fc.constantFrom("", " ", "  ", "\n", "\t"),
        comma: fc.boolean(),
        padding: fc.nat({ max: 70 }),
        room: fc.integer({ min: 1, max: 40 }),
      },
      { requiredKeys: ["family", "kind", "dtype", "shape", "data"] },
    ),
    fc.record(
      {
        family,
        kind: fc.constant("broken" as const),
        header: pieces,
        repeats: fc.oneof(fc.nat({ max: 10 }), fc.constantFrom(1000, 20_000)),
        unit: fc.constantFrom(
          "'shape': (",
          "'descr': '",
          '"descr"',
          "'fortran_order'",
          "'",
          '"',
          " ",
          "\n",
          "(",
          "{",
          ",",
          "'shape' ",
          "1, ",
        ),
        version: fc.nat({ max: 4 }),
        cut: fc.nat({ max: 200 }),
        flip: fc.array(fc.tuple(fc.nat({ max: 127 }), fc.integer({ min: 1, max: 255 })), { maxLength: 3 }),
        bytes: fc.nat({ max: 20 }),
      },
      { requiredKeys: ["family", "kind", "header", "bytes"] },
    ),
    fc.record({
      family,
      kind: fc.constant("directive" as const),
      before: fc.constantFrom("", " ", "\t", "const a = 1; ", "/* a */ ", "\u00a0", "// a ", "/* ", "}"),
      marker: fc.constantFrom(
        "// wavefold:",
        "//wavefold:",
        "// Wavefold:",
        "// wavefold :",
        "//  wavefold:",
        "// WAVEFOLD:",
        "//\twavefold:",
      ),
      between: fc.constantFrom("", " ", "  ", "\t"),
      ask: fc.constantFrom(
        ASK,
        `${ASK} 8`,
        `${ASK} 7`,
        `${ASK} 8 algorithm=blelloch`,
        `${ASK} 8 algorithm=none`,
        `${ASK} 8, ${ASK} 8`,
        `${ASK},`,
        `${ASK} 8 suffix=own`,
        "work_group_scan_exclusive_add_nothing 8",
        "nothing",
        "",
        `${ASK} 8 8`,
        `${ASK} 8 \u00e9=1`,
        `${ASK} 1e1`,
      ),
      end: fc.constantFrom("\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"),
    }),
  ) as fc.Arbitrary<FilesCase>;
}

function npyOf(version: number, header: Uint8Array, data: Uint8Array): Uint8Array {
  const isFirst = version === 1;
  const bytes = new Uint8Array((isFirst ? 10 : 12) + header.length + data.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  const view = new DataView(bytes.buffer);
  if (isFirst) {
    view.setUint16(8, header.length, true);
  } else {
    view.setUint32(8, header.length, true);
  }
  bytes.set(header, isFirst ? 10 : 12);
  bytes.set(data, (isFirst ? 10 : 12) + header.length);
  return bytes;
}

/** The place, in a file in Fortran order, of the element that is at a place in C order. */
function fortranPlace(at: number, shape: readonly number[]): number {
  let place = 0;
  let left = at;
  let stride = shape.reduce((product, size) => product * size, 1);
  for (const size of [...shape].reverse()) {
    stride /= size;
    place += (left % size) * stride;
    left = Math.floor(left / size);
  }
  return place;
}

/** The elements in C order, narrow ones as they have to be widened, and the bytes of the file that holds them. */
function contentsOf({ dtype, isBigEndian = false, isFortran = false, shape, data }: HeaderCase): {
  readonly elements: Uint8Array;
  readonly stored: Uint8Array;
} {
  const type = elementTypes[dtypes[dtype]];
  const each = Number(dtype[1]);
  const length = shape.reduce((product, size) => product * size, 1);
  const elements = itemBytes(type, data, length, false);
  const stored = new Uint8Array(length * each);
  for (let at = 0; at < length; at++) {
    const element = elements.subarray(at * type.bytes, (at + 1) * type.bytes);
    const bytes = element.slice(0, each);
    if (dtype === "b1") {
      element[0] = Number(element[0] !== 0);
    }
    const sign = dtype.startsWith("i") && (element[each - 1] as number) >= 0x80 ? 0xff : 0;
    element.fill(sign, each);
    stored.set(isBigEndian ? bytes.reverse() : bytes, each * (isFortran ? fortranPlace(at, shape) : at));
  }
  return { elements, stored };
}

/** All elements of a source, in pieces of so many. */
async function inPieces(source: ElementSource, room: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let filled = -1; filled !== 0; ) {
    const piece = new Uint8Array(room * source.type.bytes).fill(0xa5);
    filled = await source.fill(piece);
    pieces.push(piece.subarray(0, filled));
  }
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

async function runHeader(one: HeaderCase): Promise<Verdict> {
  const { dtype, isBigEndian = false, isFortran = false, shape, room = 3 } = one;
  const { quotes = "'", blank = " ", comma = true, order = [0, 1, 2], version = 1 } = one;
  const { elements, stored } = contentsOf(one);
  const quoted = (text: string): string => `${quotes}${text}${quotes}`;
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(`,${blank}`)})`;
  const descr = `${dtype.endsWith("1") ? "|" : isBigEndian ? ">" : "<"}${dtype}`;
  const values = [quoted(descr), isFortran ? "True" : "False", tuple];
  const entries = order.map((key) => `${quoted(keys[key] ?? "")}${blank}:${blank}${values[key]}`);
  const text = `{${blank}${entries.join(`,${blank}`)}${comma ? "," : ""}${blank}}${" ".repeat(one.padding ?? 0)}\n`;
  const bytes = npyOf(version, new TextEncoder().encode(text), stored);
  const title = `the header ${JSON.stringify(text.trim())}`;
  const parsed = readNpy(title, () => parseElements(bytes, "in.npy"));
  if (parsed === undefined) {
    throw new Fault(`${title} is refused, and NumPy reads it`);
  }
  requireSame(title, one, elements, parsed);
  const again = readNpy(title, () => parseElements(dumpElements(parsed), "out.npy"));
  if (again === undefined) {
    throw new Fault(`${title}: what is written is not read`);
  }
  requireSame(`${title}, written and read`, one, elements, again);
  requireFlags(title, one, elements, parseFlags(bytes, "in.npy").flags);
  for (const isPipe of [false, true]) {
    const pieces = await inPieces(await openElements(inputOf(bytes, isPipe)), room);
    requireBytes(`${title}, in pieces of ${room}`, elements, pieces);
  }
  return "passed";
}

function requireSame(
  title: string,
  { dtype, shape }: HeaderCase,
  elements: Uint8Array,
  parsed: Required<ElementsFile>,
): void {
  const name = dtypes[dtype];
  if (
    parsed.type.name !== name ||
    parsed.dtype.slice(1) !== dtype ||
    String(parsed.shape) !== String(shape)
  ) {
    throw new Fault(
      `${title} is read as ${parsed.type.name} of ${parsed.dtype}, of the shape (${parsed.shape.join(", ")})`,
    );
  }
  requireBytes(title, elements, bytesOf(parsed.data));
}

function requireBytes(title: string, expected: Uint8Array, found: Uint8Array): void {
  if (found.length !== expected.length || found.some((byte, index) => byte !== expected[index])) {
    throw new Fault(`${title}: the data is not what the file holds`);
  }
}

function requireFlags(title: string, { dtype }: HeaderCase, elements: Uint8Array, flags: Uint8Array): void {
  const { bytes } = elementTypes[dtypes[dtype]];
  for (const [at, flag] of flags.entries()) {
    const element = elements.slice(at * bytes, (at + 1) * bytes);
    if (dtype.startsWith("f")) {
      // The sign of zero is no flag.
      element[bytes - 1] = (element[bytes - 1] as number) & 0x7f;
    }
    if (Boolean(flag) !== element.some((byte) => byte !== 0)) {
      throw new Fault(`${title}: flag ${at} is ${flag}`);
    }
  }
  if (flags.length * bytes !== elements.length) {
    throw new Fault(`${title} is read as ${flags.length} flags`);
  }
}

/** What is read of a file; nothing, where it is refused by an error that says why. */
function readNpy<T>(title: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Fault) {
      throw cause;
    }
    if (!(cause instanceof UsageError) && !isRefusal(cause)) {
      throw new Fault(`${title} throws what is no refusal of ours: ${oneLine(cause)}`);
    }
    return undefined;
  }
}

function runBroken(one: BrokenCase): Verdict {
  const { header, unit = "", repeats = 0, version = 2, cut, flip = [] } = one;
  const text = `${header}${unit.repeat(repeats)}`;
  const whole = npyOf(version, new TextEncoder().encode(text), new Uint8Array(one.bytes));
  for (const [place, bits] of flip) {
    const at = place % whole.length;
    whole[at] = (whole[at] ?? 0) ^ bits;
  }
  const bytes = cut === undefined ? whole : whole.subarray(0, cut);
  const title = `a header that repeats ${JSON.stringify(unit)}`;
  const results = [parseElements, parseFlags].map((parse) =>
    requireLinear(title, bytes.length, () => readNpy(title, () => parse(bytes, "in.npy"))),
  );
  const [elements] = results;
  if (elements !== undefined && "data" in elements) {
    const length = elements.shape.reduce((product, size) => product * size, 1);
    if (
      elements.data.length !== length ||
      !elements.shape.every((size) => Number.isSafeInteger(size) && size >= 0)
    ) {
      throw new Fault(
        `${title} is read as ${elements.data.length} items of the shape (${elements.shape.join(", ")})`,
      );
    }
  }
  return results.every((result) => result === undefined) ? "refused" : "passed";
}

/** A kernel that asks for what it calls is linked with it, or told why not; in no way is it left as it was in silence. */
function runDirective({ before, marker, between, ask, end }: DirectiveCase): Verdict {
  const text = `${before}${marker}${between}${ask}${end}${before.startsWith("/* ") ? "*/" : ""}
@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  output[i] = ${ASK}(i, i);
}
`;
  const title = `the line ${JSON.stringify(`${before}${marker}${between}${ask}${end}`)}`;
  const made = attemptNow(title, false, () => linkDirectives(text));
  if ("refusal" in made) {
    const line = (made.refusal as { line?: number }).line;
    if (line !== undefined && line > text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).length) {
      throw new Fault(`${title} is refused at line ${line}, which the text has not`);
    }
    return "refused";
  }
  // In a comment of another form, or behind another one, it asks for nothing.
  const isComment = before === "/* " || before === "// a ";
  const isLinked = new RegExp(`fn ${ASK}\\b`).test(made.result);
  if (!isLinked && !isComment && ask !== "") {
    throw new Fault(`${title} is taken for no request, in silence`);
  }
  if (isLinked && isComment) {
    throw new Fault(`${title} is taken for a request, and is a comment`);
  }
  return "passed";
}

export async function runFiles(one: FilesCase, _bench: Fixture): Promise<Verdict> {
  switch (one.kind) {
    case "header":
      return runHeader(one);
    case "broken":
      return runBroken(one);
    case "directive":
      return runDirective(one);
    default:
      return one satisfies never;
  }
}
