import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { link } from "../../src/in_kernel/link.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import { compileKernel } from "../support/buffers.ts";
import { algorithmNames, allowFindings, useFold } from "../support/fold.ts";
import type { Order } from "../support/in_kernel.ts";
import { orders, POISON } from "../support/in_kernel.ts";
import { pairs } from "../support/pairs.ts";
import type { Sorting } from "../support/sort_reference.ts";
import { keyKinds, keysOf, numberOf, sortedPlaces } from "../support/sort_reference.ts";

const fold = useFold();
const { u32, i32, f32, f16, u64, i64, f64 } = elementTypes;

/** A type of values: WGSL that makes one of a number `p`, and that makes the number of a value `v`, if it is one. */
interface Payload {
  readonly type: ElementType;
  readonly made: string;
  readonly number: string;
}

const whole = (from: string, parts: readonly string[]): string =>
  `select(0xbadu, ${from}, ${parts.map((part) => `${part} == ${from}`).join(" && ")})`;
const payloads: Readonly<Record<string, Payload>> = {
  u32: { type: u32, made: "p", number: "v" },
  i32: { type: i32, made: "-i32(p)", number: "u32(-v)" },
  f32: { type: f32, made: "f32(p)", number: "u32(v)" },
  f16: { type: f16, made: "f16(p % 2048u)", number: "u32(v)" },
  u64: { type: u64, made: "vec2(p, ~p)", number: whole("v.x", ["~v.y"]) },
  i64: { type: i64, made: "vec2(~p, p)", number: whole("v.y", ["~v.x"]) },
  f64: { type: f64, made: "vec2(p, p + 7u)", number: whole("v.x", ["(v.y - 7u)"]) },
  struct: {
    type: struct({ name: "Body", fields: { id: u32, mass: f32, age: u64 } }) as ElementType,
    made: "Body(p, f32(p), vec2(p, 3u))",
    number: whole("v.id", ["u32(v.mass)", "v.age.x", "(v.id + v.age.y - 3u)"]),
  },
  vec3f: {
    type: wgslType({ name: "vec3f" }) as unknown as ElementType,
    made: "vec3f(vec3u(p, p + 1u, p + 2u))",
    number: whole("u32(v.x)", ["u32(v.y - 1f)", "u32(v.z - 2f)"]),
  },
  mat2x3f: {
    type: wgslType({ name: "mat2x3f" }) as unknown as ElementType,
    made: "mat2x3f(f32(p), 0, 0, 0, 0, f32(p))",
    number: whole("u32(v[0].x)", ["u32(v[1].z)"]),
  },
  // A struct may have a name of ours.
  nested: {
    type: wgslType({
      name: "two_of",
      wgsl: "array<Element, 2>",
      declarations: "struct Element { at: vec2<u32>, own: array<u32, 3> }",
    }) as unknown as ElementType,
    made: "array(Element(vec2(p, 1u), array(1u, 2u, p)), Element(vec2(5u, p), array(p, 2u, 3u)))",
    number: whole("v[0].at.x", ["v[0].own[2]", "v[1].at.y", "v[1].own[0]"]),
  },
};

interface SortCase extends Sorting {
  readonly values?: keyof typeof payloads | undefined;
  readonly threads: number;
  readonly items: number;
  readonly algorithm?: (typeof algorithmNames)[number];
  /** Whether the function takes a count. */
  readonly partial: boolean;
}

const titleOf = (one: SortCase): string =>
  `${one.type}${one.descending ? " descending" : ""}${one.values === undefined ? "" : ` with ${one.values}`}${one.bits === undefined ? "" : ` by bits ${one.bits.join(" to ")}`}, ${one.threads} × ${one.items}${one.partial ? ", a part" : ""}, ${one.algorithm ?? "hillis-steele"}`;

/** How many items of a tile are sorted, in each of a kernel's rounds. */
const countOf = (round: number, tile: number): number =>
  [tile, tile - 1, tile >> 1, Math.min(3, tile), tile + 5, 0][round] ?? tile;

