import fixedFile from "../../shaders/exact/fixed.wgsl";
import fixedDoubleFile from "../../shaders/exact/fixed_double.wgsl";
import fixedFloatFile from "../../shaders/exact/fixed_float.wgsl";
import nearFile from "../../shaders/exact/near.wgsl";
import reduceFile from "../../shaders/exact/reduce.wgsl";
import scanFile from "../../shaders/exact/scan.wgsl";
import tilesFile from "../../shaders/exact/tiles.wgsl";
import { unroll } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import type { ExactFormat } from "./exact_sums.ts";
import type { WorkGroupLimits } from "./monoid.ts";

// Kernels that scan and reduce most tiles of exact sums in a few words. See shaders/exact/scan.wgsl and reduce.wgsl, and
// tiles.wgsl for single passes.

/** A kernel, as far as its text may be linked again. */
interface Linked {
  readonly label: string;
  readonly code: string;
  relink(change: (source: SourceText) => SourceText): string;
}

/** A plan, as far as its kernels matter. */
interface Planned<Kernel extends Linked, Pass extends { readonly kernel: Kernel }> {
  readonly kernels: readonly Kernel[];
  passes(...given: never[]): readonly Pass[];
}

/** What the shaders have for a type, beside its format. */
interface ExactShaders {
  /** The words of a window in a single pass. */
  readonly window: number;
  /** The words of a sum in fixed point, and how far above its lowest bit an item may start. */
  readonly fixed: number;
  readonly span: number;
  /** The WGSL type of a float's bits, and WGSL that makes an output of such bits, `x`. */
  readonly bits: "u32" | "vec2<u32>";
  readonly toOutput: string;
}

/** The functions of sum.wgsl for sums of a window. */
const narrowText = (sumText: string): string =>
  [...sumText.matchAll(/^(?:alias ExactSum =.*|fn exact_(?:combine|from_parts|lead)\([\s\S]*?^\})/gm)]
    .map(([text]) => text)
    .join("\n\n")
    .replace(/\bEXACT_WORDS\b/g, "NARROW_WORDS")
    .replace(/\bExactSum\b/g, "NarrowSum")
    .replace(/\bexact_(combine|from_parts|lead)\b/g, "narrow_$1");

/** The text without these functions. */
const without = (text: string, names: string): string =>
  text.replace(new RegExp(`^fn (${names})\\([\\s\\S]*?^\\}\\n`, "gm"), "");

/** What a kernel does with its tiles. */
type TileKind = "scan" | "single pass" | "reduce";

/** The most items of a tile whose digits have room. */
const DIGIT_ITEMS = 2 ** 14;

