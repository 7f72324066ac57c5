import type { AnyArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import { operators } from "../algebra/operator_table.ts";
import type { ScalarType, TypeName } from "../algebra/types.ts";
import type { Check, Scope, Way } from "./self_test_checks.ts";
import { cpu, flagsOf, ODD, odd, optionsOf } from "./self_test_checks.ts";
import { keysOf, makeMaps, operandsOf, runsOf } from "./self_test_data.ts";

/** The primitives beside scans, reductions and compactions: each in each of its forms, and on some types. */
export function familyChecks(scope: Scope): readonly Check[] {
  return [
    ...sortChecks(scope),
    ...segmentChecks(scope),
    ...partitionChecks(scope),
    ...extremeChecks(scope),
    ...exactChecks(scope),
  ];
}

type Results = Promise<readonly [gpu: unknown, cpu: unknown]>;
/** A check of keys of a type. `type` is given to both, since arrays do not tell f16. */
const keyed = (
  primitive: string,
  name: TypeName,
  title: string,
  lengths: readonly number[],
  run: (keys: AnyArray, type: { readonly type: ScalarType }, length: number) => Results,
  way?: Way,
): Check => {
  const type = elementTypes[name] as ScalarType;
  return {
    primitive,
    type: name,
    title: `${title.replace("<>", `<${name}>`)}${way === undefined ? "" : ` (${way})`}`,
    lengths,
    ...(way !== undefined && { way }),
    run: (length) => run(keysOf(type, length), { type }, length),
  };
};

/** Offsets of segments of different lengths. Some have no item. */
function offsetsOf(length: number): Uint32Array {
  const offsets = [0];
  for (let at = 0; (offsets.at(-1) ?? 0) < length; at++) {
    offsets.push(Math.min(length, (offsets.at(-1) ?? 0) + (at % 5 === 2 ? 0 : (at * at) % 97)));
  }
  return Uint32Array.from(offsets);
}

/** The lengths without what is left of the last row. */
const inRows = (lengths: readonly number[], row: number): number[] =>
  lengths.map((length) => length - (length % row));

function sortChecks({ gpu, small, longest }: Scope): readonly Check[] {
  const maps = makeMaps();
  // So few are sorted by comparing them.
  const { lengths: short } = small.short;
  const check = (
    name: TypeName,
    title: string,
    lengths: readonly number[],
    options: object = {},
    way?: Way,
  ): Check =>
    keyed(
      "sort",
      name,
      `sort<>${title}`,
      lengths,
      async (keys, type) => [
        await gpu.sort(keys, { ...type, ...options, ...(way && optionsOf(way)) }),
        cpu.sortReference(keys, { ...type, ...options }),
      ],
      way,
    );
  return [
    check("u32", "", longest),
    check("u32", "", longest, {}, "blelloch"),
    keyed("sort", "f32", "sort<>, descending, values of i32", longest, async (keys, type, length) => {
      const options = { ...type, descending: true };
      const values = Int32Array.from({ length }, (_, at) => at);
      const order = cpu.argSortReference(keys, options) as Uint32Array;
      return [
        await gpu.sort(keys, { ...options, values }),
        { keys: cpu.sortReference(keys, options), values: Int32Array.from(order) },
      ];
    }),
    check("u64", "", longest),
    check("i64", "", short),
    check("f64", "", short),
    check("f16", "", short),
    check("i32", ", rows", inRows(longest, 7), { segments: { rows: 7 } }),
    keyed("sort", "u32", "sort<>, offsets", longest, async (keys, type, length) => {
      const options = { ...type, segments: { offsets: offsetsOf(length) } };
      return [await gpu.sort(keys, options), cpu.sortReference(keys, options)];
    }),
    {
      primitive: "sort",
      type: "u32",
      title: "sort<struct> by a key",
      lengths: short,
      run: async (length) => {
        const items = maps.of(length);
        return [
          await gpu.sort(items, { key: "x.shift" }),
          cpu.sortReference(items, {
            key: ({ shift }: { readonly shift: number }) => shift,
            keyType: elementTypes.u32,
          }),
        ];
      },
    },
  ];
}

function segmentChecks({ gpu, small }: Scope): readonly Check[] {
  const { lengths: long, tuning } = small.long;
  const check = (
    call: "scan" | "reduce",
    name: TypeName,
    title: string,
    { op, lengths = long, way, options }: SegmentCheck,
  ): Check => {
    const type = elementTypes[name] as ScalarType;
    return {
      primitive: "segments",
      type: name,
      ...(way !== undefined && { way }),
      title: `${call}<${name}, ${op.name}> by ${title}${way === undefined ? "" : ` (${way})`}`,
      lengths,
      run: async (length) => {
        const data = operandsOf(type, op.name, length);
        const given = { type, op, ...options(length) };
        return [
          await gpu[call](data, { ...given, ...tuning, ...(way && optionsOf(way)) }),
          cpu[`${call}Reference`](data, given),
        ];
      },
    };
  };
  const { add, max, min, mul } = operators as unknown as Readonly<Record<keyof typeof operators, Operator>>;
  const rowsOf = (rows: number) => ({ lengths: inRows(long, rows), options: () => ({ segments: { rows } }) });
  const by = (segments: (length: number) => object) => ({
    options: (length: number) => ({ segments: segments(length) }),
  });
  const byKeys = by((length) => ({ keys: runsOf(length, 9) }));
  return [
    check("scan", "u32", "rows", { op: add, ...rowsOf(7) }),
    check("reduce", "f32", "rows", { op: max, ...rowsOf(37) }),
    check("scan", "f32", "columns", { op: max, lengths: inRows(long, 7), ...by(() => ({ columns: 7 })) }),
    check("reduce", "u32", "offsets", { op: add, ...by((length) => ({ offsets: offsetsOf(length) })) }),
    check("scan", "i64", "heads", {
      op: min,
      way: "blelloch",
      options: (length) => ({ exclusive: true, segments: { heads: flagsOf(length) } }),
    }),
    check("scan", "i32", "bits of heads", {
      op: add,
      ...by((length) => ({ headBits: runsOf(Math.ceil(length / 32), 0xffff) })),
    }),
    check("reduce", "f16", "keys", { op: max, ...byKeys }),
    check("scan", "u32", "keys", { op: mul, way: "hillis-steele", ...byKeys }),
  ];
}

/** What is checked of a call on segments. */
interface SegmentCheck {
  readonly op: Operator;
  readonly lengths?: readonly number[];
  readonly way?: Way;
  /** The options of the call on so many items. */
  readonly options: (length: number) => object;
}

function partitionChecks({ gpu, small }: Scope): readonly Check[] {
  const { lengths: long, tuning } = small.long;
  const classes = { classes: 5 };
  const byClass = (name: TypeName, way: Way): Check =>
    keyed(
      "partition",
      name,
      "partition<> by 5 classes",
      long,
      async (keys, type) => [
        await gpu.partition(keys, {
          ...type,
          ...classes,
          class: "(i / 3u) % 5u",
          ...tuning,
          ...optionsOf(way),
        }),
        cpu.partitionReference(keys, (_: unknown, index: number) => Math.floor(index / 3) % 5, {
          ...type,
          ...classes,
        }),
      ],
      way,
    );
  return [
    keyed("partition", "f32", "partition<> where", long, async (keys, type) => [
      await gpu.partition(keys, { ...type, where: ODD, ...tuning }),
      cpu.partitionReference(keys, odd, type),
    ]),
    keyed("partition", "u64", "partition<> flags, indices", long, async (keys, type, length) => [
      await gpu.partition(keys, { ...type, flags: flagsOf(length), indices: true, ...tuning }),
      cpu.partitionReference(keys, odd, { ...type, indices: true }),
    ]),
    byClass("i32", "blelloch"),
    byClass("u32", "subgroup"),
  ];
}

function extremeChecks({ gpu, longest }: Scope): readonly Check[] {
  const extreme = (name: TypeName, call: "argMin" | "argMax"): Check =>
    keyed("extremes", name, `${call}<>`, longest, async (keys, type) => [
      await gpu[call](keys, type),
      cpu[`${call}Reference`](keys, type),
    ]);
  return [extreme("f32", "argMin"), extreme("i64", "argMax")];
}

function exactChecks({ gpu, small, tiny }: Scope): readonly Check[] {
  const op = operators.exactAdd as unknown as Operator;
  const check = (call: "scan" | "reduce", name: TypeName, span: Scope["small"]["long"], way: Way): Check => {
    const type = elementTypes[name] as ScalarType;
    return {
      primitive: "exact sums",
      type: name,
      way,
      title: `${call}<${name}, exactAdd> (${way})`,
      lengths: span.lengths,
      run: async (length) => {
        const data = operandsOf(type, "exactAdd", length);
        return [
          await gpu[call](data, { type, op, ...span.tuning, ...optionsOf(way) }),
          cpu[`${call}Reference`](data, { type, op }),
        ];
      },
    };
  };
  return [
    check("reduce", "f32", tiny, "blelloch"),
    check("scan", "f32", small.short, "blelloch"),
    check("reduce", "f64", tiny, "blelloch"),
    check("scan", "f16", small.short, "subgroup"),
  ];
}
