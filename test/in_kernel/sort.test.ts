import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { ArgumentError, SourceError } from "../../src/errors.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { workGroupScan } from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import { algorithmNames } from "../support/fold.ts";
import { nagaFailures } from "../support/naga.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { pairs } from "../support/pairs.ts";

const device = useNullDevice();
const { u32, f32, u64 } = elementTypes;
const names = Object.keys(elementTypes) as TypeName[];

const Body = struct({ name: "Body", fields: { id: u32, at: f32, age: u64 } }) as ElementType;
/** Structs in an array, with a name of ours, and nested. */
const many = wgslType({
  name: "many",
  wgsl: "array<Value, 3>",
  declarations: "struct Value { first: Element, others: mat2x2f }\nstruct Element { a: vec3<f32>, b: u32 }",
}) as unknown as ElementType;
const valueTypes: readonly ElementType[] = [...Object.values<ElementType>(elementTypes), Body, many];

interface Sort {
  readonly title: string;
  readonly type: ElementType;
  readonly values: ElementType | undefined;
  readonly set: InKernelFunctions;
  readonly threads: number;
  readonly items: number;
  readonly algorithm: Algorithm;
}

const shapes = [
  [1, 1],
  [33, 3],
  [64, 17],
  [100, 4],
  [1024, 1],
  [1024, 4],
] as const;

/** Sorts of every type of keys with every type of values, and both with every algorithm, in every shape. */
const sorts: readonly Sort[] = pairs({
  name: names,
  values: [undefined, ...valueTypes],
  shape: shapes,
  algorithm: algorithmNames,
  descending: [false, true],
}).map(({ name, values, shape: [threads, items], algorithm, descending }, number) => {
  const own = {
    type: elementTypes[name] as ElementType<TypeName>,
    items,
    descending,
    workGroupSize: threads,
    algorithm: workGroupAlgorithms[algorithm],
    ...(number % 3 === 0 && { bits: [number % 7, 9] as const }),
  };
  return {
    title: `${algorithm}: ${name}${descending ? " descending" : ""}, ${values?.name ?? "keys alone"}, ${threads} × ${items}`,
    type: own.type,
    values,
    set: values ? workGroupSortPairs({ ...own, values }) : workGroupSort(own),
    threads,
    items,
    algorithm,
  };
});

/** A kernel that calls the functions of a sort; `around` stands around the calls. */
const kernelOf = (
  { type, values, set, threads, items }: Omit<Sort, "title" | "algorithm">,
  before = "",
  after = "",
): string =>
  link(
    `@group(0) @binding(0) var<storage, read_write> count: u32;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) local_index: u32) {
  var keys: array<${type.value}, ${items}>;
  ${values ? `var values: array<${values.value}, ${items}>;` : ""}
  ${before}
  ${set.names.map((name) => `${name}(&keys${values ? ", &values" : ""}${name.endsWith("_partial") ? ", count" : ""}, local_index);`).join("\n  ")}
  count = 0u;
  ${after}
}`,
    [set],
  );

const needsF16 = ({ type, values }: Sort): boolean => type.name === "f16" || values?.name === "f16";

test.each(sorts.map((one) => [one.title, one] as const))(
  "%s compiles, with the features that it needs alone",
  async (title, one) => {
    const code = kernelOf(one);
    const alone = one.set.code;
    expect(
      await failures(device(), [
        { title, code },
        { title: `${title}, alone`, code: alone },
      ]),
    ).toEqual([]);
    expect(/\benable subgroups;/.test(code)).toBe(one.algorithm === "subgroup");
    expect(/\benable f16;/.test(code)).toBe(needsF16(one));
    // The same input gives the same text, and nothing that is declared is unused.
    expect(kernelOf(one)).toBe(code);
    for (const [, name = ""] of code.matchAll(/^(?:fn|var<workgroup>|struct) (\w+)/gm)) {
      expect(code.match(new RegExp(`\\b${name}\\b`, "g"))?.length, name).toBeGreaterThan(
        name === "main" ? 0 : 1,
      );
    }
  },
);
const portable = sorts.filter(({ algorithm }) => algorithm !== "subgroup");
test("naga compiles every portable sort", () => {
  const kernels = portable.map((one) => ({ title: one.title, code: kernelOf(one) }));
  expect(nagaFailures(kernels).slice(0, 5)).toEqual([]);
});