/** The texts that stand in for others in a kernel, by their names. `sizes` bound loops over items. */
function standInsFor(
  { fraction, words }: ExactFormat,
  { window, fixed, span, bits, toOutput }: ExactShaders,
  sumText: string,
  kind: TileKind,
  sizes: Readonly<Record<string, number>>,
): (source: SourceText) => readonly SourceText[] {
  const isWide = bits !== "u32";
  const itemWords = isWide ? 2 : 1;
  const counts = {
    EXACT_WORDS: words,
    NARROW_WORDS: window,
    FIXED_WORDS: fixed,
    ITEM_WORDS: itemWords,
    ...sizes,
  };
  // Loops over many words stay loops.
  const written = (text: string): string =>
    unroll(words > 12 ? text.replace(/(< EXACT_WORDS;.*\{) \/\/ unroll/g, "$1") : text, counts);
  const reduces = kind === "reduce" && (sizes.TILE ?? 0) <= DIGIT_ITEMS;
  const lead = isWide
    ? `fn float_from_lead(lead: ExactLead, window: u32) -> FloatBits {
  var own = lead;
  own.place += 32u * window;
  if (window == 1u) {
    own.value = vec2<u32>(0u, own.value.x);
  }
  return f64_from_lead(own);
}`
    : `fn float_from_lead(lead: ExactLead, window: u32) -> FloatBits {
  var own = lead;
  own.place += 32u * window;
  return bits_from_lead(own);
}`;
  const own = [
    `alias FloatBits = ${bits};`,
    `const FLOAT_NOTHING = ${isWide ? "vec2<u32>(0u, 0x80000000u)" : `${2 ** (fraction === 10 ? 15 : 31)}u`};`,
    `const NARROW_WORDS = ${window}u;`,
    `const FIXED_WORDS = ${fixed}u;`,
    `const FIXED_SPAN = ${span}u;`,
    `const ITEM_WORDS = ${itemWords}u;`,
    `const KEY_FRACTION = ${isWide ? 20 : fraction}u;`,
    `const KEY_MOST = ${isWide ? 2047 : fraction === 10 ? 31 : 255}u;`,
    `fn exact_item(x: FloatBits) -> ExactSum {
  var sum: ExactSum;
  ${isWide ? "sum[0] = x.x;\n  sum[1] = x.y;" : "sum[0] = x;"}
  return sum;
}`,
    `fn float_from_element(x: Element) -> FloatBits {
  return ${isWide ? "vec2<u32>(x[0], x[1])" : "x[0]"};
}`,
    `fn parts_from_float(x: FloatBits) -> ExactParts {
  return ${isWide ? "parts_from_f64" : "parts_from_bits"}(x);
}`,
    `fn output_from_float(x: FloatBits) -> Output {
  return ${toOutput};
}`,
    lead,
    written(narrowText(sumText)),
  ].join("\n\n");
  const file = (name: string, text: string): SourceText => ({
    name: `shaders/exact/${name}.wgsl`,
    text: written(text),
  });
  const tiles = [
    file("tiles", reduces ? without(tilesFile, "vector_of|reduce_tile") : tilesFile),
    { name: WORDS, text: own },
    ...(reduces ? [file("reduce", reduceFile)] : []),
    file("fixed", fixedFile),
    isWide ? file("fixed_double", fixedDoubleFile) : file("fixed_float", fixedFloatFile),
  ];
  const scan = [
    file("scan", scanFile),
    fraction === 23 ? file("near", nearFile) : { name: WORDS, text: NOT_NEAR },
  ];
  return (source) => {
    const { name, text } = source;
    const become = (changed: string): SourceText[] => [{ ...source, text: changed }];
    if (name.endsWith("device/tiles/portable.wgsl")) {
      return tiles;
    }
    if (kind === "scan" && name.endsWith("kernels/scan_tiles.wgsl")) {
      return scan;
    }
    if (
      name.endsWith("exact/item.wgsl") ||
      /\/(one_by_one|store_runs_one_by_one|one_by_one_runs)\.wgsl$/.test(name)
    ) {
      return become("");
    }
    if (/\/io\/(load_items|store_prefixes)\.wgsl$/.test(name)) {
      return become(text.replace(/^fn (load_items|store_prefixes)\(/m, "fn unused_$1("));
    }
    if (text.includes("fn element_from_stored(")) {
      return become(text.replace("exact_item(", isWide ? "exact_from_f64(" : "exact_from_bits("));
    }
    const [, prefix] = /^fn select_prefix\(.*\n {2}return (\w+);/m.exec(text) ?? [];
    const select = (what: string, sum: string): string =>
      `fn select_${what}(exclusive: ${sum}, inclusive: ${sum}) -> ${sum} {\n  return ${prefix};\n}\n`;
    return prefix === undefined || name !== "generated contract"
      ? [source]
      : become(
          `${text}\n${kind === "scan" ? select("fixed", "Fixed") + select("near", "vec2<u32>") : select("narrow", "NarrowSum")}`,
        );
  };
}

/** The name of generated text in messages. */
const WORDS = "exact sums in a few words";

/** In place of shaders/exact/near.wgsl: all items of f16 fit fixed point, and f64 has too many bits. */
const NOT_NEAR = `fn store_near(items: Items, thread: u32, tile: u32, length: u32, before: Element) -> bool {
  return false;
}
`;

/** The sizes that bound a kernel's loops over items. */
const sizesOf = (code: string): Record<string, number> =>
  Object.fromEntries(
    [...code.matchAll(/^const (ITEMS|VECTORS|VECTOR|TILE|WORK_GROUP_SIZE) = (\d+)u;/gm)].map(
      ([, name, value]) => [name, Number(value)],
    ),
  );

/**
 * Kernels that combine tiles' totals take as long as a thread does for its elements. So more threads take fewer elements each, in
 * tiles of the same size.
 */
function spreadOut(
  { label, code }: Linked,
  { words }: ExactFormat,
  limits: WorkGroupLimits,
): ((source: SourceText) => readonly SourceText[]) | undefined {
  const { ITEMS: items = 1, VECTORS: vectors, WORK_GROUP_SIZE: threads = 1 } = sizesOf(code);
  if (!/^wavefold (scan|reduce) elements/.test(label) || vectors !== items) {
    return;
  }
  const mostThreads = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  let times = 1;
  // Work-group memory as its algorithm takes it: up to two elements a thread.
  while (
    items % (2 * times) === 0 &&
    2 * times * threads <= mostThreads &&
    2 * (2 * times * threads) * 4 * words <= limits.maxComputeWorkgroupStorageSize
  ) {
    times *= 2;
  }
  const sizes = { ITEMS: items / times, VECTORS: items / times, WORK_GROUP_SIZE: threads * times };
  return times === 1
    ? undefined
    : (source) => {
        const text = source.text.replace(
          /^const (ITEMS|VECTORS|WORK_GROUP_SIZE) = \d+u;/gm,
          (_, name: keyof typeof sizes) => `const ${name} = ${sizes[name]}u;`,
        );
        // Kernels of long elements keep their loops.
        return [{ ...source, text: words > 12 ? text : unroll(text, { ...sizes, VECTOR: 1 }) }];
      };
}

/** Sources as one. */
const joined = (sources: readonly SourceText[]): SourceText => ({
  ...(sources[0] as SourceText),
  text: sources.map(({ text }) => text).join("\n\n"),
});

/** Whether a kernel's algorithm takes no subgroups. */
function isPortable(kernel: Linked): boolean {
  let found = false;
  kernel.relink((source) => {
    found ||= source.name.endsWith("device/tiles/portable.wgsl");
    return source;
  });
  return found;
}

/** How a kernel's sources change, if they do. */
function changeOf(
  kernel: Linked,
  format: ExactFormat,
  shaders: ExactShaders,
  sumText: string,
  limits: WorkGroupLimits,
): ((source: SourceText) => readonly SourceText[]) | undefined {
  const [, does, passes] = /^wavefold (scan|reduce) items( in a single pass)?/.exec(kernel.label) ?? [];
  return does === undefined
    ? spreadOut(kernel, format, limits)
    : standInsFor(
        format,
        shaders,
        sumText,
        (passes ? "single pass" : does) as TileKind,
        sizesOf(kernel.code),
      );
}

/** The plan with kernels of windows where items are combined by an algorithm without subgroups. */
export function withWindows<
  Kernel extends Linked,
  Pass extends { readonly kernel: Kernel },
  Plan extends Planned<Kernel, Pass>,
>(plan: Plan, format: ExactFormat, shaders: ExactShaders, sumText: string, limits: WorkGroupLimits): Plan {
  // By their text: a plan names a kernel once, and its passes may have another object of the same text.
  const made = new Map<string, Kernel>();
  for (const kernel of plan.kernels) {
    const change = isPortable(kernel) ? changeOf(kernel, format, shaders, sumText, limits) : undefined;
    if (change) {
      made.set(kernel.code, {
        ...kernel,
        code: kernel.relink((source) => joined(change(source))),
        relink: (more) => kernel.relink((source) => joined(change(source).map(more))),
      });
    }
  }
  const changed = (kernel: Kernel): Kernel => made.get(kernel.code) ?? kernel;
  return {
    ...plan,
    kernels: plan.kernels.map(changed),
    passes: (...given: never[]) =>
      plan.passes(...given).map((pass) => ({ ...pass, kernel: changed(pass.kernel) })),
  };
}
