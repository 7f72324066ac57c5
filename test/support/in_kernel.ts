import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import { roundingOf } from "../../src/algebra/rounding.ts";
import { StructArray } from "../../src/algebra/struct.ts";
import type { ElementType, Scalar, ScalarType, Value } from "../../src/algebra/types.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { compileKernel, wordsOf } from "./buffers.ts";
import { expectSameBits } from "./compare.ts";
import { allBits, randomBits, randomItems, sparseItems, valuesAs } from "./random.ts";

export const POISON = 0xdeadbeef;

/** An operator on a type. */
export interface Case {
  readonly type: ElementType;
  readonly op: Operator<string>;
  /** What shows where nothing is combined, of an operator without an identity. `op` is the same with one. */
  readonly nothing?: Value;
  /** The type in the kernel, if that is another one of the same bytes. */
  readonly value?: string;
}

export const keyOf = ({ type, op }: Case): string => monoid(op, type, "test").key;

/** Which threads take part in a coalesced group, in each of a kernel's rounds. */
const activities: readonly ((thread: number) => boolean)[] = [
  (thread) => thread > 2 && thread % 3 !== 1,
  () => true,
  () => false,
];
const ROUNDS = activities.length;

/** Which threads start a segment, in each of a kernel's rounds. */
const heads: readonly ((thread: number) => boolean)[] = [
  (thread) => thread % 7 === 3 || thread % 11 === 4,
  () => false,
  (thread) => thread > 5,
];

/** Those of the items that stand at these places. */
function pick(items: AnyArray, { type }: Case, places: readonly number[]): AnyArray {
  const value = valuesOf(items, type);
  const { array, set } = emptyLike(items, places.length, type);
  places.forEach((place, index) => {
    set(index, value(place));
  });
  return array;
}

/** Items of a case, a work-group's for each round: of a few kinds, so that no operator is saturated in all. */
export function itemsOf(of: Case, threads: number): AnyArray {
  const { type, op } = of;
  const name = `${keyOf(of)} ${threads}`;
  const length = ROUNDS * threads;
  if (type.kind === "struct" || !Object.values<Operator>(operators).includes(op)) {
    return randomItems(type, length, name);
  }
  const scalar = type as ScalarType;
  if (roundingOf(op, scalar) !== "none") {
    // Sums and products that are exact in every order.
    const next = randomBits(name);
    const values = op.name === "add" ? [0, 1, 2, 3] : [1, -1, 1, -1];
    // A sum that keeps the sign of zero: of -0 alone in the round in which all are active, and mostly in the others.
    const zeros = scalar.addStart && op.name === "add" ? -0 : undefined;
    return valuesAs(
      scalar.name,
      Array.from({ length }, (_, at) =>
        zeros !== undefined && (Math.floor(at / threads) === 1 || next() % 8 > 0)
          ? zeros
          : (values[next() % 4] ?? 0),
      ),
    );
  }
  const rare: Partial<Record<string, [Scalar, Scalar]>> = {
    mul: [3, 1],
    and: [0x7ffffffe, allBits(scalar)],
    or: [64, 0],
    logicalAnd: [0, 5],
    logicalOr: [7, 0],
  };
  const pair = rare[op.name];
  const any = randomItems(type, length, name);
  if (pair === undefined) {
    return any;
  }
  const sparse = sparseItems(scalar.name, length, name, Math.max(2, threads >> 2), ...pair);
  const { array, set } = emptyLike(any, length, type);
  for (let index = 0; index < length; index++) {
    set(index, valuesOf(index < threads ? any : sparse, type)(index));
  }
  return array;
}

interface Call {
  readonly name: string;
  readonly scope: "work_group" | "coalesced" | number;
  readonly isSegmented: boolean;
  /** Whether only some threads take part. */
  readonly isCoalesced: boolean;
  readonly kind: "scan_inclusive" | "scan_exclusive" | "reduce";
  readonly hasTotal: boolean;
  /** Whether the total is written to a variable of the caller's. */
  readonly isUniform: boolean;
}

function callOf(name: string): Call {
  const [, scope = "", tile, part, kind = ""] =
    /^(work_group|coalesced|thread_tile_(\d+))_(segmented_|coalesced_)?(scan_inclusive|scan_exclusive|reduce)_/.exec(
      name,
    ) ?? [];
  return {
    name,
    scope: tile === undefined ? (scope as "work_group") : Number(tile),
    isSegmented: part === "segmented_",
    isCoalesced: scope === "coalesced" || part === "coalesced_",
    kind: kind as Call["kind"],
    hasTotal: /_(total|uniform)$/.test(name),
    isUniform: name.endsWith("_uniform"),
  };
}

