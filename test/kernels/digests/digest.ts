import { createHash } from "node:crypto";
import type { InKernelFunctions } from "../../../src/in_kernel/link.ts";
import { baseOf } from "../../../src/kernels/contract.ts";
import type { Kernel } from "../../../src/kernels/kernel.ts";
import type { Bindable, Bindings, Pass, PassParams, Plan, Scratch } from "../../../src/plan/plan.ts";
import { canonicalText } from "./canonical.ts";
import type { Planned } from "./planners.ts";

/** A text, with the names of its entry point or of the functions that a kernel may call. */
export interface RootedText {
  readonly code: string;
  readonly roots: readonly string[];
}

/** What an option set becomes: kernels of different canonical texts, and all else that is plain data. */
export interface Made {
  readonly kernels: readonly RootedText[];
  readonly data: unknown;
}

export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The digests of canonical texts, by those of the texts as they are: most kernels are those of many plans. */
const known = new Map<string, string>();

export function digestOfText({ code, roots }: RootedText): string {
  const key = digestOf(`${roots.join(" ")}\n${code}`);
  let digest = known.get(key);
  if (digest === undefined) {
    digest = digestOf(canonicalText(code, roots));
    known.set(key, digest);
  }
  return digest;
}

/** Data as text that does not depend on the order of names. Functions are left out. */
export const plainText = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => {
    if (value instanceof Map) {
      return [...value].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    }
    if (value instanceof Set) {
      return [...value].sort();
    }
    if (ArrayBuffer.isView(value)) {
      return Array.from(value as Uint32Array);
    }
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });

/** A kernel as such a text, once for each kernel. */
const textsOfKernels = new WeakMap<Kernel, { readonly text: RootedText; readonly digest: string }>();

function textOfKernel(kernel: Kernel): { readonly text: RootedText; readonly digest: string } {
  let made = textsOfKernels.get(kernel);
  if (made === undefined) {
    const text = { code: kernel.code, roots: [kernel.entryPoint] };
    made = { text, digest: digestOfText(text) };
    textsOfKernels.set(kernel, made);
  }
  return made;
}

/** Numbers the kernels of plans by their first use. Two kernels are the same if their canonical texts are. */
class KernelNumbers {
  readonly #numbers = new Map<string, number>();
  readonly kernels: RootedText[] = [];
  readonly bindings: unknown[] = [];

  numberOf(kernel: Kernel): number {
    const { bindings, vector } = kernel;
    const { text, digest } = textOfKernel(kernel);
    const known = this.#numbers.get(digest) ?? this.#numbers.size;
    if (known === this.#numbers.size) {
      this.#numbers.set(digest, known);
      this.kernels.push(text);
      this.bindings.push({ bindings: byNumber(bindings), vector });
    }
    return known;
  }

  /** Numbers kernels that no pass takes: in an order that does not depend on that of the plan. */
  addOthers(kernels: readonly Kernel[]): void {
    const digests = kernels.map((kernel) => textOfKernel(kernel).digest);
    for (const digest of [...digests].sort()) {
      this.numberOf(kernels[digests.indexOf(digest)] as Kernel);
    }
  }
}

/** The lengths that a plan is asked for its passes of: none, one, whole rows, and the most. */
const lengthsOf = ({ maxLength }: Plan): number[] => [
  ...new Set(
    [0, 1, 10, 1000, 70_000, maxLength - (maxLength % 10), maxLength].filter((one) => one <= maxLength),
  ),
];

const segmentNumbers = { rows: 10, columns: 10, segmentCount: 10, outputLength: 10 };

/** The result, or the error that says why there is none: not every plan has a grouping, or takes every length. */
function triedFor<T>(make: () => T): T | string {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof Error && !(cause instanceof TypeError)) {
      return `${cause.name}: ${cause.message}`;
    }
    throw cause;
  }
}

/** The kinds of bindings, by their numbers: what a variable is called does not count. */
const byNumber = (bindings: Kernel["bindings"]): ReadonlyMap<number, string> =>
  new Map([...bindings.values()].map(({ number, kind }) => [number, kind]));

