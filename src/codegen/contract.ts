import { ArgumentError } from "../errors.ts";
import type { Monoid } from "../operators.ts";
import type { StructType } from "../struct.ts";
import type { ElementType, SourceText } from "../types.ts";
import { callersText } from "./callers.ts";
import type { Source } from "./module.ts";
import { generated } from "./module.ts";
import { regrouped, vectorType } from "./words.ts";

/** The sizes that a shader is generated for. */
export interface Sizes {
  readonly workGroupSize: number;
  /** Consecutive items that one thread takes. */
  readonly items: number;
  /** Whether loops over them are written out. Where a combination is long, that takes a compiler too long. */
  readonly unrolled: boolean;
  readonly minSubgroupSize: number;
  readonly maxSubgroupSize: number;
}

/** Bytes of the widest load. */
const WIDE = 16;
/** Most bytes of a vector of items whose size is no power of two. */
const MOST_VECTOR_BYTES = 64;

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/** A multiple of both, the least. */
export const leastCommonMultiple = (a: number, b: number): number => (a / greatestCommonDivisor(a, b)) * b;

/**
 * Items that share the widest loads; 1 where they need not, are too many, or do not divide a thread's run.
 * Where what is stored for an item has another size, the widest stores too.
 */
export function itemsOfVector(itemBytes: number, itemsPerThread: number, storedBytes = itemBytes): number {
  const items = WIDE / greatestCommonDivisor(greatestCommonDivisor(WIDE, itemBytes), storedBytes);
  return items * Math.max(itemBytes, storedBytes) > MOST_VECTOR_BYTES || itemsPerThread % items !== 0
    ? 1
    : items;
}

/** The sizes, as constants. */
export function sizesText(sizes: Sizes): SourceText {
  return generated(
    [
      `const WORK_GROUP_SIZE = ${sizes.workGroupSize}u;`,
      `const ITEMS = ${sizes.items}u;`,
      "const TILE = WORK_GROUP_SIZE * ITEMS;",
      `const MIN_SUBGROUP_SIZE = ${sizes.minSubgroupSize}u;`,
      `const MAX_SUBGROUP_SIZE = ${sizes.maxSubgroupSize}u;`,
    ].join("\n"),
  );
}

/** The size of a thread tile, as a constant. */
export const threadTileText = (tileSize: number): SourceText =>
  generated(`const THREAD_TILE = ${tileSize}u;`);

/** `Element`, `identity` and `combine` for one operator on one type. */
export function operatorSources(monoid: Monoid): readonly Source[] {
  const { domain } = monoid;
  const { setup, expression } = domain.literal(monoid.identity, "value");
  return [
    generated(
      [
        `alias Element = ${domain.element};`,
        "fn identity() -> Element {",
        ...setup.map((statement) => `  ${statement}`),
        `  return ${expression};`,
        "}",
      ].join("\n"),
    ),
    ...monoid.combineSources("fn combine(earlier: Element, later: Element) -> Element {"),
  ];
}

/** A WGSL function of one argument `x`. */
export const conversion = (name: string, from: string, to: string, body: string): string =>
  [`fn ${name}(x: ${from}) -> ${to} {`, `  return ${body};`, "}", ""].join("\n");

/** `element_from_value` and back: what in-kernel functions are written against. */
export function valueText(monoid: Monoid): SourceText {
  const { domain, type } = monoid;
  return generated(
    [
      `alias Value = ${type.value};`,
      conversion("element_from_value", "Value", "Element", domain.fromValue),
      conversion("value_from_element", "Element", "Value", domain.toValue),
    ].join("\n"),
  );
}

/** Whether a side of a kernel holds items of the type, or elements between two passes. */
export type Side = "items" | "elements";

/** `InputVector` and `OutputVector`, and how items go into them and come out. */
export function vectorText(input: string, output: string | undefined, items: number): string {
  const places = Array.from({ length: items }, (_, at) => `items[${at}]`);
  // Naga tells arrays of an alias from arrays of what it stands for: the aliases are used throughout.
  const unpack = (name: string, alias: string, item: string, wgsl: string): string[] => {
    const vector = items === 1 ? wgsl : vectorType(wgsl, items);
    const parts = items === 1 ? ["vector"] : regrouped(vector, ["vector"], wgsl, items);
    return [
      `alias ${alias} = ${vector};`,
      `fn ${name}(vector: ${alias}) -> array<${item}, VECTOR> {`,
      `  return array<${item}, VECTOR>(${parts.join(", ")});`,
      "}",
      "",
    ];
  };
  const pack = (wgsl: string): string[] => [
    "fn output_vector(items: array<Output, VECTOR>) -> OutputVector {",
    `  return ${items === 1 ? "items[0]" : regrouped(wgsl, places, vectorType(wgsl, items)).join()};`,
    "}",
    "",
  ];
  return [
    `const VECTOR = ${items}u;`,
    "const VECTORS = ITEMS / VECTOR;",
    ...unpack("input_items", "InputVector", "Input", input),
    ...(output === undefined
      ? []
      : [...unpack("output_items", "OutputVector", "Output", output), ...pack(output)]),
  ].join("\n");
}

/** What a device-wide kernel reads and writes: items, their vectors, and the elements that are combined. */
export function storageText(monoid: Monoid, input: Side, output: Side, vector: number): SourceText {
  const { domain } = monoid;
  const type = (side: Side): string => (side === "items" ? domain.stored : domain.element);
  return generated(
    [
      `alias Input = ${type(input)};`,
      `alias Output = ${type(output)};`,
      vectorText(type(input), input === output ? type(output) : undefined, vector),
      conversion("element_from_item", "Input", "Element", input === "items" ? domain.fromStored : "x"),
      conversion("item_from_element", "Element", "Output", output === "items" ? domain.toStored : "x"),
    ].join("\n"),
  );
}

