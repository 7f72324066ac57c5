import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { blellochPlaces, mostRows, rowsTogether, subgroupSlots } from "./algorithms.ts";
import type { Sizes } from "./sizes.ts";
import { regrouped, vectorType } from "./words.ts";

/** Bytes of the widest load. */
const WIDE = 16;
/** The most bytes of a vector, for items whose size is no power of two. */
const MOST_VECTOR_BYTES = 64;

export const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/** The least number that is a multiple of both. */
export const leastCommonMultiple = (a: number, b: number): number => (a / greatestCommonDivisor(a, b)) * b;

/**
 * How many items a vector has, so that loads are as wide as can be. It is 1 if an item takes whole loads by itself, if the
 * vector would be too long, or if vectors do not divide a thread's run. If an item has another size when it is stored,
 * stores are as wide as can be, too.
 */
export function itemsOfVector(itemBytes: number, itemsPerThread: number, storedBytes = itemBytes): number {
  const items = WIDE / greatestCommonDivisor(greatestCommonDivisor(WIDE, itemBytes), storedBytes);
  return items * Math.max(itemBytes, storedBytes) > MOST_VECTOR_BYTES || itemsPerThread % items !== 0
    ? 1
    : items;
}

/** The constants that follow from a kernel's sizes, by their names in shaders. shaders/contract.wgsl explains each. */
export function constantsOf(sizes: Sizes, vector: number, words: number): Constants {
  const { workGroupSize, items, minSubgroupSize, maxSubgroupSize } = sizes;
  const vectors = items / vector;
  const rows = rowsTogether(vectors, mostRows(sizes));
  return {
    WORK_GROUP_SIZE: workGroupSize,
    ITEMS: items,
    TILE: workGroupSize * items,
    MIN_SUBGROUP_SIZE: minSubgroupSize,
    MAX_SUBGROUP_SIZE: maxSubgroupSize,
    SUBGROUP_SLOTS: subgroupSlots(sizes),
    ...blellochPlaces(workGroupSize),
    VECTOR: vector,
    VECTORS: vectors,
    ROWS: rows,
    ROW_CHUNKS: vectors / rows,
    ROW_STAGES: Math.log2(rows),
    ROW_PAIRS: Math.max(1, rows / 2),
    ELEMENT_WORDS: words,
  };
}

/** Constants of u32, as declarations. */
export const constantsText = (constants: Constants): SourceText =>
  generated(
    Object.entries(constants)
      .map(([name, value]) => `const ${name} = ${value}u;`)
      .join("\n"),
  );

/** The operator as a function, and the declarations that it needs. `head` is the function's first line. */
const combineSources = ({ callers, combine }: Monoid, head: string): readonly Source[] =>
  callers?.sources(head) ?? [generated(`${head}\n  return ${combine};\n}`)];

/** `Element`, `identity` and `combine` for one operator on one type. */
export const operatorSources = (monoid: Monoid): readonly Source[] =>
  monoid.declarations ?? operatorAs(monoid, "Element", "identity", "combine");

/** The element type, the identity and the operator under other names. */
export function operatorAs(
  monoid: Monoid,
  element: string,
  identity: string,
  combine: string,
): readonly Source[] {
  const { domain } = monoid;
  const [expression, setup = ""] = domain.literal(monoid.identity, "value");
  return [
    generated(`alias ${element} = ${domain.element};
fn ${identity}() -> ${element} {
  ${setup}return ${expression};
}`),
    ...combineSources(monoid, `fn ${combine}(earlier: ${element}, later: ${element}) -> ${element} {`),
  ];
}

/**
 * How many elements a vector has in a buffer of ours, which holds elements between two passes. It is 1 for structs, since a
 * struct itself is stored there.
 */
export const elementsOfVector = ({ domain }: Monoid, itemsPerThread: number): number =>
  domain.fields ? 1 : itemsOfVector(domain.elementBytes, itemsPerThread);

/** WGSL type that carries the bits of a type's items unchanged. */
export const carriedAs = ({ carried, value }: ElementType): string => carried ?? value;

/** The function that makes a value of a carried item. */
export const valueFromItem = ({ native, fromCarried = "x" }: ElementType): string =>
  conversion("value_from_item", "Input", native.element, fromCarried);

/** A WGSL function of an argument `x`. Others may stand behind its type. */
export const conversion = (name: string, from: string, to: string, body: string): string =>
  `fn ${name}(x: ${from}) -> ${to} {\n  return ${body};\n}\n`;

/** The function that makes an element of an item `x` at its index `i`. */
const elementFromItem = (body: string, name = "element_from_item"): string =>
  conversion(name, "Input, i: u32", "Element", body);

/**
 * The function that makes an element of one of the caller's items `x` at its index `i`. If elements are those of segments,
 * this function asks whether one starts there, and `headless_from_item` does not.
 */
export const elementFromCallers = ({ onValues }: Monoid, body: string): string =>
  onValues
    ? elementFromItem(body, "headless_from_item") + elementFromItem("with_head(headless_from_item(x, i), i)")
    : elementFromItem(body);

