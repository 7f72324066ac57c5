import doubleItemsFile from "../../shaders/exact/double_items.wgsl";
import fixedFile from "../../shaders/exact/fixed.wgsl";
import fixedDoubleFile from "../../shaders/exact/fixed_double.wgsl";
import fixedFloatFile from "../../shaders/exact/fixed_float.wgsl";
import fixedRunFile from "../../shaders/exact/fixed_run.wgsl";
import floatItemsFile from "../../shaders/exact/float_items.wgsl";
import halfRunFile from "../../shaders/exact/half_run.wgsl";
import inputBitsFile from "../../shaders/exact/input_bits.wgsl";
import inputBitsHalfFile from "../../shaders/exact/input_bits_half.wgsl";
import itemsFile from "../../shaders/exact/items.wgsl";
import lookBackFile from "../../shaders/exact/look_back.wgsl";
import nearFile from "../../shaders/exact/near.wgsl";
import noNearFile from "../../shaders/exact/near_none.wgsl";
import outputBitsFile from "../../shaders/exact/output_bits.wgsl";
import outputBitsHalfFile from "../../shaders/exact/output_bits_half.wgsl";
import passFile from "../../shaders/exact/pass.wgsl";
import prefixesFile from "../../shaders/exact/prefixes.wgsl";
import reduceFile from "../../shaders/exact/reduce.wgsl";
import scanFile from "../../shaders/exact/scan.wgsl";
import stageFile from "../../shaders/exact/stage.wgsl";
import noStageFile from "../../shaders/exact/stage_none.wgsl";
import storePrefixesFile from "../../shaders/exact/store_prefixes.wgsl";
import sumFile from "../../shaders/exact/sum.wgsl";
import swiftDoubleFile from "../../shaders/exact/swift_double.wgsl";
import swiftFloatFile from "../../shaders/exact/swift_float.wgsl";
import swiftHalfFile from "../../shaders/exact/swift_half.wgsl";
import tilesFile from "../../shaders/exact/tiles.wgsl";
import windowTotalFile from "../../shaders/exact/window_total.wgsl";
import { unroll } from "../text/module.ts";
import { compactText, piecesOf } from "../text/pieces.ts";
import type { SourceText } from "../text/source.ts";
import type { ExactFormat } from "./exact_sums.ts";
import type { OwnTiles, TileShape, WorkGroupLimits } from "./monoid.ts";

// Tiles of exact sums, most of which are scanned and reduced in a few words. What a file replaces in a kernel, its
// `// replaces:` says. shaders/exact/scan.wgsl, tiles.wgsl and reduce.wgsl explain the three kinds.

/** What tiles have for a type, beside its format. */
export interface ExactTileFormat {
  /** The words of a window in a single pass. */
  readonly window: number;
  /** The words of a sum in fixed point, and how far above its lowest bit an item may start. */
  readonly fixed: number;
  readonly span: number;
  /** The words of an item. */
  readonly itemWords: 1 | 2;
  /** Whether prefixes of many binades are tried in two words. */
  readonly near: boolean;
  /** WGSL that makes an output of a float's bits, `x`. */
  readonly toOutput: string;
}

/** The most items of a tile whose digits have room. See shaders/exact/reduce.wgsl. */
const DIGIT_ITEMS = 2 ** 14;

/** The most words of a sum whose loops over words are written out in tiles. */
const SHORT = 12;

/** The names that the functions of sum.wgsl have for sums of a window. */
const narrowNames: Readonly<Record<string, string>> = {
  EXACT_WORDS: "NARROW_WORDS",
  ExactSum: "NarrowSum",
  exact_combine: "narrow_combine",
  exact_from_parts: "narrow_from_parts",
  exact_lead: "narrow_lead",
};

/** The functions of sum.wgsl for sums of a window. */
const narrowText = (): string =>
  piecesOf(sumFile, (word) => narrowNames[word] ?? word)
    .filter(({ name }) => Object.values(narrowNames).includes(name))
    .map(compactText)
    .join("\n\n");

