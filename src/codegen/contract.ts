import subgroupContractFile from "../../shaders/work_group/subgroup_contract.wgsl";
import { ArgumentError, SourceError } from "../errors.ts";
import type { Monoid } from "../operators.ts";
import type { StructType } from "../struct.ts";
import type { ElementType, SourceText } from "../types.ts";
import type { SourceParts } from "./module.ts";
import { unbalanced } from "./module.ts";

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

const generated = (text: string): SourceText => ({ name: "generated contract", text });

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

/** The caller's text on lines of its own, so that a compiler's line is theirs. */
function callersText(name: string, text: string): SourceText {
  const wrong = unbalanced(text);
  if (wrong !== undefined) {
    throw new SourceError(`${name}, line ${wrong.line}: ${wrong.problem}`, text, wrong.line, wrong.column);
  }
  return { name, text, callers: true };
}

/** `Element`, `identity` and `combine` for one operator on one type. */
export function operatorText(monoid: Monoid): SourceParts {
  const { domain } = monoid;
  const { setup, expression } = domain.literal(monoid.identity, "value");
  const head = [
    `alias Element = ${domain.element};`,
    "",
    "fn identity() -> Element {",
    ...setup.map((statement) => `  ${statement}`),
    `  return ${expression};`,
    "}",
    "",
    "fn combine(earlier: Element, later: Element) -> Element {",
  ];
  if (!monoid.callers) {
    return [generated([...head, `  return ${monoid.combine};`, "}"].join("\n"))];
  }
  const name = `combine of the operator ${monoid.opName}`;
  const body = callersText(name, monoid.combine);
  const isStatements = /\breturn\b/.test(monoid.combine);
  const parts = [
    generated([...head, ...(isStatements ? [] : ["  return ("])].join("\n")),
    body,
    generated(isStatements ? "}" : "  );\n}"),
  ];
  return monoid.declarations === ""
    ? parts
    : [callersText(`declarations of the operator ${monoid.opName}`, monoid.declarations), ...parts];
}

/** A WGSL function of one argument `x`. */
const conversion = (name: string, from: string, to: string, body: string): string =>
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

/** `load` and `store`: what device-wide kernels are written against. */
export function storageText(monoid: Monoid, input: Side, output: Side): SourceText {
  const { domain } = monoid;
  const type = (side: Side): string => (side === "items" ? domain.stored : domain.element);
  return generated(
    [
      `alias Input = ${type(input)};`,
      `alias Output = ${type(output)};`,
      conversion("element_from_item", "Input", "Element", input === "items" ? domain.fromStored : "x"),
      conversion("item_from_element", "Element", "Output", output === "items" ? domain.toStored : "x"),
      "fn load(index: u32) -> Element {",
      "  return element_from_item(read_item(index));",
      "}",
      "",
      "fn store(index: u32, element: Element) {",
      "  write_item(index, item_from_element(element));",
      "}",
    ].join("\n"),
  );
}

/** What decides whether an item is kept. */
export type Selector = { readonly where: string } | "flags";

/** `keep`, `kept_item`, and `load` as the count to add: what compaction is written against. */
export function compactionText(type: ElementType, selector: Selector, indices: boolean): SourceParts {
  const head = [
    `alias Input = ${type.carried};`,
    `alias Output = ${indices ? "u32" : type.carried};`,
    "",
    "fn load(index: u32) -> u32 {",
    "  return select(0u, 1u, keep(index));",
    "}",
    "",
    "fn store(index: u32, element: u32) {",
    "  write_item(index, element);",
    "}",
    "",
    "fn kept_item(index: u32) -> Output {",
    `  return ${indices ? "index" : "read_item(index)"};`,
    "}",
    "",
  ];
  if (selector === "flags") {
    return [
      generated(
        [...head, "fn keep(index: u32) -> bool {", "  return read_flag(index) != 0u;", "}"].join("\n"),
      ),
    ];
  }
  if (selector.where.trim() === "") {
    throw new ArgumentError(
      "compact: where is empty; it takes a WGSL expression over the element x and its index i",
    );
  }
  return [
    generated(
      [
        ...head,
        conversion("value_from_item", "Input", type.value, type.fromCarried),
        "fn keep(index: u32) -> bool {",
        "  return keep_value(value_from_item(read_item(index)), index);",
        "}",
        "",
        `fn keep_value(x: ${type.value}, i: u32) -> bool {`,
        "  return bool(",
      ].join("\n"),
    ),
    callersText("the predicate", `${selector.where}`),
    generated("  );\n}"),
  ];
}

/** `Params`, and the uniform that holds them: the same for every device-wide kernel. */
export const paramsText: SourceText = generated(
  [
    "struct Params {",
    "  length: u32,",
    "  grid_width: u32,",
    "  input_base: u32,",
    "  output_base: u32,",
    "  flags_base: u32,",
    "  total_base: u32,",
    "}",
    "",
    "@group(0) @binding(0) var<uniform> params: Params;",
  ].join("\n"),
);

const subgroupContract: SourceText = {
  name: "shaders/work_group/subgroup_contract.wgsl",
  text: subgroupContractFile,
};

/** Shuffles, a struct's field by field; and the subgroup scan, a built-in of WGSL's where the operator has one. */
export function subgroupText({ subgroupScan, domain }: Monoid): SourceText {
  let text = subgroupContractFile;
  if (subgroupScan !== undefined) {
    text = text.replace(
      /fn subgroup_scan_inclusive[\s\S]*$/,
      [
        "fn subgroup_scan_inclusive(element: Element, rank: u32) -> Element {",
        `  return ${subgroupScan}(element);`,
        "}",
        "",
      ].join("\n"),
    );
  }
  if (domain.fields !== undefined) {
    text = text.replace(/return (subgroupShuffle\w*)\(element, (\w+)\);/g, (_, shuffle, place) => {
      const fields = (domain.fields ?? []).map((field) => `${shuffle}(element.${field}, ${place})`);
      return `return Element(${fields.join(", ")});`;
    });
  }
  return text === subgroupContractFile ? subgroupContract : { ...subgroupContract, text };
}

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
): readonly (SourceText | SourceParts)[] {
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
