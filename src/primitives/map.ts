import type { AnyArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import type { OptionTable } from "../options.ts";
import type { MapText, NeighbourOptions } from "../plan/map_elements.ts";
import { planMap, requireMap } from "../plan/map_elements.ts";
import type { TuningOptions } from "../plan/options.ts";
import { keyInObject } from "../plan/ranges.ts";
import type { CallParamsOption, IntoOption, TypesOption } from "./call_options.ts";
import type { Example, Examples } from "./examples.ts";
import { between, keysOf } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PartOption, PreparedPrimitive } from "./ranges.ts";

/** The option `with` of a map. */
export interface WithOption<Given> {
  /** Other arrays, as long as the data, by the names that the text has for their elements: `{ y: other }`. Each has its own type. */
  readonly with?: Given | undefined;
}

/** Where a map reads and writes. */
export interface MapRanges extends PartOption, ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /** For plans prepared with `with`: a range for each name, whose items lie at the same index as the input's. */
  readonly with?: Readonly<Record<string, BufferRange>>;
  /**
   * Receives what the items become. It may be the same range as the input, if items of both have one size and the map sees no neighbours.
   * Otherwise it is apart from all ranges that are read. It may lie in the input's buffer if items have one size, and else in no buffer that is
   * read.
   */
  readonly output: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** A map, compiled. */
export interface PreparedMap extends PreparedPrimitive<MapRanges> {}

/** The options of a call beside its arrays. */
interface Options
  extends MapText,
    NeighbourOptions,
    CallParamsOption,
    TypesOption<string, ElementType>,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {}