/** What the runtime binds beside what a pass names: parameters, ends of ranges that are bound as vectors, and a run's digits. */
const BESIDE = ["call", "input_end", "output_end", "run_low", "run_high"];

/** @throws {Error} if a pass leaves out a variable of its kernel, or binds scratch that is not the plan's. */
function requireBound(
  { title, scratch }: Plan,
  { label, bindings: declared }: Kernel,
  given: Bindings,
): void {
  const missing = [...declared.keys()].filter((name) => !BESIDE.includes(name) && !(name in given));
  const strange = Object.entries(given).filter(
    ([name, from]) => !declared.has(name) || (typeof from === "object" && !scratch.includes(from)),
  );
  if (missing.length + strange.length > 0) {
    const names = strange.map(([name]) => name);
    throw new TypeError(
      `${title}, ${label}: binds no ${missing.join(", ")}; binds strange ${names.join(", ")}`,
    );
  }
}

/** What a plan says, with scratch by the order of its first use, and bindings by their numbers: names do not count. */
function dataOf(plan: Plan, numbers: KernelNumbers): unknown {
  const used: Scratch[] = [];
  const placeOf = (from: Bindable): unknown => {
    if (typeof from !== "object") {
      return from;
    }
    if (!used.includes(from)) {
      used.push(from);
    }
    return { scratch: used.indexOf(from) };
  };
  const passesOf = (passes: readonly Pass[]): unknown =>
    passes.map(({ kernel, bindings, counted, ...others }) => {
      requireBound(plan, kernel, bindings);
      return {
        kernel: numbers.numberOf(kernel),
        bindings: Object.entries(bindings)
          .map(([variable, from]) => [
            kernel.bindings.get(variable)?.number,
            placeOf(from),
            typeof from === "object" ? undefined : baseOf(variable, from),
          ])
          .sort(),
        ...(counted && { counted: placeOf(counted) }),
        ...others,
      };
    });
  const paramsOf = (length: number): PassParams | undefined =>
    plan.segments?.countsOf(
      Object.fromEntries(plan.segments.numbers.map((name) => [name, segmentNumbers[name]])),
      length,
      plan,
    );
  const { kernels, initial, segments, lookedUp, itemTypes, indirectWords = 0, ...others } = plan;
  const lengths = lengthsOf(plan).map((length) => [
    length,
    triedFor(() => {
      const params = paramsOf(length);
      return {
        params,
        output: plan.outputLength(length, params),
        variants: plan.variants.map(({ arrangement, aside }) => ({
          grouping: triedFor(() => plan.groupingOf(arrangement, params)),
          passes: passesOf(plan.passes(length, arrangement, aside, params)),
        })),
      };
    }),
  ]);
  const spine = plan.spine && { ...plan.spine, scratch: placeOf(plan.spine.scratch) };
  const unused = plan.scratch.filter((one) => !used.includes(one));
  const bytesOf = ({ name: _, ...scratch }: Scratch): unknown => scratch;
  return {
    ...others,
    indirectWords,
    itemBytes: Object.fromEntries(Object.entries(itemTypes).map(([name, type]) => [name, type?.bytes])),
    scratch: [used.map(bytesOf), unused.map((one) => JSON.stringify(bytesOf(one))).sort()],
    spine,
    hasInitial: initial !== undefined,
    hasSortedLength: lookedUp !== undefined,
    segments: segments && { ...segments, heads: segments.headsOf(1000) },
    lengths,
  };
}

export function madeOf(planned: readonly Planned[]): Made {
  const numbers = new KernelNumbers();
  const plans = planned.map((one) => ("passes" in one ? dataOf(one, numbers) : undefined));
  for (const { kernels } of planned) {
    numbers.addOthers(kernels);
  }
  return { kernels: numbers.kernels, data: { plans, bindings: numbers.bindings } };
}

export const madeOfFunctions = (functions: readonly InKernelFunctions[]): Made => ({
  kernels: functions.map(({ code, names }) => ({ code, roots: names })),
  data: functions.map(({ names, workGroupMemory, workGroupSize }) => ({
    names,
    workGroupMemory,
    workGroupSize,
  })),
});
