import mapItems from "#shaders/device/kernels/map_items.wgsl";
import edgeNearest from "#shaders/device/neighbours/edge_nearest.wgsl";
import edgeValue from "#shaders/device/neighbours/edge_value.wgsl";
import edgeWrap from "#shaders/device/neighbours/edge_wrap.wgsl";
import { tablesFor } from "../adapters/adapter.ts";
import { bytesOfValue, valueOfBytes } from "../algebra/array_values.ts";
import { describe, problemOfNearest } from "../algebra/check_value.ts";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import { requireName, requireOneMeaning, requireUnreserved } from "../algebra/require_name.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, LimitError, refuse } from "../errors.ts";
import { carriedAs, conversion, itemsOfVector, valueFromItem, vectorText } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { filesOf, isWide, lengthFile, linkKernel } from "../kernels/kernel.ts";
import { carriedOf } from "../kernels/map.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { textFunction } from "../kernels/text_function.ts";
import { requireCode } from "../text/callers.ts";
import { declared } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mapOf } from "./map.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { ofItems, passOver, plainSizes } from "./plain_plan.ts";
import type { Bindings, Plan, RangeName } from "./plan.ts";
import { perArrangement, rangesTaken } from "./plan.ts";
import { requireFeature } from "./require_feature.ts";

// Maps of elements: what an element becomes follows from itself, from elements at its index in other arrays, and from its neighbours.

/** What the text of a map sees beside the element. */
export interface NeighbourOptions<V extends Value = Value> {
  /**
   * Elements at a fixed distance, by names that the text has for them: `{ before: -1, after: 1 }` are the element before `x` and the one after
   * it. A distance is any whole number but 0.
   */
  readonly neighbours?: Readonly<Record<string, number>> | undefined;
  /**
   * What stands for neighbours that lie past an end of the data, and is needed beside `neighbours`: `"nearest"`, the first or the last element;
   * `"wrap"`, the elements from the other end on; or a value. With `[a b c]`, the two before `a` are `a a`, `b c`, or that value twice.
   */
  readonly edge?: "nearest" | "wrap" | NoInfer<V> | undefined;
}

/** The text of a map. */
export interface MapText {
  /**
   * What an element becomes: WGSL over its value `x`, its index `i` (u32), and the names of `with`, `neighbours` and `params`. It is an
   * expression of the result's type, such as `"x * y + 1"`, or statements that end in `return`. Values of u64, i64 and f64 are numbers in it.
   */
  readonly map: string;
}

/** The options of `prepareMap`. */
export interface PreparedMapOptions<Name extends string = string>
  extends MapText,
    NeighbourOptions,
    ParamsOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the results. */
  readonly type: ElementType<Name>;
  /** The type of the input's items. The default is `type`. */
  readonly from?: ElementType | undefined;
  /** The types of other ranges that are as long as the input, by the names that the text has for their items. */
  readonly with?: Readonly<Record<string, ElementType>> | undefined;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

type Named<T> = readonly (readonly [name: string, value: T])[];

/** The options of a map as calls plan it: lists in place of objects, since a plan that an earlier call left is found by what these hold. */
export interface PlannedMapOptions extends Omit<PreparedMapOptions, "with" | "neighbours" | "edge"> {
  readonly with?: Named<ElementType>;
  readonly neighbours?: Named<number>;
  /** The bytes of a value stand for that. */
  readonly edge?: "nearest" | "wrap" | Uint8Array;
}

/** What the options of a map ask for, checked. */
export interface ElementMap {
  readonly title: string;
  readonly text: string;
  readonly from: ElementType;
  readonly type: ElementType;
  readonly beside: Named<ElementType>;
  readonly neighbours: Named<number>;
  /** The bytes of a value stand for that. It is undefined if there are no neighbours. */
  readonly edge: "nearest" | "wrap" | Uint8Array | undefined;
  readonly params: DeclaredParams | undefined;
}

/** The entries of an object, or the list that calls make of them. @throws {ArgumentError} for what is neither. */
function entriesOf(given: unknown, title: string, option: string, takes: string): Named<unknown> {
  if (given === undefined) {
    return [];
  }
  if (typeof given !== "object" || given === null || ArrayBuffer.isView(given)) {
    refuse(title, option, describe(given), takes);
  }
  return Array.isArray(given) && given.every(Array.isArray) ? (given as never) : Object.entries(given);
}