test("a function's name says the types and the direction", () => {
  const options = { type: f32, workGroupSize: 64 };
  expect(workGroupSort(options).names).toEqual(["work_group_sort_f32", "work_group_sort_f32_partial"]);
  expect(workGroupSort({ ...options, descending: true, suffix: "b" }).names).toEqual([
    "work_group_sort_descending_f32_b",
    "work_group_sort_descending_f32_partial_b",
  ]);
  expect(workGroupSortPairs({ ...options, values: Body }).names).toEqual([
    "work_group_sort_pairs_f32_Body",
    "work_group_sort_pairs_f32_Body_partial",
  ]);
  expect(workGroupSortPairs({ ...options, values: u32, descending: true }).names).toEqual([
    "work_group_sort_pairs_descending_f32_u32",
    "work_group_sort_pairs_descending_f32_u32_partial",
  ]);
});

test("sorts of one size share their work-group memory, with each other and with scans", async () => {
  const size = { workGroupSize: 64, items: 4 };
  const sets = [
    workGroupSort({ ...size, type: u32 }),
    workGroupSort({ ...size, type: u32, descending: true }),
    workGroupSort({ ...size, type: u64 }),
    workGroupSortPairs({ ...size, type: f32, values: f32 }),
    workGroupSortPairs({ ...size, type: u32, values: f32, bits: [0, 8] }),
    workGroupSortPairs({ ...size, type: u64, values: u64, descending: true }),
    workGroupSortPairs({ ...size, type: f32, values: u64 }),
    workGroupScan({ type: u32, workGroupSize: 64 }),
  ];
  const code = link(
    `fn a(i: u32) {
  var words: array<u32, 4>;
  var floats: array<f32, 4>;
  var pairs: array<vec2<u32>, 4>;
  var values: array<f32, 4>;
  work_group_sort_u32(&words, i);
  work_group_sort_descending_u32(&words, i);
  work_group_sort_u64(&pairs, i);
  work_group_sort_pairs_f32_f32(&floats, &values, i);
  work_group_sort_pairs_u32_f32(&words, &values, i);
  var wide = pairs;
  work_group_sort_pairs_descending_u64_u64(&pairs, &wide, i);
  work_group_sort_pairs_f32_u64(&floats, &wide, i);
  _ = work_group_scan_exclusive_add_u32(words[0], i);
}`,
    sets,
  );
  // A scan's elements, the words of all sorts, and values that have more than a word.
  expect(code.match(/^var<workgroup>/gm)).toHaveLength(3);
  expect(await failures(device(), [{ title: "together", code }])).toEqual([]);
  // Those of two lengths need a suffix.
  const short = workGroupSort({ type: u32, workGroupSize: 64 });
  const both = "fn a(i: u32) { var x: array<u32, 4>; work_group_sort_u32(&x, i); }";
  expect(() => link(both, [...sets, short])).toThrow("work_group_sort_u32 is given twice; give one a suffix");
});

test("what is not called by all threads is refused, and calls in a loop are not", async () => {
  const one = portable.find(({ threads }) => threads === 1);
  const sort = one as Sort;
  const loop = kernelOf(sort, "for (var turn = 0u; turn < 3u; turn++) {", "}");
  expect(await failures(device(), [{ title: "loop", code: loop }])).toEqual([]);
  const some = kernelOf({ ...sort, threads: 1 }, "if (local_index < count) {", "}");
  expect((await failures(device(), [{ title: "some", code: some }]))[0]).toContain(
    "must only be called from uniform control flow",
  );
});

