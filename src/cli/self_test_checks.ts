import type { AnyArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { operators } from "../algebra/operator_table.ts";
import type { ElementType, ScalarType, TypeName } from "../algebra/types.ts";
import type { Fold, GpuArray } from "../node.ts";
import type { TuningOptions } from "../plan/options.ts";
import { primitives as described } from "../primitives/described.ts";
import * as references from "../reference/index.ts";
import { makeMaps, operandsOf } from "./self_test_data.ts";

// The checks of the self-test: calls of each primitive, with what the CPU has for them. A kernel takes long to compile, and the longer, the
// more items its tiles have. So there is not a check for each combination: each type, form, way and length meets each value of the others at
// least once. Most tiles are small. Each primitive also runs as its callers run it, with the sizes that Wavefold chooses.

/** The primitives whose checks are their examples. Sorts have more ways than these. */
export const byExamples = described.filter(({ primitive }) => primitive.name !== "sort");

/** What the self-test checks, the most important first. */
export const primitives: readonly string[] = [
  "scan",
  "reduce",
  "compact",
  "sort",
  "segments",
  "partition",
  "extremes",
  ...byExamples.map(({ primitive }) => primitive.name),
  "exact sums",
  "operators",
];

/** How a call is carried out. */
export const ways = ["blelloch", "hillis-steele", "subgroup", "single pass"] as const;
export type Way = (typeof ways)[number];

/** The options of a call that is carried out so. Subgroups alone would mean a single pass, where it is the default. */
export const optionsOf = (way: Way): TuningOptions =>
  way === "single pass"
    ? { algorithm: "subgroup", passes: "single" }
    : way === "subgroup"
      ? { algorithm: way, passes: "reduce-then-scan" }
      : { algorithm: way };

/** A call, and the same on the CPU. */
export interface Check {
  readonly primitive: string;
  /** The element type that it is about. Of a struct, it is that of the fields. */
  readonly type: TypeName;
  /** Left out, Wavefold chooses. */
  readonly way?: Way;
  readonly title: string;
  readonly lengths: readonly number[];
  /** The results for data of a length. */
  run(length: number): Promise<readonly [gpu: unknown, cpu: unknown]>;
}

type Given = readonly unknown[];
/** The calls, for data and options of any kind. */
type Calls<Name extends string, Result> = { readonly [Call in Name]: (...given: Given) => Result };
type CallName = "scan" | "reduce" | "compact" | "partition" | "argMin" | "argMax" | "sort" | "argSort";

/** The references, for data and options of any kind. */
export const cpu = references as unknown as Calls<`${CallName}Reference`, unknown>;

/** Lengths of data, and sizes for a plan of such lengths. */
interface Span {
  readonly lengths: readonly number[];
  readonly tuning: TuningOptions;
}

/** An item, and a tile that is not full; and several tiles. */
interface Spans {
  readonly short: Span;
  readonly long: Span;
}

/** A fold's calls, and the data that they take. */
export interface Scope {
  readonly gpu: Calls<CallName | "upload", Promise<unknown>>;
  /** Small tiles, whose kernels are short. */
  readonly small: Spans;
  /** Several tiles of elements that take many words. */
  readonly tiny: Span;
  /** The tiles that Wavefold chooses. */
  readonly chosen: Spans;
  /** Lengths where sizes cannot be chosen. */
  readonly longest: readonly number[];
}

/** Software spends nearly all of its time compiling, so it has no tiles but small ones. */
export function scopeOf(fold: Fold): Scope {
  const gpu = fold as unknown as Scope["gpu"];
  const short = { lengths: [1, 251], tuning: { workGroupSize: 64, itemsPerThread: 4 } };
  if (fold.software) {
    // 20 tiles, so that their totals are more than a tile, too.
    const small = {
      short,
      long: { lengths: [307], tuning: { workGroupSize: 8, itemsPerThread: 2 } },
    };
    return { gpu, small, tiny: small.long, chosen: small, longest: [1211] };
  }
  return {
    gpu,
    // 33 tiles: a subgroup of 32 lanes looks back at one less.
    small: { short, long: { ...short, lengths: [8211] } },
    tiny: { lengths: [1211], tuning: { workGroupSize: 32, itemsPerThread: 2 } },
    // More than two tiles of any kind, and more than are sorted by comparing.
    chosen: { short: { ...short, tuning: {} }, long: { lengths: [16_411], tuning: {} } },
    longest: [16_411],
  };
}

const add = operators.add as unknown as Operator;

/** What is scanned, reduced and compacted: elements of a type, with the operators that take them. */
interface Elements {
  readonly name: string;
  readonly spans: Spans;
  readonly type: ElementType;
  readonly scalar: TypeName;
  readonly ops: readonly Operator[];
  data(op: Operator | undefined, length: number): AnyArray;
}

const takes = (op: Operator, type: ScalarType): boolean => {
  try {
    monoid(op, type, "doctor");
    return true;
  } catch {
    return false;
  }
};

/** The operators of the table that take a type. Exact sums are a primitive of their own. */
export const builtinsOn = (type: ScalarType): readonly Operator[] =>
  Object.values<Operator>(operators).filter((one) => one.name !== "exactAdd" && takes(one, type));

function allElements({ small, chosen }: Scope): readonly Elements[] {
  const maps = makeMaps();
  return [
    ...Object.values<ScalarType>(elementTypes).map((type) => ({
      name: type.name,
      spans: type.name === "u32" ? chosen : small,
      type,
      scalar: type.name,
      ops: builtinsOn(type),
      data: (op: Operator | undefined, length: number) => operandsOf(type, op?.name ?? "max", length),
    })),
    {
      name: "struct",
      spans: small,
      type: maps.type,
      scalar: "u32",
      ops: [maps.compose],
      data: (_, length) => maps.of(length),
    },
  ];
}

/** The forms of scans, reductions and compactions. */
const forms = ["inclusive scan", "exclusive scan", "reduce", "compact"] as const;
type Form = (typeof forms)[number];

/** A check of a scan, a reduction or a compaction: a value of each axis. */
interface FoldCase {
  readonly form: Form;
  readonly elements: Elements;
  readonly op: Operator;
  readonly way: Way;
  readonly span: Span;
  /** Whether a compaction is by flags, and not by an expression. */
  readonly byFlags: boolean;
}

/** Scans, reductions and compactions: each value of an axis with each value of the others. */
export function foldChecks(scope: Scope): readonly Check[] {
  const used = new Map<string, number>();
  const uses = (key: string): number => used.get(key) ?? 0;
  const use = (key: string): unknown => used.set(key, uses(key) + 1);
  const cases = forms.flatMap((form, at) =>
    allElements(scope).map((elements, number): FoldCase => {
      const { ops, spans } = elements;
      const way = ways[(at + number) % ways.length] as Way;
      // f64 and structs, whose kernels take longest, have several tiles in a single pass alone.
      const isLong = way === "single pass" || (number < 6 && (number + (at >> 1)) % 2 === 0);
      // Of the operators that take the type, the one that such forms have had least often.
      const kind = form.split(" ").at(-1);
      const [op = add] = [...ops].sort((a, b) => uses(`${kind} ${a.name}`) - uses(`${kind} ${b.name}`));
      use(`${kind} ${op.name}`);
      return { form, elements, op, way, span: isLong ? spans.long : spans.short, byFlags: number % 6 < 2 };
    }),
  );
  return [...cases.map((one) => foldCheck(scope, one)), onGpuCheck(scope)];
}

function foldCheck(scope: Scope, { form, elements, op, way, span, byFlags }: FoldCase): Check {
  const { gpu } = scope;
  const { name, type, scalar, data } = elements;
  const tuning = { type, ...span.tuning, ...optionsOf(way) };
  const common = { type: scalar, way, lengths: span.lengths };
  if (form === "compact") {
    return { ...common, ...compactCheck(gpu, name, data, tuning, byFlags, way) };
  }
  const primitive = form === "reduce" ? form : "scan";
  const own = { op, type, ...(form !== "reduce" && { exclusive: form === "exclusive scan" }) };
  return {
    ...common,
    primitive,
    title: `${form}<${name}, ${op.name}> (${way})`,
    run: async (length) => {
      const items = data(op, length);
      return [await gpu[primitive](items, { ...own, ...tuning }), cpu[`${primitive}Reference`](items, own)];
    },
  };
}

/** A scan of an array that stays on the GPU: the plan that recordings take by default. */
const onGpuCheck = ({ gpu, chosen: { long } }: Scope): Check => ({
  primitive: "scan",
  type: "u32",
  title: "inclusive scan<u32, add> on the GPU",
  lengths: long.lengths,
  run: async (length) => {
    const items = operandsOf(elementTypes.u32, "add", length);
    const data = (await gpu.upload(items)) as GpuArray;
    const result = (await gpu.scan(data)) as GpuArray;
    try {
      return [await result.read(), cpu.scanReference(items)];
    } finally {
      data.destroy();
      result.destroy();
    }
  },
});

/** Each third item, by an expression or by flags. */
export const odd = (_: unknown, index: number): boolean => index % 3 === 1;
export const ODD = "i % 3u == 1u";
export const flagsOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => Number(odd(0, at)));

function compactCheck(
  gpu: Scope["gpu"],
  name: string,
  data: Elements["data"],
  tuning: TuningOptions & { readonly type: ElementType },
  byFlags: boolean,
  way: Way,
): Pick<Check, "primitive" | "title" | "run"> {
  const { type } = tuning;
  return {
    primitive: "compact",
    title: `compact<${name}> ${byFlags ? "flags, indices" : "where"} (${way})`,
    run: async (length) => {
      const items = data(undefined, length);
      return byFlags
        ? [
            await gpu.compact(items, { ...tuning, flags: flagsOf(length), indices: true }),
            cpu.compactReference(items, odd, { type, indices: true }),
          ]
        : [await gpu.compact(items, { ...tuning, where: ODD }), cpu.compactReference(items, odd, { type })];
    },
  };
}