/** The names of values that every text has, or that operators do. */
const OWN_NAMES: readonly string[] = ["x", "i"];

/** @throws {ArgumentError} for a name that the text could not use, or that two values have. */
function requireNames(
  title: string,
  { beside, neighbours, params }: Pick<ElementMap, "beside" | "neighbours" | "params">,
  files: readonly SourceText[],
): void {
  const taken = new Set([
    ...OWN_NAMES,
    ...declared(files).declarations.map(({ name }) => name),
    ...(params?.names ?? []),
  ]);
  for (const [option, entries] of Object.entries({ with: beside, neighbours })) {
    for (const [name] of entries as Named<unknown>) {
      requireName(name, `${title}: ${option}`, option);
      requireUnreserved(name, `${title}: ${option}`, option);
      if (taken.has(name)) {
        throw new ArgumentError(
          `${title}: ${option}: ${name} has another meaning in the map; choose another, such as ${name}_`,
          option,
        );
      }
      taken.add(name);
    }
  }
}

/** The bytes of an edge's value. @throws {ArgumentError} if it is no value of the type. */
function bytesOfEdge(given: unknown, type: ElementType, title: string): Uint8Array {
  const value = typeof given === "number" && type.bytes === 8 && isWhole(type) ? bigFrom(given) : given;
  const problem = problemOfNearest(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${title}: edge: ${problem}; it takes "nearest", "wrap", or a value`, "edge");
  }
  // Kernels take elements of 8 and 16 bits as words.
  return bytesOfValue(value as Value, type.wide ?? type);
}

const isWhole = ({ kind }: ElementType): boolean => kind === "signed" || kind === "unsigned";
const bigFrom = (given: number): unknown => (Number.isSafeInteger(given) ? BigInt(given) : given);

/** What stands past the ends of the data. @throws {ArgumentError} */
function edgeOf(
  { edge }: { readonly edge?: unknown },
  hasNeighbours: boolean,
  type: ElementType,
  title: string,
): ElementMap["edge"] {
  if (!hasNeighbours) {
    return edge === undefined
      ? undefined
      : refuse(title, "edge", describe(edge), "an edge only beside neighbours");
  }
  if (edge === undefined) {
    refuse(
      title,
      "edge",
      "undefined",
      '"nearest", "wrap", or a value, for neighbours past the ends of the data',
    );
  }
  return edge === "nearest" || edge === "wrap" || edge instanceof Uint8Array
    ? edge
    : bytesOfEdge(edge, type, title);
}

/** The neighbours that options name, with their distances. @throws {ArgumentError} */
function neighboursOf(given: unknown, title: string): Named<number> {
  const entries = entriesOf(given, title, "neighbours", "an object of distances, such as { before: -1 }");
  for (const [name, distance] of entries) {
    if (!Number.isInteger(distance) || distance === 0 || Math.abs(distance as number) >= 2 ** 32) {
      refuse(
        title,
        "neighbours",
        `{ ${name}: ${describe(distance)} }`,
        "a whole number other than 0 for each, such as -1 for the element before",
      );
    }
  }
  return entries as Named<number>;
}

/** @throws {LimitError} for more ranges than the kernel may bind. */
function requireBindings(title: string, ranges: number, lengthOnGpu: boolean, { limits }: DeviceFacts): void {
  const limit = limits.maxStorageBuffersPerShaderStage;
  const others = 2 + Number(lengthOnGpu);
  if (ranges + others > limit) {
    throw new LimitError(
      `${title}: with has ${ranges} arrays; the kernel also binds the data and the result${lengthOnGpu ? " and the length" : ""}, and the device's limit is ${limit} storage buffers (maxStorageBuffersPerShaderStage), so it takes at most ${Math.max(0, limit - others)}`,
      ranges + others,
      limit,
      "with",
    );
  }
}