const sizes = { type: u32, workGroupSize: 64 };
test.each<[string, () => unknown, string, string]>([
  [
    "no type",
    () => workGroupSort({ workGroupSize: 64 } as never),
    "undefined is not an element type",
    "type",
  ],
  [
    "a struct as keys",
    () => workGroupSort({ ...sizes, type: Body as never }),
    "type is Body; it takes u32, i32",
    "type",
  ],
  [
    "a WGSL type as keys",
    () => workGroupSort({ ...sizes, type: many as never }),
    "many is not an element type",
    "type",
  ],
  ["no values", () => workGroupSortPairs(sizes as never), "undefined is not an element type", "type"],
  [
    "values of keys alone",
    () => workGroupSort({ ...sizes, values: u32 } as never),
    "values is no option; it takes type, items, descending, bits, workGroupSize, algorithm, suffix",
    "values",
  ],
  ["an operator", () => workGroupSort({ ...sizes, op: u32 } as never), "op is no option", "op"],
  [
    "no threads",
    () => workGroupSort({ type: u32 } as never),
    "workGroupSize is undefined; it takes 1 to 1024",
    "workGroupSize",
  ],
  [
    "an algorithm's name",
    () => workGroupSort({ ...sizes, algorithm: "blelloch" as never }),
    'algorithm is "blelloch"; it takes an import, such as blelloch',
    "algorithm",
  ],
  ["a suffix", () => workGroupSort({ ...sizes, suffix: "a-b" }), 'suffix is "a-b"', "suffix"],
  [
    "no items",
    () => workGroupSort({ ...sizes, items: 0 }),
    "items is 0; it takes 1 to 512, for a tile of at most 32768 items",
    "items",
  ],
  ["half an item", () => workGroupSort({ ...sizes, items: 1.5 }), "items is 1.5; it takes 1 to 512", "items"],
  [
    "too many items",
    () => workGroupSortPairs({ ...sizes, values: u32, items: 513 }),
    "workGroupSortPairs: items is 513; it takes 1 to 512",
    "items",
  ],
  [
    "items as text",
    () => workGroupSort({ ...sizes, items: "4" as never }),
    'items is "4"; it takes 1 to 512',
    "items",
  ],
  [
    "a direction",
    () => workGroupSort({ ...sizes, descending: 1 as never }),
    "descending is 1; it takes true or false",
    "descending",
  ],
  [
    "no bits",
    () => workGroupSort({ ...sizes, bits: [3, 3] }),
    "bits is [3, 3]; it takes [from, to] with 0 <= from < to <= 32, in whole numbers",
    "bits",
  ],
  ["bits backwards", () => workGroupSort({ ...sizes, bits: [8, 0] }), "bits is [8, 0]", "bits"],
  [
    "bits past the end",
    () => workGroupSort({ ...sizes, type: elementTypes.f16, bits: [0, 17] }),
    "0 <= from < to <= 16",
    "bits",
  ],
  [
    "bits before the start",
    () => workGroupSort({ ...sizes, type: u64, bits: [-1, 64] }),
    "0 <= from < to <= 64",
    "bits",
  ],
  ["half a bit", () => workGroupSort({ ...sizes, bits: [0, 1.5] }), "bits is [0, 1.5]", "bits"],
  ["bits that are a number", () => workGroupSort({ ...sizes, bits: 8 as never }), "bits is 8", "bits"],
  ["one bit", () => workGroupSort({ ...sizes, bits: [8] as never }), "bits is [8]", "bits"],
  ["bits that are null", () => workGroupSort({ ...sizes, bits: null as never }), "bits is null", "bits"],
])("%s is refused", (_, make, message, option) => {
  expect(make).toThrow(ArgumentError);
  expect(make).toThrow(message);
  try {
    make();
  } catch (cause) {
    expect((cause as ArgumentError).option).toBe(option);
  }
});

test("the greatest tile is taken", () => {
  expect(workGroupSort({ ...sizes, items: 512 }).workGroupMemory).toBe(4 * (32768 + 1024) + 512);
  expect(workGroupSort({ ...sizes, workGroupSize: 1024, items: 32 }).names).toHaveLength(2);
});