/** What each thread gets: the prefix, or the total. */
export function expectedOf(
  { scope, kind, isSegmented, isCoalesced }: Pick<Call, "scope" | "kind" | "isSegmented" | "isCoalesced">,
  wantsTotal: boolean,
  of: Case,
  items: AnyArray,
  isActive: (thread: number) => boolean,
  isHead: (thread: number) => boolean,
): AnyArray {
  const { type, op, nothing } = of;
  const threads = items.length;
  const all = Array.from({ length: threads }, (_, thread) => thread);
  const { array, set } = emptyLike(items, threads, type);
  const tileSize = typeof scope === "number" ? scope : threads;
  const starts = all.filter((thread) => thread % tileSize === 0 || (isSegmented && isHead(thread)));
  for (const [at, from] of starts.entries()) {
    const tile = all.slice(from, starts[at + 1]);
    const members = isCoalesced ? tile.filter(isActive) : tile;
    const own = pick(items, of, members);
    const total =
      members.length === 0 && nothing !== undefined ? nothing : (reduceReference(own, { type, op }) as Value);
    const prefixes = valuesOf(scanReference(own, { type, op, exclusive: kind === "scan_exclusive" }), type);
    const { identity, start } = monoid(op, type, "test");
    for (const thread of tile) {
      // Totals are all threads', the others' prefix is what one of nothing shows.
      set(thread, wantsTotal || kind === "reduce" ? total : (nothing ?? start?.value ?? identity));
    }
    members.forEach((thread, rank) => {
      const isNothing = rank === 0 && kind === "scan_exclusive" && nothing !== undefined;
      set(thread, wantsTotal || kind === "reduce" ? total : isNothing ? nothing : prefixes(rank));
    });
  }
  return array;
}