/**
 * Checks the options of a map.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function requireMap(
  options: {
    readonly [Name in keyof PreparedMapOptions]?: unknown;
  },
  facts: DeviceFacts,
): ElementMap {
  const type = requireType(options.type, "map");
  const title = `map<${type.name}>`;
  const { map: text, from: given, lengthOnGpu = false } = options;
  requireCode(title, "map", text, 'a WGSL expression over the element x and its index i, such as "x * x"');
  const from = given === undefined ? type : requireType(given, `${title}: from`, "from");
  requireFeature(type, title, facts);
  mapOf({ map: text, from }, type, title, facts.features);
  const beside = entriesOf(options.with, title, "with", "an object of arrays, such as { y: array }").map(
    ([name, one]) => [name, requireType(one, `${title}: with.${name}`, "with")] as const,
  );
  const types = [from, type, ...beside.map(([, one]) => one)];
  for (const [, one] of beside) {
    requireFeature(one, title, facts);
  }
  requireOneMeaning(
    title,
    types.flatMap(({ files }) => files),
    "with",
  );
  const neighbours = neighboursOf(options.neighbours, title);
  const params = paramsIn(options);
  requireNames(title, { beside, neighbours, params }, typeFiles(...types));
  requireBindings(title, beside.length, lengthOnGpu === true, facts);
  const edge = edgeOf(options, neighbours.length > 0, from, title);
  return { title, text, from, type, beside, neighbours, edge, params };
}

/** What a kernel of a map is generated for. */
interface MapKernelOptions extends ElementMap {
  readonly arrangement: Arrangement;
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
}

const edgeFiles = { nearest: edgeNearest, wrap: edgeWrap } as const;

/** The variable that binds a range of `with`, by its place. */
const variableOf = (at: number): string => `beside_${at}`;
const baseOfVariable = (at: number): string => `${variableOf(at)}_base`;

/** The first binding of such ranges: no other kernel file has it or one above. */
const FIRST_BINDING = 24;

/** Declares the ranges beside the input, and how their items become values. */
const besideText = (beside: Named<ElementType>): string =>
  beside
    .map(([, type], at) =>
      [
        `@group(0) @binding(${FIRST_BINDING + at}) var<storage, read> ${variableOf(at)}: array<${carriedAs(type)}>;`,
        conversion(`value_of_beside_${at}`, carriedAs(type), type.native.element, type.fromCarried ?? "x"),
      ].join("\n"),
    )
    .join("\n");

/** Declares what gives the value of a neighbour, by its place. */
function neighbourText({ from, edge }: ElementMap): string {
  const head = `fn neighbour_at(place: u32, length: u32) -> ${from.native.element} {`;
  const load = "return value_from_item(read_item(place));";
  if (!(edge instanceof Uint8Array)) {
    return `${head}\n  ${load}\n}`;
  }
  const [expression, setup = ""] = from.native.literal(valueOfBytes(edge, from), "value");
  return `${head}\n  if (place < length) {\n    ${load}\n  }\n  ${setup}return ${expression};\n}`;
}

/** WGSL for the value of a neighbour of the item at `index`. */
const neighbourAt = (distance: number): string =>
  `neighbour_at(place_${distance < 0 ? "before" : "after"}(index, ${Math.abs(distance)}u, length), length)`;

/** The kernel for ranges in an arrangement. */
function mapKernel(options: MapKernelOptions): Kernel {
  const { from, type, text, beside, neighbours, edge, params, arrangement, lengthOnGpu, sizes } = options;
  const vector = isWide(arrangement) ? vectorFor(options, sizes.items) : 1;
  const values = [
    "value_from_item(item)",
    "index + call.first_index",
    ...beside.map((_, at) => `value_of_beside_${at}(${variableOf(at)}[call.${baseOfVariable(at)} + index])`),
    ...neighbours.map(([, distance]) => neighbourAt(distance)),
  ];
  return linkKernel(
    `wavefold map <${type.name}>`,
    "map_items",
    [
      generated(
        [
          `alias Input = ${carriedAs(from)};`,
          `alias Output = ${carriedAs(type)};`,
          vectorText(carriedAs(from), carriedAs(type), vector),
          valueFromItem(from),
          conversion("item_from_value", type.native.element, "Output", carriedOf(type, type.native)),
          besideText(beside),
          ...(edge === undefined ? [] : [neighbourText(options)]),
          "fn mapped_item(item: Input, index: u32, length: u32) -> Output {",
          `  return item_from_value(map_value(${values.join(", ")}));`,
          "}",
        ].join("\n"),
      ),
      ...textFunction({
        name: "map_value",
        title: "the map",
        text,
        parameters: { x: from, i: "u32" },
        result: type,
        params,
        beside: Object.fromEntries([...beside, ...neighbours.map(([name]) => [name, from] as const)]),
      }),
      ...expressionFiles(from, type, ...beside.map(([, one]) => one)),
      ...filesOf(arrangement, from.packed).files,
      ...(edge === undefined ? [] : [typeof edge === "string" ? edgeFiles[edge] : edgeValue]),
      lengthFile(lengthOnGpu),
      mapItems,
    ],
    sizes,
    { vector, members: beside.map((_, at) => baseOfVariable(at)) },
  );
}