/** Sorts a tile of each kind of keys, one after another without a barrier, and compares every key and value. */
async function checkSort(one: SortCase, orderNames: readonly Order[]): Promise<void> {
  const { device } = fold();
  const { type: name, descending, bits, threads, items, partial } = one;
  const type = elementTypes[name];
  // Without the feature, the same kernel sorts words that hold an f16's bits.
  const asWords = name === "f16" && !device.features.has("shader-f16");
  const algorithm = workGroupAlgorithms[one.algorithm ?? "hillis-steele"];
  const options = {
    type: type as ElementType<TypeName>,
    items,
    descending,
    workGroupSize: threads,
    algorithm,
    ...(bits && { bits }),
  };
  const payload = one.values === undefined ? undefined : payloads[one.values];
  const functions = payload
    ? workGroupSortPairs({ ...options, values: payload.type })
    : workGroupSort(options);
  const call = functions.names.find((own) => own.endsWith("_partial") === partial);
  const tile = threads * items;
  const code = link(
    `@group(0) @binding(0) var<storage, read_write> input: array<${type.value}>;
@group(0) @binding(1) var<storage, read_write> output: array<${type.value}>;
@group(0) @binding(2) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  let place = places[i];
  for (var round = 0u; round < ${keyKinds.length}u; round++) {
    let first = round * ${tile}u + place * ${items}u;
    var keys: array<${type.value}, ${items}>;
    ${payload ? `var values: array<${payload.type.value}, ${items}>;` : ""}
    for (var item = 0u; item < ${items}u; item++) {
      keys[item] = input[first + item];
      ${payload ? `let p = place * ${items}u + item;\n      values[item] = ${payload.made};` : ""}
    }
    ${call}(&keys${payload ? ", &values" : ""}${partial ? ", counts[round]" : ""}, place);
    for (var item = 0u; item < ${items}u; item++) {
      output[first + item] = keys[item];
      ${payload ? `let v = values[item];\n      numbers[first + item] = ${payload.number};` : "numbers[first + item] = 0u;"}
    }
    _ = counts[0];
  }
}`,
    [functions],
  );
  const run = await compileKernel(
    device,
    asWords
      ? code
          .replace("enable f16;", "")
          .replace("pack2x16float(vec2<f32>(f32(value), 0.0))", "value")
          .replace("f16(unpack2x16float(bits).x)", "bits")
          .replace(/\bf16\b/g, "u32")
      : code,
  );
  const bytes = asWords ? 4 : type.bytes;
  const Words = { 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[bytes] as typeof Uint32Array;
  const length = keyKinds.length * tile;
  const bytesOf = (count: number): number => Math.ceil((count * bytes) / 4) * 4;
  const given = new Words(new ArrayBuffer(bytesOf(length)));
  const tiles = keyKinds.map((kind, round) => {
    const keys = keysOf(kind, tile, one, `${titleOf(one)} ${kind}`);
    keys.forEach((key, at) => {
      given[round * tile + at] = (bytes === 8 ? key : Number(key)) as never;
    });
    return { kind, keys, round };
  });
  const counts = Uint32Array.from(tiles, ({ round }) => countOf(round, tile));
  for (const order of orderNames) {
    const [, sorted, numbers] = await run([
      new Uint32Array(given.buffer.slice(0)),
      new Uint32Array(bytesOf(length) / 4).fill(POISON),
      new Uint32Array(length).fill(POISON),
      orders[order](threads, device.adapterInfo.subgroupMaxSize),
      counts,
    ]);
    const found = new Words(sorted?.buffer as ArrayBuffer);
    for (const { kind, keys, round } of tiles) {
      const from = sortedPlaces(keys, partial ? Math.min(counts[round] ?? 0, tile) : tile, one);
      const title = `${titleOf(one)}, ${order}: ${kind}`;
      // A NaN of a type that WGSL has may get other bits on the way through the kernel.
      const shown = (key: bigint): string =>
        name.startsWith("f") && name !== "f64" && Number.isNaN(numberOf(name, key))
          ? "NaN"
          : key.toString(16);
      const compare = (what: string, own: readonly unknown[], wanted: readonly unknown[]): void => {
        const wrong = wanted.flatMap((value, at) =>
          own[at] === value ? [] : [`${at}: ${own[at]}, not ${value}`],
        );
        expect(wrong.slice(0, 5), `${title}: ${what}`).toEqual([]);
      };
      compare(
        "keys",
        Array.from(found.subarray(round * tile, (round + 1) * tile), (key) => shown(BigInt(key))),
        from.map((place) => shown(keys[place] as bigint)),
      );
      if (payload) {
        compare(
          "values",
          [...(numbers?.subarray(round * tile, (round + 1) * tile) ?? [])],
          one.values === "f16" ? from.map((place) => place % 2048) : from,
        );
      }
    }
  }
}

const names = Object.keys(elementTypes) as TypeName[];
const orderNames = Object.keys(orders) as Order[];
/** Work-groups and items of a thread: of one, of no power of two, of many, and of items that stay in loops. */
const shapes: readonly (readonly [threads: number, items: number])[] = [
  [1, 1],
  [1, 7],
  [2, 3],
  [3, 1],
  [7, 2],
  [32, 4],
  [33, 3],
  [64, 1],
  [100, 2],
  [128, 2],
  [9, 17],
  [4, 32],
  [256, 1],
  [20, 8],
  [5, 16],
];

const shapeOf = (at: number): readonly [threads: number, items: number] =>
  shapes[at % shapes.length] ?? [1, 1];

/** Some orders of lanes, in turn. */
const ordersOf = (number: number): Order[] => [
  ...new Set<Order>(["in order", orderNames[number % orderNames.length] ?? "backwards"]),
];

const allValues = [undefined, ...Object.keys(payloads)];
const ofTypes = pairs({ type: names, descending: [false, true], partial: [true, false] }).map(
  (row, number): SortCase => {
    const [threads, items] = shapeOf(number);
    return { ...row, values: allValues[number % allValues.length], threads, items };
  },
);

describe("every type of keys, direction and type of values", () => {
  test.for(ofTypes.map((row, number) => [titleOf(row), row, number] as const))(
    "%s",
    async ([, row, number], { skip }) => {
      const isMissing = row.values === "f16" && !fold().device.features.has("shader-f16");
      skip(isMissing, "the adapter has no shader-f16");
      await checkSort(row, ordersOf(number));
    },
  );
});

const ofShapes = [
  ...shapes.map(([threads, items], at) => ({ threads, items, algorithm: algorithmNames[at % 3] })),
  ...pairs({ shape: [[33, 3] as const], algorithm: algorithmNames }).map(
    ({ shape: [threads, items], algorithm }) => ({ threads, items, algorithm }),
  ),
].map(
  ({ algorithm = "subgroup", ...shape }, at): SortCase => ({
    ...shape,
    algorithm,
    type: (["u32", "f64", "f32"] as const)[at % 3] ?? "u32",
    descending: at % 2 === 0,
    values: "u32",
    partial: shape.threads % 2 === 0,
  }),
);

describe("every shape, however lanes map to threads", () => {
  test.each(ofShapes.map((row, number) => [titleOf(row), row, number] as const))(
    "%s",
    async (_, row, number) => {
      // Where the numbers of subgroups are not those of their lanes, some store totals at one place before they see that. Nothing reads them.
      if (row.algorithm === "subgroup") {
        allowFindings();
      }
      // Those of the shapes that all algorithms take are in every order.
      await checkSort(row, number < shapes.length ? ordersOf(number) : orderNames);
    },
  );
});

const ranges = (width: number): (readonly [number, number])[] => [
  [0, 1],
  [width - 1, width],
  [3, 7],
  [0, 5],
  [5, width - 2],
  [width / 2 - 2, width / 2 + 2],
  [width / 2 - 1, width / 2],
  [0, width / 2],
  [width / 2, width],
  [width - 7, width],
  [width - 9, width - 7],
  [1, width],
];
/** All ranges of keys of one word, and of two. */
const ofBits = (
  [
    ["u32", "f16", "i32", "f32"],
    ["u64", "f64", "i64"],
  ] as const
).flatMap((types) =>
  ranges(8 * elementTypes[types[0]].bytes).flatMap((_, number): SortCase[] => {
    const type = types[number % types.length] as TypeName;
    const bits = ranges(8 * elementTypes[type].bytes)[number] ?? [0, 1];
    const [threads, items] = ([[33, 3] as const, [32, 1] as const, [10, 9] as const] as const)[
      number % 3
    ] ?? [1, 1];
    return [
      {
        type,
        descending: number % 2 === 1,
        values: number % 4 < 2 ? "u32" : undefined,
        threads,
        items,
        bits,
        partial: number % 3 === 0,
        algorithm: algorithmNames[(number >> 1) % algorithmNames.length] ?? "subgroup",
      },
    ];
  }),
);

describe("by some bits", () => {
  test.each(ofBits.map((one) => [titleOf(one), one] as const))("%s", async (_, one) => {
    await checkSort(one, ["in order"]);
  });
});

test("keys past the count are not written, not even with the bits that they have", async () => {
  const sort = workGroupSort({ type: u32, items: 3, workGroupSize: 4 });
  const code = link(
    `@group(0) @binding(0) var<storage, read_write> data: array<array<u32, 3>, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var keys = data[i];
  work_group_sort_u32_partial(&keys, 7u, i);
  data[i] = keys;
}`,
    [sort],
  );
  // Each key that is written comes out greater by a thousand.
  const marked = code.replace(/(fn _key_from_bits\w*\(x: vec2<u32>\) -> u32 \{\s*return x\.x)/, "$1 + 1000u");
  expect(marked).not.toBe(code);
  const run = await compileKernel(fold().device, marked);
  const [data] = await run([Uint32Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 10)]);
  expect([...(data ?? [])]).toEqual([1003, 1004, 1005, 1006, 1007, 1008, 1009, 2, 1, 0, 11, 10]);
});