/** The tiles of a type's exact sums. */
export function exactTiles(
  { fraction, words }: ExactFormat,
  { window, fixed, span, itemWords, near, toOutput }: ExactTileFormat,
): OwnTiles {
  const own = { NARROW_WORDS: window, FIXED_WORDS: fixed, FIXED_SPAN: span, ITEM_WORDS: itemWords };
  const isWide = itemWords === 2;
  const isHalf = fraction === 10;
  return (side, entryPoint, constants, { sizes, algorithm, exclusive, gpuLimits, map }) => {
    // Subgroups have kernels of their own.
    if (!gpuLimits || algorithm === "subgroup") {
      return undefined;
    }
    if (side === "elements") {
      return constants.VECTOR === 1 ? { sizes: spreadOut(sizes, words, gpuLimits) } : undefined;
    }
    const counts = { ...constants, ...own, EXACT_WORDS: words };
    // Loops over many words stay loops.
    const file = (name: string, text: string): SourceText => ({
      name: `shaders/exact/${name}.wgsl`,
      text: unroll(words > SHORT ? text.replace(/(< EXACT_WORDS;.*\{) \/\/ unroll/g, "$1") : text, counts),
    });
    const select = (name: string, sum: string): string =>
      `fn select_${name}(exclusive: ${sum}, inclusive: ${sum}) -> ${sum} {\n  return ${exclusive ? "exclusive" : "inclusive"};\n}`;
    const isPacked = isHalf && !map && constants.VECTOR === 8;
    const common = [
      {
        name: "exact sums in a few words",
        text: [
          ...Object.entries(own).map(([name, value]) => `const ${name} = ${value}u;`),
          `fn output_from_float(x: FloatBits) -> Output {\n  return ${toOutput};\n}`,
          select("fixed", "Fixed"),
          select("near", "vec2<u32>"),
          select("word", "u32"),
          select("three", "vec3<u32>"),
          select("narrow", "NarrowSum"),
        ].join("\n\n"),
      },
      isWide ? file("double_items", doubleItemsFile) : file("float_items", floatItemsFile),
      file("items", itemsFile),
      isPacked ? file("input_bits_half", inputBitsHalfFile) : file("input_bits", inputBitsFile),
      file("sum", narrowText()),
    ];
    const inFixedPoint = [
      file("fixed", fixedFile),
      isWide ? file("fixed_double", fixedDoubleFile) : file("fixed_float", fixedFloatFile),
      isHalf ? file("half_run", halfRunFile) : file("fixed_run", fixedRunFile),
    ];
    const tiles = file("tiles", tilesFile);
    if (entryPoint === "reduce_tiles") {
      const fits = (constants.TILE ?? 0) <= DIGIT_ITEMS;
      return { files: [...common, ...(fits ? [...inFixedPoint, file("reduce", reduceFile)] : [tiles])] };
    }
    const stored = [...common, tiles, file("store_prefixes", storePrefixesFile)];
    // A single pass of f64 would hand on too many words.
    if (entryPoint === "scan_single_pass" && isWide) {
      return { files: [...stored, file("window_total", windowTotalFile)] };
    }
    return {
      files: [
        ...stored,
        ...inFixedPoint,
        isPacked ? file("output_bits_half", outputBitsHalfFile) : file("output_bits", outputBitsFile),
        file("prefixes", prefixesFile),
        isWide && 2 * sizes.items < words ? file("stage", stageFile) : file("stage_none", noStageFile),
        isWide
          ? file("swift_double", swiftDoubleFile)
          : isHalf
            ? file("swift_half", swiftHalfFile)
            : file("swift_float", swiftFloatFile),
        near ? file("near", nearFile) : file("near_none", noNearFile),
        ...(entryPoint === "scan_tiles"
          ? [file("scan", scanFile)]
          : [file("pass", passFile), file("look_back", lookBackFile)]),
      ],
    };
  };
}

/**
 * Kernels that combine tiles' totals take as long as a thread does for its elements. So more threads take fewer elements each, in
 * tiles of the same size. Work-group memory as its algorithm takes it: up to two elements a thread.
 */
function spreadOut<Sizes extends TileShape>(sizes: Sizes, words: number, limits: WorkGroupLimits): Sizes {
  const mostThreads = Math.min(
    limits.maxComputeInvocationsPerWorkgroup,
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeWorkgroupStorageSize / (2 * 4 * words),
  );
  let { items, workGroupSize } = sizes;
  while (items % 2 === 0 && 2 * workGroupSize <= mostThreads) {
    items /= 2;
    workGroupSize *= 2;
  }
  return { ...sizes, items, workGroupSize };
}