/** Items of a vector: loads and stores are as wide as can be. */
const vectorFor = ({ from, type }: ElementMap, items: number): number =>
  itemsOfVector(from.bytes, items, type.bytes);

/** Bytes that a thread loads and stores at a time for each item of a row. */
const ROW_BYTES = 4;

/** How many items a thread takes, if the caller does not say so: whole vectors. */
function itemsFor(map: ElementMap, items: number): number {
  const most = Math.floor((items * ROW_BYTES) / Math.min(map.from.bytes, map.type.bytes, ROW_BYTES));
  return vectorFor(map, most) > 1 ? most : items;
}

/**
 * How ranges may lie. Neighbours are read one by one, from an input in another place than the output. Vectors take two bindings for each of
 * both, which leave fewer for the ranges of `with`.
 */
function arrangementsFor(
  { from, type, beside, neighbours }: ElementMap,
  lengthOnGpu: boolean,
  { limits }: DeviceFacts,
): readonly Arrangement[] {
  const canShare = from.bytes === type.bytes;
  const left = limits.maxStorageBuffersPerShaderStage - beside.length - Number(lengthOnGpu);
  const all: readonly (readonly [Arrangement, boolean])[] = [
    ["vectors", neighbours.length === 0 && left >= 4],
    ["items", true],
    ["in-place", canShare && neighbours.length === 0],
    ["one-buffer", canShare],
  ];
  return all.flatMap(([arrangement, isTaken]) => (isTaken ? [arrangement] : []));
}

/**
 * Plans a map: one dispatch.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planMap(options: PreparedMapOptions | PlannedMapOptions, facts: DeviceFacts): Plan {
  const map = requireMap(options, facts);
  const { title, from, type, beside, neighbours } = map;
  const { lengthOnGpu = false } = options;
  const types = [from, type, ...beside.map(([, one]) => one)];
  const shape = tablesFor(facts).moves;
  const row = { ...shape, items: itemsFor(map, shape.items) };
  const sizes = plainSizes(row, title, type, options, facts);
  const longest = Math.max(4, ...types.map(({ bytes }) => bytes));
  const maxLength = requireMaxLength(title, options.maxLength, longest, facts.limits);
  const arrangements = arrangementsFor(map, lengthOnGpu, facts);
  const kernels = perArrangement(arrangements, (arrangement) =>
    mapKernel({ ...map, arrangement, lengthOnGpu, sizes }),
  );
  const ranges = beside.map(([name], at) => [variableOf(at), `with.${name}` as RangeName] as const);
  const names = ranges.map(([, name]) => name);
  return {
    ...ofItems(title, maxLength, arrangements),
    vector: vectorFor(map, sizes.items),
    kernels: kernels.all,
    scratch: [],
    needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, names),
    itemTypes: {
      input: from,
      output: type,
      ...Object.fromEntries(beside.map(([, one], at) => [names[at], one])),
    },
    ...(neighbours.length > 0 && {
      apart: "they must be apart, since elements are read after their neighbours were written",
    }),
    passes(length, arrangement) {
      const bindings = {
        input: "input",
        output: "output",
        length_buffer: "length",
        ...Object.fromEntries(ranges),
      };
      return length === 0 ? [] : [passOver(kernels.of(arrangement), length, bindings as Bindings)];
    },
  };
}