/** What a kernel's input or output holds: items of the type, or elements between two passes. */
export type Side = "items" | "elements";

/**
 * Declares `InputVector` and `OutputVector`, and the functions that put items into them and take items out. In mirrored order, the last item of
 * a vector comes first.
 */
export function vectorText(
  input: string,
  output: string | undefined,
  items: number,
  isMirrored = false,
): string {
  const inOrder = <T>(of: readonly T[]): readonly T[] => (isMirrored ? [...of].reverse() : of);
  const places = inOrder(Array.from({ length: items }, (_, at) => `items[${at}]`));
  // Naga takes an array of an alias and an array of the type that it stands for as different types. So the aliases are used
  // throughout.
  const declare = (name: string, item: string, wgsl: string): string => {
    const vector = items === 1 ? wgsl : vectorType(wgsl, items);
    const parts = items === 1 ? ["vector"] : regrouped(vector, ["vector"], wgsl, items);
    return `alias ${item}Vector = ${vector};
fn ${name}_items(vector: ${item}Vector) -> array<${item}, VECTOR> {
  return array<${item}, VECTOR>(${inOrder(parts).join(", ")});
}
fn ${name}_vector(items: array<${item}, VECTOR>) -> ${item}Vector {
  return ${items === 1 ? "items[0]" : regrouped(wgsl, places, vector).join()};
}
`;
  };
  return declare("input", "Input", input) + (output === undefined ? "" : declare("output", "Output", output));
}

/**
 * Declares what a device-wide kernel reads and writes: items, their vectors, and the elements that are combined. `shown` is
 * WGSL for what is written for an element `x`, if that is not the element itself.
 */
export function storageText(
  monoid: Monoid,
  input: Side,
  output: Side,
  vector: number,
  shown?: string,
  isMirrored = false,
): SourceText {
  const { domain } = monoid;
  const type = (side: Side): string =>
    side === "items" ? (domain.stored ?? domain.element) : domain.element;
  return generated(
    [
      `alias Input = ${type(input)};`,
      `alias Output = ${type(output)};`,
      vectorText(type(input), input === output ? type(output) : undefined, vector, isMirrored),
      input === "items" ? elementFromCallers(monoid, domain.fromStored ?? "x") : elementFromItem("x"),
      conversion(
        "item_from_element",
        "Element",
        "Output",
        shown ?? (output === "items" ? (domain.toStored ?? "x") : "x"),
      ),
    ].join("\n"),
  );
}

/** How many 32-bit words an element has. */
export const elementWords = ({ domain }: Monoid): number => Math.ceil(domain.elementBytes / 4);

/** The members of the uniform that every device-wide kernel takes, in order. shaders/contract.wgsl explains each. */
export const callMembers = [
  "length",
  "grid_width",
  "tiles",
  "spine_entries",
  "wide_length",
  "input_base",
  "output_base",
  "input_end_base",
  "output_end_base",
  "flags_base",
  "count_base",
  "rest_base",
  "length_buffer_base",
  "indirect_base",
  "initial_base",
  "total_base",
  "heads_base",
  "keys_base",
  "offsets_base",
  "unique_base",
  "ends_base",
  "weights_base",
  "sorted_base",
  "sorted_count_base",
  "values_base",
  "reordered_base",
  "positions_base",
  "indices_base",
  "first_index",
  "length_before",
  "window",
  "first_place",
  "counted_grid_width",
  "segment_count",
  "room",
  "columns",
  "chunk_rows",
  "row_length",
  "tile_items",
  "row_tiles",
  "sorted_length",
  "digit",
  "k",
  "block_shift",
  "limit_place",
  "row_chunks",
  "stored_per_chunk",
] as const;

type CallMember = (typeof callMembers)[number];

const isCallMember = (name: string): name is CallMember => (callMembers as readonly string[]).includes(name);

/**
 * The member that says where a range starts in its binding, for a variable that binds it: the variable's, or else the range's. `own` are the
 * members that the kernel has beside those of all kernels.
 */
export function baseOf(variable: string, range: string, own: readonly string[] = []): string {
  const found = [`${variable}_base`, `${range}_base`].find(
    (name) => isCallMember(name) || own.includes(name),
  );
  if (found === undefined) {
    throw new Error(`no member of Call says where ${range} starts, which ${variable} binds`);
  }
  return found;
}

/** Declares `Call`, the uniform that holds it, and `last_tile`. `own` are members that one kernel has beside those of all. */
export const callTextWith = (own: readonly string[]): SourceText =>
  generated(`struct Call {
${[...callMembers, ...own].map((name) => `  ${name}: u32,`).join("\n")}
}

@group(0) @binding(0) var<uniform> call: Call;

fn last_tile(length: u32) -> u32 {
  return (max(length, 1u) - 1u) / TILE;
}`);

/** The same for all other kernels. */
export const callText: SourceText = /* @__PURE__ */ callTextWith([]);