/** Local indices in runs of a subgroup's threads, which are put into another order. */
const inRuns = (threads: number, size: number, order: (runs: number[][]) => number[][]): Uint32Array => {
  const all = Array.from({ length: threads }, (_, i) => i);
  const runs = Array.from({ length: Math.ceil(threads / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
  const places = new Uint32Array(threads);
  for (const [place, thread] of order(runs).flat().entries()) {
    places[thread] = place;
  }
  return places;
};

/** Which local index each thread passes, of an adapter's subgroup size. */
export const orders = {
  "in order": (threads: number) => Uint32Array.from({ length: threads }, (_, i) => i),
  backwards: (threads: number) => Uint32Array.from({ length: threads }, (_, i) => threads - 1 - i),
  shuffled: (threads: number) => {
    const step = [7, 5, 3].find((one) => threads % one !== 0) ?? 1;
    return Uint32Array.from({ length: threads }, (_, i) => (i * step + 3) % threads);
  },
  /** Most lanes are where they usually are. */
  "two swapped": (threads: number) =>
    Uint32Array.from({ length: threads }, (_, i) =>
      i === 1 ? threads - 1 : i === threads - 1 ? Math.min(1, i) : i,
    ),
  /** The subgroup that may have fewer lanes comes first. */
  "last subgroup first": (threads: number, size: number) =>
    inRuns(threads, size, (runs) => [...runs.slice(-1), ...runs.slice(0, -1)]),
  "subgroups backwards": (threads: number, size: number) =>
    inRuns(threads, size, (runs) => [...runs].reverse()),
  /** All but the last, which may have fewer lanes: the usual map of lanes, from subgroups that start in any order. */
  "full subgroups backwards": (threads: number, size: number) =>
    inRuns(threads, size, (runs) => [...runs.slice(0, -1).reverse(), ...runs.slice(-1)]),
  "a subgroup in the middle last": (threads: number, size: number) =>
    inRuns(threads, size, (runs) => {
      const middle = runs.length >> 1;
      return [...runs.slice(0, middle), ...runs.slice(middle + 1), ...runs.slice(middle, middle + 1)];
    }),
} as const satisfies Record<string, (threads: number, subgroupSize: number) => Uint32Array>;

export type Order = keyof typeof orders;

/** A kernel's results with the padding of structs as it was before. */
const withoutPadding = (array: AnyArray): AnyArray =>
  array instanceof StructArray ? array.type.from(array) : array;

/** Calls in a kernel. SwiftShader compiles nine of subgroups in minutes, and three times three in a second. The simulator takes any number. */
const mostCalls = ({ adapterInfo }: GPUDevice): number => (adapterInfo.vendor === "wavefold" ? 16 : 3);

/**
 * Runs the named functions, some in one kernel, one after another without a barrier, several times
 * with other items, and compares what each thread gets.
 */
export async function checkFunctions(
  device: GPUDevice,
  of: Case,
  functions: readonly InKernelFunctions[],
  names: readonly string[],
  workGroup: readonly number[],
  title: string,
  orderNames: readonly Order[] = ["in order"],
): Promise<void> {
  const most = mostCalls(device);
  if (names.length > most) {
    await Promise.all(
      Array.from({ length: Math.ceil(names.length / most) }, (_, part) =>
        checkFunctions(
          device,
          of,
          functions,
          names.slice(part * most, (part + 1) * most),
          workGroup,
          title,
          orderNames,
        ),
      ),
    );
    return;
  }
  const { type } = of;
  const value = of.value ?? type.value;
  const threads = workGroup.reduce((product, one) => product * one, 1);
  const calls = names.map(callOf);
  const columns = calls.flatMap((call) =>
    call.hasTotal
      ? [
          { call, wantsTotal: false },
          { call, wantsTotal: true },
        ]
      : [{ call, wantsTotal: false }],
  );
  // An even number of them, so that halves of a word fill words.
  const width = columns.length + (columns.length % 2);
  let column = 0;
  const statements = calls.flatMap(({ name, isSegmented, isCoalesced, hasTotal, isUniform }, index) => {
    const given = `${name}(x, ${isSegmented ? "is_head, " : isCoalesced ? "is_active, " : ""}place`;
    const call = `${given})`;
    if (isUniform) {
      return [
        `var total_${index}: ${value};`,
        `let result_${index} = ${given}, &total_${index});`,
        `output[base + ${column++}u] = result_${index};`,
        `output[base + ${column++}u] = total_${index};`,
      ];
    }
    return hasTotal
      ? [
          `let result_${index} = ${call};`,
          `output[base + ${column++}u] = result_${index}.prefix;`,
          `output[base + ${column++}u] = result_${index}.total;`,
        ]
      : [`output[base + ${column++}u] = ${call};`];
  });
  const code = link(
    `
@group(0) @binding(0) var<storage, read_write> input: array<${value}>;
@group(0) @binding(1) var<storage, read_write> output: array<${value}>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> activities: array<u32>;
@compute @workgroup_size(${workGroup.join(", ")})
fn main(@builtin(local_invocation_index) i: u32) {
  let place = places[i];
  for (var round = 0u; round < ${ROUNDS}u; round++) {
    let at = round * ${threads}u + place;
    let x = input[at];
    let is_active = (activities[at] & 1u) != 0u;
    let is_head = (activities[at] & 2u) != 0u;
    let base = at * ${width}u;
    ${statements.join("\n    ")}
  }
}
`,
    functions,
  );
  const run = await compileKernel(device, code);
  const items = itemsOf(of, threads);
  const input = wordsOf(items);
  const output = new Uint32Array(Math.ceil((ROUNDS * threads * width * type.bytes) / 4)).fill(POISON);
  const active = Uint32Array.from({ length: ROUNDS * threads }, (_, at) => {
    const round = Math.floor(at / threads);
    return (
      (activities[round]?.(at % threads) ? 1 : 0) + (heads[round % heads.length]?.(at % threads) ? 2 : 0)
    );
  });
  const rounds = activities.map((isActive, round) => {
    const places = Array.from({ length: threads }, (_, thread) => round * threads + thread);
    return { own: pick(items, of, places), isActive, isHead: heads[round % heads.length] ?? isActive };
  });
  const expected = rounds.map(({ own, isActive, isHead }) =>
    columns.map(({ call, wantsTotal }) => expectedOf(call, wantsTotal, of, own, isActive, isHead)),
  );
  for (const order of orderNames) {
    const places = orders[order](threads, device.adapterInfo.subgroupMaxSize);
    const [, words = output] = await run([input, output, places, active]);
    const bytes = new Uint8Array(words.buffer);
    expected.forEach((row, round) => {
      row.forEach((values, number) => {
        const actual = new Uint8Array(threads * type.bytes);
        for (let thread = 0; thread < threads; thread++) {
          const from = ((round * threads + thread) * width + number) * type.bytes;
          actual.set(bytes.subarray(from, from + type.bytes), thread * type.bytes);
        }
        const { call, wantsTotal } = columns[number] ?? {};
        expectSameBits(
          withoutPadding(arrayLike(items, actual.buffer)),
          values,
          `${title}, ${order}, round ${round}: ${call?.name}${wantsTotal ? ".total" : ""}`,
        );
      });
    });
  }
}

/**
 * Of functions that differ in `_total` and `_uniform` alone, and in whether they are exclusive, two: which ones goes by the
 * number. A kernel that calls fewer compiles in less than its part of the time.
 */
export function everyOther(names: readonly string[], number: number): string[] {
  const scanNames = names.filter((name) => name.includes("_scan_"));
  const flavours = ["_total", "_uniform"];
  const chosen = scanNames.filter((name) => {
    const flavour = flavours.findIndex((ending) => name.endsWith(ending));
    const hasUniform = names.includes(name.replace(/(_total|_uniform)?$/, "_uniform"));
    return (
      name.includes("_inclusive_") === ((number + flavour + 1) % 2 === 0) &&
      // Of three, two.
      (!hasUniform || flavour + 1 !== number % 3)
    );
  });
  return names.filter((name) => name.includes("_reduce_") || chosen.includes(name));
}
