import doubleFile from "#shaders/exact/double.wgsl";
import floatFile from "#shaders/exact/float.wgsl";
import sumFile from "#shaders/exact/sum.wgsl";
import { ArgumentError } from "../errors.ts";
import { unrollFile } from "../text/module.ts";
import { exactFormats, exactNothing, exactOf, exactOfWords, exactRounded, exactWords } from "./exact_sums.ts";
import type { ExactTileFormat } from "./exact_tiles.ts";
import { exactTiles, lanesOfHalves } from "./exact_tiles.ts";
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

/** The most words of a sum whose loops over words are written out. */
const SHORT = 10;

/** The conversions of an item `x`, by type: as it is stored, as a tile takes it, and as a caller's kernel holds it. */
const conversions = {
  f16: {
    stored: "f16",
    from: "exact_item(bits_from_f16(x))",
    fromInitial: "exact_from_bits(bits_from_f16(x))",
    to: "f16_from_bits(bits_from_exact(x))",
  },
  f32: {
    stored: "u32",
    from: "exact_item(x)",
    fromInitial: "exact_from_bits(x)",
    to: "bits_from_exact(x)",
    fromValue: "exact_item(bitcast<u32>(x))",
    toValue: "bitcast<f32>(bits_from_exact(x))",
  },
  f64: {
    stored: "vec2<u32>",
    from: "exact_item(x)",
    fromInitial: "exact_from_f64(x)",
    to: "f64_from_exact(x)",
  },
} as const satisfies Record<
  FloatName,
  {
    readonly stored: string;
    readonly from: string;
    readonly fromInitial: string;
    readonly to: string;
    readonly fromValue?: string;
    readonly toValue?: string;
  }
>;

/** What a type has of its own: the domain of exact sums, and the files that this calls. */
interface ExactType {
  readonly domain: Domain<number>;
  readonly files: readonly SourceText[];
}

/**
 * How tiles combine items in a few words. Items of f16 always fit: their exponents span fewer places than `span`. An f64 has too
 * many bits for two words.
 */
export const tileFormats = {
  f16: {
    window: 3,
    fixed: 2,
    span: 32,
    itemWords: 1,
    near: false,
    toOutput: "f16_from_bits(x)",
    lanes: lanesOfHalves,
  },
  f32: { window: 4, fixed: 3, span: 39, itemWords: 1, near: true, toOutput: "x" },
  f64: { window: 6, fixed: 5, span: 74, itemWords: 2, near: false, toOutput: "x" },
} as const satisfies Record<FloatName, ExactTileFormat>;

const known = /* @__PURE__ */ new Map<FloatName, ExactType>();

function exactType(name: FloatName): ExactType {
  const made = known.get(name);
  if (made !== undefined) {
    return made;
  }
  const { fraction, words } = exactFormats[name];
  const {
    stored,
    from,
    fromInitial,
    to,
    fromValue = from,
    toValue = to,
  } = conversions[name] as {
    readonly stored: string;
    readonly from: string;
    readonly fromInitial: string;
    readonly to: string;
    readonly fromValue?: string;
    readonly toValue?: string;
  };
  const element = `array<u32, ${words}>`;
  const own: ExactType = {
    domain: converted<number>(fromValue, toValue, {
      element,
      stored,
      fromStored: from,
      fromInitial,
      toStored: to,
      elementBytes: 4 * words,
      align: 4,
      long: true,
      // H200, 2^26 f32 of 40 binades: 426 µs a scan (64 × 16 412, 32 × 16 417). 2^26 f16 of 8 binades, a reduction: 72 (128 × 8 92).
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
    }),
    files: [
      {
        name: `exact sums of ${name}`,
        text: [
          `const EXACT_WORDS = ${words}u;`,
          `const EXACT_FRACTION = ${fraction}u;`,
          `const EXACT_MOST = ${name === "f16" ? 31 : 255}u;`,
        ].join("\n"),
      },
      words > SHORT ? sumFile : unrollFile(sumFile, { EXACT_WORDS: words }),
      name === "f64" ? doubleFile : floatFile,
    ],
  };
  known.set(name, own);
  return own;
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
  const tiles: ExactTileFormat = tileFormats[name];
  return {
    key: `exact_add_${name}`,
    title,
    type: { ...type, files: [...type.files, ...files] },
    domain: domain as Domain,
    operation: undefined,
    combine: "exact_combine(earlier, later)",
    identity: -0 as Value,
    tiles: exactTiles(format, tiles),
    lanes: tiles.lanes,
    carried: {
      bytes: (value) =>
        new Uint8Array(
          exactWords(value === undefined ? exactNothing : exactOf(value as number, format), format).buffer,
        ),
      value: (bytes) => exactRounded(exactOfWords(new Uint32Array(bytes.slice().buffer), format), format),
    },
  };
}
