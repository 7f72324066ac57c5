import { dump, parse } from "npyjs";
import { elementTypes } from "../element_types.ts";
import type { ScalarArray } from "../reference/arrays.ts";
import type { Float16ArrayLike, ScalarType, TypeName } from "../types.ts";
import { UsageError } from "./errors.ts";

/** An array of elements as a `.npy` file holds it. */
export interface ElementsFile {
  readonly type: ScalarType;
  /** In C order; f16 as its bits, in a `Uint16Array`. */
  readonly data: ScalarArray;
  readonly shape: readonly number[];
}

interface Header {
  /** NumPy's dtype, such as `<u4`. */
  readonly descr: string;
  readonly shape: readonly number[];
  readonly dataOffset: number;
}

/** NumPy's little-endian dtypes. */
const dtypes = {
  u32: "<u4",
  i32: "<i4",
  f32: "<f4",
  f16: "<f2",
  u64: "<u8",
  i64: "<i8",
  f64: "<f8",
} as const satisfies Record<TypeName, string>;
const types = Object.values<ScalarType>(elementTypes);
const elementDtypes = types.map((type) => dtypes[type.name]);
const flagDtypes: readonly string[] = [
  "|b1",
  "|u1",
  "|i1",
  "<u2",
  "<i2",
  "<u4",
  "<i4",
  "<f4",
  "<u8",
  "<i8",
  "<f8",
];

/**
 * The elements of a `.npy` file.
 *
 * @throws {UsageError} naming what is wrong with the file, and what would be right.
 */
export function parseElements(bytes: Uint8Array, name: string): ElementsFile {
  const header = parseHeader(bytes, name, elementDtypes);
  const type = types.find((one) => dtypes[one.name] === header.descr) as ScalarType;
  return { type, data: dataOf(bytes, header) as ScalarArray, shape: header.shape };
}

/**
 * The flags of a `.npy` file: for each place, whether its value is not zero (NaN is not).
 *
 * @throws {UsageError} as {@link parseElements}.
 */
export function parseFlags(bytes: Uint8Array, name: string): { flags: Uint8Array; shape: readonly number[] } {
  const header = parseHeader(bytes, name, flagDtypes);
  const values = dataOf(bytes, header) as ArrayLike<number | bigint | boolean>;
  return {
    flags: Uint8Array.from(values as ArrayLike<number>, (value) => (Number(value) === 0 ? 0 : 1)),
    shape: header.shape,
  };
}

/** A `.npy` file of elements, little-endian and in C order. */
export function dumpElements({ type, data, shape }: ElementsFile): Uint8Array {
  return new Uint8Array(
    dump(data as Exclude<ScalarArray, Float16ArrayLike>, [...shape], { dtype: npyName(dtypes[type.name]) }),
  );
}

// npyjs takes what it finds: a truncated file, trailing bytes, Fortran order, unaligned data. All of
// these are found here first.
function parseHeader(bytes: Uint8Array, name: string, accepted: readonly string[]): Header {
  const fail = (message: string): never => {
    throw new UsageError(`${name}: ${message}`);
  };
  if (bytes.length === 0) {
    fail("the file is empty; it takes a .npy file, as numpy.save writes it");
  }
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
  const shown = Math.min(bytes.length, magic.length);
  if (!magic.slice(0, shown).every((byte, index) => bytes[index] === byte)) {
    const zip = bytes[0] === 0x50 && bytes[1] === 0x4b;
    fail(
      zip
        ? "this is a zip archive (.npz?), not a .npy file; save one array alone with numpy.save"
        : "this is not a .npy file; it takes one, as numpy.save writes it",
    );
  }
  const truncated = (): never => fail("the file is truncated in its header; save it again with numpy.save");
  const [major = 0, minor = 0] = bytes.subarray(6);
  if (bytes.length < 8) {
    truncated();
  }
  if (major < 1 || major > 3) {
    fail(`the .npy version is ${major}.${minor}; it takes 1.0, 2.0 or 3.0`);
  }
  const textOffset = major === 1 ? 10 : 12;
  if (bytes.length < textOffset) {
    truncated();
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dataOffset = textOffset + (major === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (bytes.length < dataOffset) {
    truncated();
  }
  const text = new TextDecoder(major === 3 ? "utf-8" : "latin1").decode(
    bytes.subarray(textOffset, dataOffset),
  );
  const malformed = (what: string): never =>
    fail(`the header is malformed: it has no ${what}; save the array again with numpy.save`);

  const takes = `it takes ${accepted.join(" ")}`;
  if (/["']descr["']\s*:\s*\[/.test(text)) {
    fail(`its dtype is a structured one; ${takes}; save one field alone`);
  }
  const descr = /["']descr["']\s*:\s*["']([^"']+)["']/.exec(text)?.[1] ?? malformed("dtype ('descr')");
  const fortran = /["']fortran_order["']\s*:\s*(True|False)/.exec(text)?.[1] ?? malformed("'fortran_order'");
  const shapeText = /["']shape["']\s*:\s*\(([^)]*)\)/.exec(text)?.[1] ?? malformed("'shape'");
  const shape = shapeText
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => (/^\d+L?$/.test(one) ? Number.parseInt(one, 10) : malformed("shape of whole numbers")));

  if (!accepted.includes(descr)) {
    const little = descr.replace(/^>/, "<");
    fail(
      descr.startsWith(">")
        ? `its dtype is ${descr}, which is big-endian; it takes little-endian${accepted.includes(little) ? ` ${little}: convert it with a.astype("${little}")` : `, and of types ${accepted.join(" ")}`}`
        : `its dtype is ${descr}; ${takes}: convert it with a.astype(…)`,
    );
  }
  if (fortran === "True" && shape.filter((length) => length !== 1).length > 1) {
    fail(
      `it is in Fortran order, with shape (${shape.join(", ")}); it takes C order: convert it with numpy.ascontiguousarray(a)`,
    );
  }
  const itemBytes = Number(descr.slice(2));
  const length = shape.reduce((product, one) => product * one, 1);
  const expected = length * itemBytes;
  const present = bytes.length - dataOffset;
  const promised = `shape (${shape.join(", ")}${shape.length === 1 ? "," : ""}) of ${descr} takes ${expected} bytes of data`;
  if (present < expected) {
    fail(`the file is truncated: ${promised}, and it holds ${present}`);
  }
  if (present > expected) {
    fail(`${present - expected} bytes too many follow the header: ${promised}, and it holds ${present}`);
  }
  return { descr, shape, dataOffset };
}

/** The data through npyjs, which needs it aligned: behind a header of our own where the file's is odd. */
function dataOf(bytes: Uint8Array, { descr, dataOffset }: Header): unknown {
  if (bytes.length === dataOffset) {
    // NumPy may leave the data of an empty array out of alignment, and there is nothing to align.
    return parse(dump(new Uint8Array(0), [0], { dtype: npyName(descr) }), { convertFloat16: false }).data;
  }
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  if (whole && dataOffset % 8 === 0) {
    return parse(bytes.buffer as ArrayBuffer, { convertFloat16: false }).data;
  }
  const data = bytes.subarray(dataOffset);
  return parse(dump(data, [data.length / Number(descr.slice(2))], { dtype: npyName(descr) }), {
    convertFloat16: false,
  }).data;
}

type NpyName = "b1" | "u1" | "i1" | "u2" | "i2" | "u4" | "i4" | "f4" | "f2" | "u8" | "i8" | "f8";
const npyName = (descr: string): NpyName => descr.slice(1) as NpyName;
