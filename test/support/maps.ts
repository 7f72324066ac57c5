import type { AnyArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, min } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { affine, chain } from "./operators.ts";
import { manyMagnitudes, randomBits, randomItems } from "./random.ts";

/** A map, its CPU twin, and what it is combined with. */
export interface MapRow {
  readonly title: string;
  readonly from: ElementType;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly map: string;
  readonly reference: (x: Value, i: number) => Value;
  /** Items that a load and a store have together, where as many divide a thread's run; and a load alone. */
  readonly vector: number;
  readonly loaded: number;
  /** Any items, where it is left out. */
  readonly items?: (length: number, name: string) => AnyArray;
  /** Whether the last bits depend on the order of operations. */
  readonly isOrdered?: boolean;
}

const six = struct({ name: "Six", fields: { a: f16, b: f16, c: f16 } });
const eight = struct({ name: "Eight", fields: { a: i32, b: u32 } });
const twelve = struct({ name: "Twelve", fields: { a: u32, b: u32, c: i32 } });
const sixteen = struct({ name: "Sixteen", fields: { a: u64, b: u32, c: f32 } });
const twenty = struct({ name: "Twenty", fields: { a: u32, b: u32, c: i32, d: u32, e: u32 } });

/** The least value, and the first place that has it. */
const place = struct({ name: "Place", fields: { value: f32, index: u32 } });
const least = operator({
  name: "least",
  type: place,
  identity: { value: 2 ** 100, index: 0xffffffff },
  combine: "if (later.value < earlier.value) { return later; }\nreturn earlier;",
  reference: (earlier, later) => (later.value < earlier.value ? later : earlier),
});
/** The last struct that has no 0 in front. */
const latest = operator({
  name: "latest",
  type: sixteen,
  identity: { a: 0n, b: 0, c: 0 },
  combine: "if (later.b == 0u) { return earlier; }\nreturn later;",
  reference: (earlier, later) => (later.b === 0 ? earlier : later),
});

/** Small whole numbers, as f32: sums of their squares are exact. */
const wholes = (length: number, name: string): AnyArray => {
  const next = randomBits(name);
  return Float32Array.from({ length }, () => (next() % 17) - 8);
};

/** Any f32 but subnormals, which WGSL may flush to zero. */
const anyNormals = (length: number, name: string): AnyArray =>
  (randomItems(f32, length, name) as Float32Array).map((x) => (Math.abs(x) < 2 ** -126 ? 0 : x));

interface TypedRow<From extends Value, To extends Value> {
  readonly title: string;
  readonly from: ElementType<string, From>;
  readonly type: ElementType<string, To>;
  readonly op: unknown;
  readonly map: string;
  readonly reference: (x: From, i: number) => To;
  readonly vector: number;
  readonly loaded?: number;
  readonly items?: MapRow["items"];
  readonly isOrdered?: boolean;
}
const row = <From extends Value, To extends Value>(one: TypedRow<From, To>): MapRow =>
  ({ loaded: one.vector, ...one }) as unknown as MapRow;