/** What elements become. */
export const map: Primitive<Options, "data" | "with", "mapped"> = {
  name: "map",
  onCpu: "maps",
  operands: [
    { name: "data", range: "input", isNamed: true, isMapped: true },
    { name: "with", range: "with.", isOption: true, isOneEach: true, isByName: true },
  ],
  options: {
    type: "type",
    from: "type",
    map: "expression",
    params: "params",
    neighbours: "distances",
    edge: "edge",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<Options>,
  callOptions: { with: true, into: true } satisfies OptionTable<
    Required<WithOption<AnyArray> & IntoOption<AnyArray>>
  >,
  planOptions: { with: true } satisfies OptionTable<Required<WithOption<AnyArray>>>,
  request({ types, lengths, isCounted, options, facts }) {
    const from = requireType(types.data, "map", "data");
    const type = options.type === undefined ? from : options.type;
    const beside = Object.entries(types).flatMap(([name, one]) => {
      const key = keyInObject(name);
      return key === undefined ? [] : [[key, one] as const];
    });
    const asked = { ...options, type, from, with: beside, lengthOnGpu: isCounted };
    const { title, neighbours, edge } = requireMap(asked as object, facts);
    const { into: _, ...others } = options as Options & { readonly into?: unknown };
    return {
      title,
      options: {
        ...others,
        type,
        from,
        ...(beside.length > 0 && { with: beside }),
        ...(neighbours.length > 0 && { neighbours, edge }),
      },
      results: [
        {
          name: "mapped",
          range: "output",
          type,
          most: lengths.data ?? 0,
          length: "input",
          ...(isSameType(from, type) && { like: "data" }),
          shape: "input",
        },
      ],
    };
  },
  plan: planMap,
};

export const mapHelp: HelpOf<typeof map> = {
  summary: "compute each element from one, or from several arrays",
  says: "Maps each element by WGSL: alone, with the elements at its place in other files (--with), or with its neighbours (--neighbours). The result has the input's shape.",
  operands: {
    data: "the elements",
    with: "another file with an element for each, and its name in the map: y=other.npy; this option may be given several times",
  },
  options: {
    type: "element type of the result; without it, the input's",
    from: "element type of the input, for wavefold explain",
    map: "WGSL for what an element becomes, such as 'x * y + 1'; x is the element, i its index (u32), and others by the names of --with, --neighbours and --param",
    neighbours: "elements at a distance, by their names in the map: before=-1,after=1",
    edge: "what stands for neighbours past the ends: nearest, wrap, or a number",
  },
  tries: { doubled: { map: "x + x" } },
  needs: ["map"],
  results: { mapped: "where the mapped elements go" },
  ways: {
    map_items: () => ({
      way: "one dispatch: each thread maps its own elements",
      why: ["No element waits for another one."],
      table: "moves",
    }),
  },
  completed: ({ map: text = "x", ...given }) => ({ map: text, ...given }),
};

/** The least normal numbers. An adapter may take those below for zeros, so examples do so everywhere. */
const leastNormals: Readonly<Record<string, { readonly text: string; readonly value: number }>> = {
  f32: { text: "0x1p-126f", value: 2 ** -126 },
  f16: { text: "0.00006103515625h", value: 2 ** -14 },
};

/** Maps by comparisons, so that all results are exact: alone, with other arrays, and with neighbours past each kind of edge. */
export const mapExamples: Examples<Options> = {
  of(type, length, random) {
    const isHalf = type.name === "f16";
    const [{ key: text = "x", twins }] = keysOf(type);
    const scalarOf = (twins?.key ?? ((x: unknown) => x)) as (x: unknown) => number;
    const normal = leastNormals[(twins?.keyType ?? type).name];
    const key = normal ? `select(${text}, 0.0, abs(${text}) < ${normal.text})` : text;
    const keyOf = (x: unknown): number => {
      const scalar = scalarOf(x);
      return normal && Math.abs(scalar) < normal.value ? 0 : scalar;
    };
    const result = isHalf ? {} : { type: u32 };
    const whole = (number: number): string => (isHalf ? `${number}.0h` : `${number}u`);
    /** A bit for each of some elements that is less than `x`. */
    const lesser = (names: readonly string[]) => ({
      text: names
        .map(
          (name, at) =>
            `select(${whole(0)}, ${whole(2 ** at)}, ${key} > ${key.replaceAll(/(?<!\.)\bx\b/g, name)})`,
        )
        .join(" + "),
      twin: (x: unknown, _: number, others: Readonly<Record<string, unknown>>): number =>
        names.reduce((sum, name, at) => sum + (keyOf(x) > keyOf(others[name]) ? 2 ** at : 0), 0),
    });
    const at = between(random, 0, Math.floor(length * 1.25));
    const far = between(random, 2, 9);
    const seen = lesser(["before", "after", "far_before", "far_after"]);
    const windows = (edge: Options["edge"], furthest = far): Example<Options> => ({
      options: {
        ...result,
        map: seen.text,
        neighbours: { before: -1, after: 1, far_before: -far, far_after: furthest },
        edge,
      },
      twins: { map: seen.twin },
    });
    // At hand, f16 in a Uint16Array has no element type.
    const beside = lesser(isHalf ? ["x"] : ["y"]);
    return [
      {
        options: { ...result, map: `select(${whole(3)}, ${whole(5)}, i == ${at}u && ${key} > 1)` },
        twins: { map: (x: unknown, i: number) => (i === at && keyOf(x) > 1 ? 5 : 3) },
      },
      {
        options: {
          ...result,
          map: `${beside.text} + select(${whole(0)}, ${whole(4)}, other % 3u == 1u)`,
        },
        operands: { with: { ...(!isHalf && { y: { type } }), other: { type: u32 } } },
        twins: {
          map: (x: unknown, i: number, others: { readonly other: number }) =>
            beside.twin(x, i, { ...others, x }) + (others.other % 3 === 1 ? 4 : 0),
        },
      },
      windows("nearest"),
      windows("wrap", 2 * length + far),
      ...(type.kind === "struct" ? [] : [windows(2)]),
      // A result of the elements' own type, which may go where they are. A device may change the bits of a NaN, and flush what is subnormal.
      {
        options: { map: "x" },
        operands: { data: { type, contents: "small" } },
        twins: { map: (x: unknown) => x },
      },
    ];
  },
};

export const described: readonly Described[] = [{ primitive: map, help: mapHelp, examples: mapExamples }];
