import fc from "fast-check";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { dumpElements, parseElements, parseFlags } from "../../src/cli/npy.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import type { Fixture } from "./fixture.ts";
import { dataArbitrary } from "./plans.ts";
import { requireLinear } from "./text.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bytesOf, itemBytes } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow, Fault, isRefusal, oneLine } from "./verdict.ts";

// Files that others write: headers of .npy, as NumPy reads them, and changed in any way; and comment lines that ask for
// functions.

const keys = ["descr", "fortran_order", "shape"] as const;

/** A header that NumPy reads, written in some style. */
interface HeaderCase {
  readonly family: "files";
  readonly kind: "header";
  readonly type: TypeName;
  readonly shape: readonly number[];
  readonly data: DataSpec;
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

const typeNames = Object.keys(elementTypes) as TypeName[];
const ASK = "work_group_scan_exclusive_add_u32";

export function filesArbitrary(): fc.Arbitrary<FilesCase> {
  const family = fc.constant("files" as const);
  const pieces = fc.constantFrom(
    "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }",
    "{'descr': '<u4', 'fortran_order': False, 'shape': (",
    "{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '>u4', 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '<u4', 'fortran_order': True, 'shape': (2, 2)}",
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
        type: fc.constantFrom(...typeNames),
        shape: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
        data: dataArbitrary(),
        version: fc.constantFrom(1 as const, 2 as const, 3 as const),
        quotes: fc.constantFrom("'" as const, '"' as const),
        order: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
        blank: fc.constantFrom("", " ", "  ", "\n", "\t"),
        comma: fc.boolean(),
        padding: fc.nat({ max: 70 }),
      },
      { requiredKeys: ["family", "kind", "type", "shape", "data"] },
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

const dtypes: Readonly<Record<TypeName, string>> = {
  u32: "<u4",
  i32: "<i4",
  f32: "<f4",
  f16: "<f2",
  u64: "<u8",
  i64: "<i8",
  f64: "<f8",
};

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

function runHeader(one: HeaderCase): Verdict {
  const { type: name, shape, quotes = "'", blank = " ", comma = true, order = [0, 1, 2], version = 1 } = one;
  const type = elementTypes[name];
  const length = shape.reduce((product, size) => product * size, 1);
  const data = itemBytes(type, one.data, length, false);
  const quoted = (text: string): string => `${quotes}${text}${quotes}`;
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(`,${blank}`)})`;
  const values = [quoted(dtypes[name]), "False", tuple];
  const entries = order.map((key) => `${quoted(keys[key] ?? "")}${blank}:${blank}${values[key]}`);
  const text = `{${blank}${entries.join(`,${blank}`)}${comma ? "," : ""}${blank}}${" ".repeat(one.padding ?? 0)}\n`;
  const bytes = npyOf(version, new TextEncoder().encode(text), data);
  const title = `the header ${JSON.stringify(text.trim())}`;
  const parsed = readNpy(title, () => parseElements(bytes, "in.npy"));
  if (parsed === undefined) {
    throw new Fault(`${title} is refused, and NumPy reads it`);
  }
  requireSame(title, name, shape, data, parsed);
  const again = readNpy(title, () => parseElements(dumpElements(parsed), "out.npy"));
  if (again === undefined) {
    throw new Fault(`${title}: what is written is not read`);
  }
  requireSame(`${title}, written and read`, name, shape, data, again);
  return "passed";
}

function requireSame(
  title: string,
  name: TypeName,
  shape: readonly number[],
  data: Uint8Array,
  parsed: {
    readonly type: { readonly name: string };
    readonly data: ScalarArray;
    readonly shape: readonly number[];
  },
): void {
  const own = bytesOf(parsed.data);
  const expected = bytesOf(arrayOf(elementTypes[name], data));
  if (parsed.type.name !== name || String(parsed.shape) !== String(shape)) {
    throw new Fault(`${title} is read as ${parsed.type.name} of the shape (${parsed.shape.join(", ")})`);
  }
  if (own.length !== expected.length || own.some((byte, index) => byte !== expected[index])) {
    throw new Fault(`${title}: the data is not what the file holds`);
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