/** The 32-bit words of an element. */
export function elementWords({ domain, type }: Monoid): number {
  return type.kind === "struct" ? Math.ceil(type.bytes / 4) : Math.ceil(domain.elementBytes / 4);
}

/** What every device-wide kernel takes as a uniform, in order; shaders/contract.wgsl says what each is. */
export const paramNames = [
  "length",
  "grid_width",
  "tiles",
  "spine_tiles",
  "wide_length",
  "input_base",
  "output_base",
  "input_end_base",
  "output_end_base",
  "flags_base",
  "total_base",
  "length_base",
  "indirect_base",
] as const;

/** `Params`, with these members. */
export const paramsStruct = (names: readonly string[]): string =>
  ["struct Params {", ...names.map((name) => `  ${name}: u32,`), "}"].join("\n");

/** `Params`, the uniform that holds them, and what follows from them. */
export const paramsText: SourceText = /* @__PURE__ */ (() =>
  generated(
    [
      paramsStruct(paramNames),
      "",
      "@group(0) @binding(0) var<uniform> params: Params;",
      "",
      "fn last_tile(length: u32) -> u32 {",
      "  return (max(length, 1u) - 1u) / TILE;",
      "}",
    ].join("\n"),
  ))();

/** What a type brings along: a struct's declaration, and the functions that its values may go through. */
export function typeSources(type: ElementType): readonly SourceText[] {
  return type.kind === "struct" ? [...type.files, generated((type as StructType).declaration)] : type.files;
}

/** WGSL's atomic operation for each operator that has one. */
const atomics: Readonly<Record<string, string>> = {
  add: "atomicAdd",
  min: "atomicMin",
  max: "atomicMax",
  and: "atomicAnd",
  or: "atomicOr",
  xor: "atomicXor",
};

/** Names in the functions that a counter's would be taken for. */
const locals = new Set([
  "total",
  "capacity",
  "seen",
  "first",
  "exchange",
  "min",
  "counter_update",
  "allocation_capacity",
]);

/** A reference to an atomic of the caller's: a name, with members and constant or named indices. */
function requireCounter(counter: unknown, caller: string): string {
  if (typeof counter !== "string" || !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\w+\])*$/.test(counter)) {
    throw new ArgumentError(
      `${caller}: counter is ${JSON.stringify(counter)}; it takes the atomic's name in the kernel, such as "used" or "bump.used"`,
    );
  }
  const root = /^\w+/.exec(counter)?.[0] ?? "";
  if (locals.has(root)) {
    throw new ArgumentError(
      `${caller}: a counter named ${root} would be taken for a name of the function's; choose another`,
    );
  }
  return counter;
}

/** `counter_update`, on a counter of the caller's. */
export function counterText(counter: string, monoid: Monoid, caller: string): SourceText {
  const { type, domain } = monoid;
  const atomic = monoid.callers ? undefined : atomics[monoid.opName];
  if (atomic === undefined || domain.element !== type.value || (type.name !== "u32" && type.name !== "i32")) {
    throw new ArgumentError(
      `${caller}<${monoid.title}>: WGSL has no atomic for it; a counter takes ${Object.keys(atomics).join(", ")} on u32 or i32`,
    );
  }
  return generated(
    [
      "fn counter_update(total: Element) -> Element {",
      `  return ${atomic}(&${requireCounter(counter, caller)}, total);`,
      "}",
    ].join("\n"),
  );
}

/**
 * `counter_update` and `allocation_capacity`. The counter never goes back, and stops at the
 * capacity: a work-group that asks for more than is left takes what is left, so that from then on
 * it is full for all.
 */
export function allocationText(
  counter: string,
  capacity: number | string,
  caller: string,
): readonly Source[] {
  const name = requireCounter(counter, caller);
  const isNumber = typeof capacity === "number";
  if (
    isNumber
      ? !Number.isInteger(capacity) || capacity < 0 || capacity > 0xffffffff
      : typeof capacity !== "string" || capacity.trim() === ""
  ) {
    throw new ArgumentError(
      `${caller}: capacity is ${String(capacity)}; it takes a whole number from 0 to 2^32 - 1, or a WGSL expression of u32`,
    );
  }
  return [
    generated(
      [
        "fn counter_update(total: Element) -> Element {",
        "  let capacity = allocation_capacity();",
        `  var seen = atomicLoad(&${name});`,
        // Far from the end, all the work-groups in flight together cannot make the sum wrap around.
        "  if (seen < min(capacity, 1u << 31u) && total < 1u << 15u) {",
        `    let first = atomicAdd(&${name}, total);`,
        "    if (first > capacity - min(total, capacity)) {",
        // Of no use before: and SwiftShader's loses additions that are made meanwhile.
        `      atomicMin(&${name}, capacity);`,
        "    }",
        "    return min(first, capacity);",
        "  }",
        "  while (seen < capacity) {",
        `    let exchange = atomicCompareExchangeWeak(&${name}, seen, seen + min(total, capacity - seen));`,
        "    if (exchange.exchanged) {",
        "      return seen;",
        "    }",
        "    seen = exchange.old_value;",
        "  }",
        "  return capacity;",
        "}",
      ].join("\n"),
    ),
    [
      generated("fn allocation_capacity() -> u32 {\n  return ("),
      isNumber ? generated(`${capacity}u`) : callersText("the capacity", capacity),
      generated("  );\n}"),
    ],
  ];
}
