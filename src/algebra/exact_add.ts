import doubleFile from "#shaders/exact/double.wgsl";
import floatFile from "#shaders/exact/float.wgsl";
import sumFile from "#shaders/exact/sum.wgsl";
import { ArgumentError } from "../errors.ts";
import { unrollFile } from "../text/module.ts";
import {
  exactFormats,
  exactNothing,
  exactOf,
  exactOfWords,
  exactRounded,
  exactWords,
  isShort,
} from "./exact_sums.ts";
import { exactTiles } from "./exact_tiles.ts";
import { converted } from "./literals.ts";
import type { Monoid, Operator } from "./monoid.ts";
import type { Domain, ElementType, ScalarType, SourceText, Value } from "./types.ts";

/** The names of the types that {@link exactAdd} takes. */
export type FloatName = "f16" | "f32" | "f64";

/**
 * The exact sum of floats, rounded once to nearest even. It has the same bits on every adapter and in every plan, for any data.
 * NaN, or infinities of both signs, give NaN. −0 comes only from nothing but −0, and the sum of nothing is 0.
 *
 * @example
 * ```ts
 * await fold.reduce(Float32Array.of(1e8, 1, -1e8), { op: exactAdd }); // 1
 * await fold.scan(Float32Array.of(1e8, 1, -1e8), { op: exactAdd, exclusive: true }); // 0 1e8 1e8
 * ```
 */
export const exactAdd: Operator<FloatName> = {
  name: "exactAdd",
  key: "exact_add",
  mostBytes: 268,
  on: exactMonoid,
} as Operator<FloatName>;

/** WGSL over `x` that converts between the values of a type and exact sums. */
interface Conversions {
  /** An item's type in a buffer; a sum of an item, and of an initial value; an item of a sum. */
  readonly stored: string;
  readonly fromItem: string;
  readonly fromInitial: string;
  readonly toItem: string;
  /** The same for a value in a caller's kernel, if its type is another than an item's. */
  readonly fromValue?: string;
  readonly toValue?: string;
}

const conversions: Readonly<Record<FloatName, Conversions>> = {
  f16: {
    stored: "f16",
    fromItem: "exact_item(bits_from_f16(x))",
    fromInitial: "exact_from_bits(bits_from_f16(x))",
    toItem: "f16_from_bits(bits_from_exact(x))",
  },
  f32: {
    stored: "u32",
    fromItem: "exact_item(x)",
    fromInitial: "exact_from_bits(x)",
    toItem: "bits_from_exact(x)",
    fromValue: "exact_item(bitcast<u32>(x))",
    toValue: "bitcast<f32>(bits_from_exact(x))",
  },
  f64: {
    stored: "vec2<u32>",
    fromItem: "exact_item(x)",
    fromInitial: "exact_from_f64(x)",
    toItem: "f64_from_exact(x)",
  },
};

/** How sums of a type are held, as words of 32 bits. */
function domainOf(name: FloatName): Domain<number> {
  const { words } = exactFormats[name];
  const { stored, fromItem, fromInitial, toItem, fromValue = fromItem, toValue = toItem } = conversions[name];
  const element = `array<u32, ${words}>`;
  return converted<number>(fromValue, toValue, {
    element,
    stored,
    fromStored: fromItem,
    fromInitial,
    toStored: toItem,
    elementBytes: 4 * words,
    align: 4,
    long: true,
    // H200, 2^26 f32 of 40 binades: 426 µs a scan (64 × 16 412, 32 × 16 417).
    // 2^25 f64 of 60 binades: 692 a scan (64 × 16 724, 32 × 24 738, 32 × 12 695), 200 a reduction (64 × 16 206, 128 × 8 252).
    row: (primitive) => ({
      elementBytes: 4 * words,
      algorithm: "blelloch",
      workGroupSize: name === "f64" && primitive === "scan" ? 32 : 128,
      items: 16,
    }),
    shuffle: (builtin, moved, place) =>
      `${element}(${Array.from({ length: words }, (_, at) => `${builtin}(${moved}[${at}], ${place})`).join(", ")})`,
    literal: () => [`${element}()`],
  });
}

/** The files that conversions and sums of a type call. */
function filesOf(name: FloatName): readonly SourceText[] {
  const format = exactFormats[name];
  const { fraction, words, mostExponent } = format;
  return [
    {
      name: `exact sums of ${name}`,
      text: [
        `const EXACT_WORDS = ${words}u;`,
        `const EXACT_FRACTION = ${fraction}u;`,
        `const EXACT_MOST = ${mostExponent}u;`,
      ].join("\n"),
    },
    isShort(format) ? unrollFile(sumFile, { EXACT_WORDS: words }) : sumFile,
    name === "f64" ? doubleFile : floatFile,
  ];
}

/** What sums of a type are made of. The same files are the same objects, so that they are read once. */
interface ExactType {
  readonly domain: Domain<number>;
  readonly files: readonly SourceText[];
}

const known = /* @__PURE__ */ new Map<FloatName, ExactType>();

function exactType(name: FloatName): ExactType {
  const made = known.get(name) ?? { domain: domainOf(name), files: filesOf(name) };
  known.set(name, made);
  return made;
}

function exactMonoid(_: Operator, type: ElementType, caller: string): Monoid {
  const name = type?.name as FloatName;
  const title = `${name}, exactAdd`;
  if (!Object.hasOwn(exactFormats, name)) {
    throw new ArgumentError(
      `${caller}<${title}>: exactAdd has no meaning on ${name}; it takes ${(type as Partial<ScalarType> | undefined)?.takes ?? Object.keys(exactFormats).join(", ")}`,
      name ? "op" : "type",
    );
  }
  const { domain, files } = exactType(name);
  const format = exactFormats[name];
  return {
    key: `exact_add_${name}`,
    title,
    type: { ...type, files: [...type.files, ...files] },
    domain: domain as Domain,
    operation: undefined,
    combine: "exact_combine(earlier, later)",
    identity: -0 as Value,
    tiles: exactTiles(name),
    carried: {
      bytes: (value) =>
        new Uint8Array(
          exactWords(value === undefined ? exactNothing : exactOf(value as number, format), format).buffer,
        ),
      value: (bytes) => exactRounded(exactOfWords(new Uint32Array(bytes.slice().buffer), format), format),
    },
  };
}