describe("a directive", () => {
  const kernel = (directive: string, call: string): string => `// wavefold: ${directive}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  var keys: array<f32, 2>;
  var wide: array<vec2<u32>, 2>;
  var one: array<u32, 1>;
  ${call};
}
`;
  const size = { workGroupSize: 64, items: 2 };
  test.each<[string, string, InKernelFunctions]>([
    [
      "work_group_sort_u32",
      "work_group_sort_u32(&one, local_index)",
      workGroupSort({ ...size, items: 1, type: u32 }),
    ],
    [
      "work_group_sort_u32 64 bits=3,8",
      "work_group_sort_u32(&one, local_index)",
      workGroupSort({ ...size, items: 1, type: u32, bits: [3, 8] }),
    ],
    [
      "work_group_sort_f32 items=2",
      "work_group_sort_f32(&keys, local_index)",
      workGroupSort({ ...size, type: f32 }),
    ],
    [
      "work_group_sort_f32_partial items=2",
      "work_group_sort_f32_partial(&keys, 9u, local_index)",
      workGroupSort({ ...size, type: f32 }),
    ],
    [
      "work_group_sort_descending_u64 64 items=2 bits=0,40",
      "work_group_sort_descending_u64(&wide, local_index)",
      workGroupSort({ ...size, type: u64, descending: true, bits: [0, 40] }),
    ],
    [
      "work_group_sort_pairs_f32_i64 items=2",
      "work_group_sort_pairs_f32_i64(&keys, &wide, local_index)",
      workGroupSortPairs({ ...size, type: f32, values: elementTypes.i64 }),
    ],
    [
      "work_group_sort_pairs_descending_f64_f32_partial items=2 algorithm=blelloch suffix=mine",
      "work_group_sort_pairs_descending_f64_f32_partial_mine(&wide, &keys, 5u, local_index)",
      workGroupSortPairs({
        ...size,
        type: elementTypes.f64,
        values: f32,
        descending: true,
        suffix: "mine",
        algorithm: workGroupAlgorithms.blelloch,
      }),
    ],
    [
      "work_group_sort_f32_64 items=2",
      "work_group_sort_f32_64(&keys, local_index)",
      workGroupSort({ ...size, type: f32, suffix: "64" }),
    ],
    [
      "work_group_sort_f32 64 subgroups items=2",
      "work_group_sort_f32(&keys, local_index)",
      workGroupSort({ ...size, type: f32, algorithm: workGroupAlgorithms.subgroup }),
    ],
  ])("// wavefold: %s", async (directive, call, set) => {
    const source = kernel(directive, call);
    const code = linkDirectives(source);
    expect(code).toBe(link(source, [set]));
    expect(await failures(device(), [{ title: directive, code }])).toEqual([]);
  });

  test.each([
    ["work_group_sort_f32 items=two", "items=two: it takes the keys of a thread, such as items=4"],
    [
      "work_group_sort_f32 bits=8",
      "bits=8: it takes the first bit and the one after the last, such as bits=0,8",
    ],
    [
      "work_group_sort_f32 bits=0,40",
      "work_group_sort_f32: bits is [0, 40]; it takes [from, to] with 0 <= from < to <= 32",
    ],
    ["work_group_sort_f32 items=0", "work_group_sort_f32: items is 0; it takes 1 to 512"],
    [
      "work_group_sort_Body",
      "work_group_sort_Body: Body is not an element type; the types are u32, i32, f32",
    ],
    ["work_group_sort_pairs_f32_Body", "work_group_sort_pairs_f32_Body: Body is not an element type"],
    ["work_group_sort_pairs_f32", "work_group_sort_pairs_f32 is not a function"],
    ["work_group_sort_f32_u32", "work_group_sort_f32_u32 is not a function"],
    ["work_group_sort_f32_total", "work_group_sort_f32_total is not a function"],
    ["work_group_sort_f32 counter=used", "counter means nothing to work_group_sort_f32"],
    ["work_group_compact items=4", "items means nothing to work_group_compact; it is for work_group_sort"],
    ["work_group_compact bits=0,4", "bits means nothing to work_group_compact; it is for work_group_sort"],
    ["work_group_sort_u32", "work_group_sort_u32 is asked for, and not called"],
  ])("// wavefold: %s is refused", (directive, message) => {
    const make = (): string => linkDirectives(kernel(directive, "work_group_sort_f32(&keys, local_index)"));
    expect(make).toThrow(SourceError);
    expect(make).toThrow(message);
  });
});
