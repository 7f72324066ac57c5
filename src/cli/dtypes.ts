import type { NarrowName, TypeName } from "../algebra/types.ts";
import { quoted } from "./errors.ts";
import type { Literal } from "./python_literal.ts";

/** The dtype that each type has in a file. */
export const dtypes = {
  u32: "<u4",
  i32: "<i4",
  f32: "<f4",
  f16: "<f2",
  u64: "<u8",
  i64: "<i8",
  f64: "<f8",
} as const satisfies Record<TypeName, string>;

/** The same, with the types of 8 and 16 bits, which calls take as they are. */
export const dtypesOfCalls = {
  ...dtypes,
  u8: "|u1",
  i8: "|i1",
  u16: "<u2",
  i16: "<i2",
} as const satisfies Record<TypeName | NarrowName, string>;

/** What holds the data of each dtype, which is little-endian: f16 as its bits. */
export const arrays = {
  "|b1": Uint8Array,
  "|u1": Uint8Array,
  "|i1": Int8Array,
  "<u2": Uint16Array,
  "<i2": Int16Array,
  "<f2": Uint16Array,
  "<u4": Uint32Array,
  "<i4": Int32Array,
  "<f4": Float32Array,
  "<u8": BigUint64Array,
  "<i8": BigInt64Array,
  "<f8": Float64Array,
} as const;
export type Dtype = keyof typeof arrays;

/** The type of the elements that each dtype is read as. Narrow ones become 32 bits. */
export const typesRead = {
  "|b1": "u32",
  "|u1": "u32",
  "|i1": "i32",
  "<u2": "u32",
  "<i2": "i32",
  "<f2": "f16",
  "<u4": "u32",
  "<i4": "i32",
  "<f4": "f32",
  "<u8": "u64",
  "<i8": "i64",
  "<f8": "f64",
} as const satisfies Record<Dtype, TypeName>;

/** What `--raw` takes: the names of the types, and NumPy's names of narrow dtypes. */
export const rawDtypes = {
  ...dtypes,
  bool: "|b1",
  uint8: "|u1",
  int8: "|i1",
  uint16: "<u2",
  int16: "<i2",
} as const satisfies Record<string, Dtype>;

/** The name of a dtype among those. */
export const nameOfRaw = (dtype: Dtype): string =>
  Object.entries(rawDtypes).find(([, one]) => one === dtype)?.[0] ?? dtype;

/**
 * Other spellings that `numpy.dtype` takes: names, and the letters of C's types, which may have a byte order. C's `long` is not among
 * them, since it has 4 bytes on some machines and 8 on others.
 */
const names = {
  b1: "bool bool_",
  u1: "uint8 ubyte",
  i1: "int8 byte",
  u2: "uint16 ushort",
  i2: "int16 short",
  f2: "float16 half",
  u4: "uint32 uintc",
  i4: "int32 intc",
  f4: "float32 single",
  u8: "uint64 ulonglong uint uintp",
  i8: "int64 longlong int int_ intp",
  f8: "float64 double float",
} as const;
const letters = {
  b1: "?",
  u1: "B",
  i1: "b",
  u2: "H",
  i2: "h",
  f2: "e",
  u4: "I",
  i4: "i",
  f4: "f",
  u8: "Q P N",
  i8: "q p n",
  f8: "d",
} as const satisfies Record<keyof typeof names, string>;