/** From and to scalars and structs, of the same size and of others, with vectors of one item to eight. */
export const mapRows: readonly MapRow[] = [
  row({
    title: "u32 by its place, and an operator that does not commute",
    from: u32,
    type: u32,
    op: affine,
    map: "x ^ (i * 2654435761u)",
    reference: (x, i) => (x ^ Math.imul(i, 2654435761)) >>> 0,
    vector: 4,
  }),
  row({
    title: "counts of f32, infinities among them",
    from: f32,
    type: u32,
    op: add,
    map: "select(0u, 1u, x > 0.5) // a comment",
    reference: (x) => (x > 0.5 ? 1 : 0),
    vector: 4,
  }),
  row({
    title: "f32 to f32, NaN among them",
    from: f32,
    type: f32,
    op: max,
    map: "abs(x)",
    reference: Math.abs,
    vector: 4,
    items: anyNormals,
  }),
  row({
    title: "sums of squares",
    from: f32,
    type: f32,
    op: add,
    map: "x * x",
    reference: (x) => x * x,
    vector: 4,
    items: wholes,
  }),
  row({
    title: "i32 to u32, in statements",
    from: i32,
    type: u32,
    op: affine,
    map: "var y = x;\nif (i % 3u == 0u) {\n  y = ~x;\n}\nreturn bitcast<u32>(y);",
    reference: (x, i) => (i % 3 === 0 ? ~x : x) >>> 0,
    vector: 4,
  }),
  row({
    title: "u32 to u64",
    from: u32,
    type: u64,
    op: add,
    map: "u64(x) | (u64(i) << 32)",
    reference: (x, i) => BigInt(x) | (BigInt(i) << 32n),
    vector: 4,
  }),
  row({
    title: "u64 to u32",
    from: u64,
    type: u32,
    op: affine,
    map: "u32(x ^ (x >> 32))",
    reference: (x) => Number((x ^ (x >> 32n)) & 0xffffffffn),
    vector: 4,
    loaded: 2,
  }),
  row({
    title: "i64 to i64",
    from: i64,
    type: i64,
    op: min,
    map: "x - i64(i)",
    reference: (x, i) => BigInt.asIntN(64, x - BigInt(i)),
    vector: 2,
  }),
  row({
    title: "f64 to f64, bit for bit",
    from: f64,
    type: f64,
    op: add,
    map: "x * x",
    reference: (x) => x * x,
    vector: 2,
    items: (length, name) => manyMagnitudes(length, name, 20),
    isOrdered: true,
  }),
  row({
    title: "f64 to f16",
    from: f64,
    type: f16,
    op: max,
    map: "f16(x)",
    reference: (x) => x,
    vector: 8,
    loaded: 2,
    items: (length, name) => manyMagnitudes(length, name, 20),
  }),
  row({
    title: "f16 to u32",
    from: f16,
    type: u32,
    op: add,
    map: "u32(x > 0.5h)",
    reference: (x) => (x > 0.5 ? 1 : 0),
    vector: 8,
  }),
  row({
    title: "three f16 to u32",
    from: six,
    type: u32,
    op: affine,
    map: "u32(x.a) * 65536u + u32(x.c)",
    reference: (x) => (Number(x.a) * 65536 + Number(x.c)) >>> 0,
    vector: 8,
  }),
  row({
    title: "12 bytes to u32",
    from: twelve,
    type: u32,
    op: affine,
    map: "x.a * x.b + bitcast<u32>(x.c)",
    reference: (x) => (Math.imul(x.a, x.b) + x.c) >>> 0,
    vector: 4,
  }),
  row({
    title: "20 bytes to u32",
    from: twenty,
    type: u32,
    op: affine,
    map: "x.a * x.e + x.d",
    reference: (x) => (Math.imul(x.a, x.e) + x.d) >>> 0,
    vector: 1,
  }),
  row({
    title: "24 bytes to u64",
    from: chain.type,
    type: u64,
    op: max,
    map: "u64(x.sum) + x.count",
    reference: (x) => x.sum + BigInt(x.count),
    vector: 2,
  }),
  row({
    title: "u32 to 24 bytes",
    from: u32,
    type: chain.type,
    op: chain,
    map: "Span(i64(x), i32(i), i32(x), 1u)",
    reference: (x, i) => ({ sum: BigInt(x), first: i, last: x | 0, count: 1 }),
    vector: 1,
    loaded: 4,
  }),
  row({
    title: "f32 to the least and its place",
    from: f32,
    type: place,
    op: least,
    map: "Place(x, i)",
    reference: (x, i) => ({ value: x, index: i }),
    vector: 4,
    items: wholes,
  }),
  row({
    title: "8 bytes to f64",
    from: eight,
    type: f64,
    op: add,
    map: "f64(x.a * i32(x.b))",
    reference: (x) => Math.imul(x.a, x.b),
    vector: 2,
  }),
  row({
    title: "16 bytes to 16",
    from: sixteen,
    type: sixteen,
    op: latest,
    map: "Sixteen(x.a + u64(i), x.b * 2u + 1u, x.c)",
    reference: (x, i) => ({ a: x.a + BigInt(i), b: (x.b * 2 + 1) >>> 0, c: x.c }),
    vector: 1,
  }),
];

/** What goes into a row's map. */
export const itemsOf = ({ from, items }: MapRow, length: number, name: string): AnyArray =>
  items === undefined ? randomItems(from, length, name) : items(length, name);

/** What a scan or a reduction on the CPU takes. */
export const twinOf = ({ type, from, op, reference }: MapRow): never =>
  ({ type, from, op, map: reference }) as never;