/** The kind and the bytes that one of a list of words stands for. */
const meaning = (lists: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.keys(lists).find((code) => lists[code]?.split(" ").includes(word));

/**
 * A dtype as NumPy writes it, with its byte order, from any spelling that `numpy.dtype` takes. If it spells no number, it is returned as
 * it is.
 */
export function dtypeOf(spelling: string): string {
  const [, order = "", word = ""] = /^([<>=|]?)(.*)$/s.exec(spelling) ?? [];
  const code =
    (order === "" ? meaning(names, word) : undefined) ??
    meaning(letters, word) ??
    (Object.hasOwn(names, word) ? word : undefined);
  if (code === undefined) {
    return spelling;
  }
  return `${code.endsWith("1") ? "|" : order === ">" ? ">" : "<"}${code}`;
}

/** Names that have a count of bytes to NumPy, and to others one of bits. */
const IN_BITS = /^[uif]8$/;

/** The one of these names that a text on the command line is, or that has the dtype which it spells; or what is wrong with it. */
export function named<Name extends string>(
  given: string,
  taken: Readonly<Record<Name, Dtype>>,
): { readonly name: Name } | { readonly problem: string } {
  const names = Object.keys(taken) as Name[];
  const dtype = dtypeOf(given);
  const name =
    names.find((one) => one === given) ??
    (IN_BITS.test(given) ? undefined : names.find((one) => taken[one] === dtype));
  if (name !== undefined) {
    return { name };
  }
  const little = names.map((one) => taken[one]).find((one) => dtype === one.replace("<", ">"));
  const narrow = names.find((one) => taken[one] === `|${given[0]}1` && one !== "bool");
  const problem = IN_BITS.test(given)
    ? `${given} has 64 bits to NumPy, and 8 to others: write ${given[0]}64${narrow === undefined ? ` or <${given}` : `, or ${narrow} for 8`}`
    : little !== undefined
      ? `elements are little-endian: convert them with a.astype("${little}")`
      : "or NumPy's names of these, such as <u4, u4 and uint32";
  return { problem: `Allowed choices are ${names.join(", ")}; ${problem}.` };
}

export const isTaken = (dtype: string): dtype is Dtype => Object.hasOwn(arrays, dtype);

/** A dtype for a message. */
const shown = (dtype: string): string => (/^[!-~]{1,20}$/.test(dtype) ? dtype : quoted(dtype.slice(0, 20)));

/** What else becomes whole numbers. All others become `<f8`. */
const nearest: readonly (readonly [RegExp, Dtype])[] = [
  [/^.?(L|ulong)$/, "<u8"],
  [/^.?(l|long|[mM]8.*|(datetime|timedelta)64.*)$/, "<i8"],
];

const taken = Object.keys(arrays) as Dtype[];
const TAKES = `it takes ${taken.join(" ")}`;

/** What to write in Python for an array of a dtype that is not taken. */
function conversion(dtype: string, array = "a"): string {
  if (/^.?(c\d|complex|c(single|double|longdouble)|[FDG]$)/.test(dtype)) {
    return `${array}.real.astype("<f8"), and ${array}.imag.astype("<f8") in a file of its own`;
  }
  const [, bytes] = /^.?V(\d+)$/.exec(dtype) ?? [];
  if (bytes !== undefined) {
    const type = taken.filter((one) => one.slice(2) === bytes).at(-1) ?? "<u4";
    return `${array}.view("${type}"), or with another of these types, which its bytes are of`;
  }
  const [, type = "<f8"] = nearest.find(([kind]) => kind.test(dtype)) ?? [];
  return `${array}.astype("${type}")`;
}

/** What a message says of a dtype that is not taken: what it is, and what would be right. */
export function refusal(dtype: string): string {
  const note = /^.?(O|object)$/.test(dtype)
    ? ", of Python's objects"
    : /^.?(l|L|u?long)$/.test(dtype)
      ? ", whose size depends on the machine"
      : "";
  return `its dtype is ${shown(dtype)}${note}; ${TAKES}: convert it with ${conversion(dtype)}`;
}

/** The same of a dtype that is no text. It is undefined for what is no dtype at all. */
export function compoundRefusal(dtype: Literal): string | undefined {
  if (typeof dtype !== "object" || dtype === null || !("items" in dtype)) {
    return undefined;
  }
  if (dtype.kind === "tuple") {
    return `its dtype is a tuple, of an array in each place; ${TAKES}, and the dimensions of these arrays at the end of the shape, as numpy.save writes it`;
  }
  const field = firstField(dtype, "a");
  if (field === undefined) {
    return undefined;
  }
  const { array, dtype: own } = field;
  const cure = isTaken(own.replace(">", "<")) ? array : conversion(own, array);
  return `its dtype is a structured one, with fields; ${TAKES}: save one field alone, such as ${cure}`;
}

/**
 * What Python writes for the first field of an array, and its dtype. A field stands in a structured dtype as `(name, dtype)`, or with a
 * title as `((title, name), dtype)`, and may have fields itself. Padding has no name.
 */
function firstField(
  structure: Literal,
  array: string,
): { readonly array: string; readonly dtype: string } | undefined {
  for (const [title, dtype] of itemsOf(structure).map(itemsOf)) {
    const name = typeof title === "string" ? title : itemsOf(title)[1];
    if (typeof name === "string" && name !== "" && dtype !== undefined) {
      const field = `${array}[${quoted(name.slice(0, 20))}]`;
      return typeof dtype === "string" ? { array: field, dtype: dtypeOf(dtype) } : firstField(dtype, field);
    }
  }
  return undefined;
}

const itemsOf = (literal: Literal | undefined): readonly Literal[] =>
  typeof literal === "object" && literal !== null && "items" in literal ? literal.items : [];
