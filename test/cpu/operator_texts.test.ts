import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CustomOperator } from "../../src/algebra/custom_operator.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32, fixedArray, i32, struct, u32, vec2 } from "../../src/algebra/index.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import type { ElementType, StructValue, TypeName, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Numbers } from "../../src/cpu/call.ts";
import { operatorText, operatorTwin } from "../../src/cpu/texts.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { scanReference } from "../../src/reference/index.ts";
import { runProgram } from "../simulator/run_program.ts";
import { affine, chain, first, last } from "../support/operators.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { randomText } from "./random_texts.ts";

function passesOf(op: Parameters<typeof operatorText>[0]): NonNullable<ReturnType<typeof operatorText>> {
  const passes = operatorText(op);
  if (passes === undefined) {
    throw new Error(`there is no code for ${op.name}`);
  }
  return passes;
}

const isStruct = (type: ElementType): type is StructType<string, StructValue> => type.kind === "struct";

/** Structs of a type, and their words. */
function structsOf(
  type: StructType<string, StructValue>,
  make: () => StructValue,
  count: number,
): Uint32Array {
  const array = type.from(Array.from({ length: count }, make));
  return new Uint32Array(array.buffer);
}

/** Requires the loops of an operator to give what its reference gives, and a scan on the device. */
async function requireSame(op: CustomOperator<string, never>, input: Numbers): Promise<void> {
  const { type } = op as unknown as CustomOperator;
  const passes = passesOf(op);
  const identity = op.identity as Value;
  const data = isStruct(type) ? type.over(input.buffer as ArrayBuffer) : input;
  const bytesOf = (result: unknown): Uint8Array => {
    const { buffer, byteOffset, byteLength } = result as Uint8Array;
    return new Uint8Array(buffer, byteOffset, byteLength);
  };
  for (const exclusive of [false, true]) {
    const options = {
      op,
      ...(exclusive && { exclusive }),
      ...(type.name === "f16" && { type: f16 }),
    } as never;
    const output = new (input.constructor as Uint32ArrayConstructor)(input.length);
    new Uint8Array(output.buffer).fill(0xa5);
    const total = passes.scan(input, output, exclusive, identity);
    expect(bytesOf(output)).toEqual(bytesOf(scanReference(data as Uint32Array, options)));
    expect(passes.reduce(input, identity)).toEqual(total);
    if (!exclusive) {
      expect(bytesOf(output)).toEqual(bytesOf(await fold().scan(data as Uint32Array, options)));
      expect(total).toEqual(await fold().reduce(data as Uint32Array, options));
    }
    const inPlace = input.slice();
    expect(passes.scan(inPlace, inPlace, exclusive, undefined)).toEqual(total);
    expect(bytesOf(inPlace)).toEqual(bytesOf(output));
    expect(passes.reduce(input, undefined)).toEqual(total);
    expect(passes.reduce(input.slice(0, 0), undefined)).toEqual(identity);
  }
}

// The simulator has f16, and rounds as WGSL lets it.
let opened: Fold | undefined;
beforeAll(async () => {
  opened = await openFold({ adapter: "simulated" });
});
afterAll(() => opened?.destroy());
const fold = (): Fold => opened as Fold;

/** Two floats, and what lies between others: padding, halves, arrays, and numbers of 64 bits at a multiple of four bytes. */
const mixed = struct({
  name: "Mixed",
  fields: { flag: f16, at: vec2(f32), counts: fixedArray(u32, 2), least: f64, half: f16, id: u64, sum: i32 },
});

const mixedOperator = operator({
  name: "mix_them",
  type: mixed,
  identity: { flag: 0, at: [0, 0], counts: [0, 0], least: Infinity, half: 0, id: 0n, sum: 0 },
  declarations:
    "struct Both { a: vec2<f32>, b: i32 }\nfn both(a: Mixed, b: Mixed) -> Both { return Both(max(a.at, b.at), a.sum + b.sum); }",
  combine: [
    "let highest = both(earlier, later);",
    "var result = earlier;",
    "result.flag = max(earlier.flag, later.flag);",
    "result.at = highest.a;",
    "for (var k = 0u; k < 2u; k++) { result.counts[k] += later.counts[k]; }",
    "result.least = min(earlier.least, later.least);",
    "result.half = select(later.half, earlier.half, later.half == 0.0h);",
    "result.id = earlier.id + later.id * 1;",
    "result.sum = highest.b;",
    "return result;",
  ].join("\n"),
  reference: (earlier, later) => ({
    flag: Math.max(earlier.flag, later.flag),
    at: [Math.max(earlier.at[0], later.at[0]), Math.max(earlier.at[1], later.at[1])],
    counts: [
      ((earlier.counts[0] ?? 0) + (later.counts[0] ?? 0)) >>> 0,
      ((earlier.counts[1] ?? 0) + (later.counts[1] ?? 0)) >>> 0,
    ],
    least: Math.min(earlier.least, later.least),
    half: later.half === 0 ? earlier.half : later.half,
    id: BigInt.asUintN(64, earlier.id + later.id),
    sum: (earlier.sum + later.sum) | 0,
  }),
});

/** x -> a · x + b, of which the later one is applied first: `b` needs the `a` of before. */
const line = operator({
  name: "line",
  type: struct({ name: "Line", fields: { a: u32, b: u32 } }),
  identity: { a: 1, b: 0 },
  combine: "Line(earlier.a * later.a, earlier.a * later.b + earlier.b)",
  reference: (earlier, later) => ({
    a: Math.imul(earlier.a, later.a) >>> 0,
    b: (Math.imul(earlier.a, later.b) + earlier.b) >>> 0,
  }),
});

const scalarOperator = <Of extends TypeName>(
  type: ElementType,
  identity: number | bigint,
  combine: string,
  reference: (earlier: never, later: never) => unknown,
): readonly [string, CustomOperator<string, never>, Of] => [
  `${type.name}: ${combine}`,
  operator({ name: "given", type, identity, combine, reference } as never) as never,
  type.name as Of,
];

describe("operators give what their references and a call give", () => {
  test.for([
    ["affine", affine, "u32"],
    ["first", first, "u32"],
    ["last", last, "u32"],
    scalarOperator(i32, 0, "earlier + later", (a: number, b: number) => (a + b) | 0),
    scalarOperator(f16, -Infinity, "select(earlier, later, later > earlier)", (a: number, b: number) =>
      b > a ? b : a,
    ),
    scalarOperator(f32, 0, "select(earlier, later, abs(later) > abs(earlier))", (a: number, b: number) =>
      Math.abs(b) > Math.abs(a) ? b : a,
    ),
    scalarOperator(u64, 0n, "earlier + later", (a: bigint, b: bigint) => BigInt.asUintN(64, a + b)),
    scalarOperator(i64, 1n, "earlier * later", (a: bigint, b: bigint) => BigInt.asIntN(64, a * b)),
    scalarOperator(
      f64,
      -Infinity,
      "if (later > earlier) { return later; }\nreturn earlier;",
      (a: number, b: number) => (b > a ? b : a),
    ),
  ] as const)("%s", async ([, op, type]) => {
    const items = anyItems(type, 130, "operators") as Numbers;
    // With NaN, the greatest one depends on the order.
    const isNan = (x: number | bigint): boolean =>
      type === "f16" ? (Number(x) & 0x7fff) > 0x7c00 : Number.isNaN(x);
    await requireSame(
      op as never,
      (items as Float64Array).map((x) => (isNan(x) ? 0 : x)),
    );
  });

  test("structs", async () => {
    const next = randomBits("structs of operators");
    const spans = structsOf(
      chain.type as never,
      () => ({ sum: BigInt(next()) - 2n ** 31n, first: next() | 0, last: next() | 0, count: next() % 3 }),
      130,
    );
    await requireSame(chain as never, spans);
    const lines = structsOf(line.type as never, () => ({ a: next() % 5, b: next() }), 130);
    await requireSame(line as never, lines);
    const float = (): number => Math.fround(next() / 2 ** 28);
    const all = structsOf(
      mixed as never,
      () => ({
        flag: (next() % 64) / 8,
        at: [float(), float()],
        counts: [next(), next()],
        least: float() / 3,
        half: next() % 3,
        id: BigInt(next()) << 31n,
        sum: next() | 0,
      }),
      130,
    );
    await requireSame(mixedOperator as never, all);
  });

  test("an operator without a reference has a twin", () => {
    const { combine } = passesOf(
      operator({ name: "dot", type: f32, identity: 0, combine: "earlier * 0.1 + later" }),
    );
    expect(combine(3, 0.5)).toBe(Math.fround(Math.fround(3 * Math.fround(0.1)) + 0.5));
    const twin = passesOf(mixedOperator as never).combine;
    const value = { flag: 0.5, at: [1, 2], counts: [3, 4], least: 0.1, half: 0, id: 5n, sum: -6 };
    const other = {
      flag: 0.25,
      at: [2, 1],
      counts: [4294967295, 1],
      least: 0.2,
      half: 2,
      id: 2n ** 64n - 1n,
      sum: 1,
    };
    expect(twin(value, other)).toEqual(mixedOperator.reference?.(value as never, other as never));
    expect(passesOf(affine as never).combine(0x20003, 0x50007)).toBe(affine.reference?.(0x20003, 0x50007));
  });
});

test("without a start, the first prefix is the first element", () => {
  const sum = operator({ name: "sum", type: f32, identity: 0, combine: "earlier + later" });
  const { scan, reduce } = passesOf(sum);
  const [input, output] = [Float32Array.of(-0, -0, 3), new Float32Array(3)];
  expect(scan(input, output, false, undefined)).toBe(3);
  expect(output).toEqual(Float32Array.of(-0, -0, 3));
  scan(input, output, false, 0);
  expect(output).toEqual(Float32Array.of(0, 0, 3));
  scan(input, output, true, undefined);
  expect(output).toEqual(Float32Array.of(0, -0, -0));
  scan(input, output, true, 7);
  expect(output).toEqual(Float32Array.of(7, 7, 7));
  expect(reduce(input.subarray(0, 2), undefined)).toBe(-0);
  expect(reduce(input.subarray(0, 2), 0)).toBe(0);
  expect(reduce(input, 0.5)).toBe(3.5);
});

test("operators that a compiler of WGSL refuses have no code, nor have those that the CPU does not know", () => {
  const base = { name: "given", type: u32, identity: 0 } as const;
  for (const given of [
    { combine: "earlier + " },
    { combine: "earlier + 1.5" },
    { combine: "missing(earlier, later)" },
    { combine: "help(earlier)", declarations: "fn help(a: u32, b: u32) -> u32 { return a + b; }" },
    { combine: "help(earlier)", declarations: "fn help(a: u32) -> u32 { return help(a); }" },
    {
      combine: "help(earlier)",
      declarations: "var<private> count: u32; fn help(a: u32) -> u32 { count += a; return count; }",
    },
    {
      combine: "help(earlier)",
      declarations:
        "fn help(a: u32) -> u32 { var b = a; more(&b); return b; } fn more(p: ptr<function, u32>) { *p = 2u; }",
    },
    { combine: "K * earlier", declarations: "const K: u64 = 5;" },
    { combine: "K * earlier", declarations: "override K: u32 = 5;" },
  ]) {
    expect(operatorText(operator({ ...base, ...given })), given.combine).toBeUndefined();
  }
  const declarations =
    "const K = 5; alias Word = u32; struct Two { a: Word, b: Word }\nfn help(a: Two) -> Word { return a.a * K + a.b; }";
  const passes = passesOf(operator({ ...base, combine: "help(Two(earlier, later))", declarations }));
  expect(passes.reduce(Uint32Array.of(1, 2, 3), 0)).toBe(1 * 25 + 2 * 5 + 3);
  const hiding = {
    combine: "let K = later;\nreturn help(earlier) + K;",
    declarations: "const K = vec2(50u, 1u);\nfn help(a: u32) -> u32 { return a + K.x; }",
  };
  expect(passesOf(operator({ ...base, ...hiding })).combine(1, 2)).toBe(53);
});

describe("random texts give what the simulator gives", () => {
  const count = 8;
  test.for(Array.from({ length: 4 }, (_, at) => at))("%i", (at) => {
    const next = randomBits(`random texts ${at}`);
    let compiled = 0;
    for (let text = 0; text < count; text++) {
      const { combine, declarations } = randomText(next);
      const op = operator({ name: "random", type: u32, identity: 0, combine, declarations });
      const passes = operatorText(op);
      if (passes === undefined) {
        // Nothing else in such texts is without code on the CPU.
        expect(() => operatorTwin(op), `${declarations}\n${combine}`).toThrow(
          /an array of too many elements|two indices that are not constant|it has \d+ scalars/,
        );
        continue;
      }
      compiled++;
      const [earlier, later] = [
        anyItems("u32", 24, `${at} ${text}`),
        anyItems("u32", 24, `${text} ${at}`),
      ] as const;
      const { words } = runProgram(
        `@group(0) @binding(0) var<storage, read> earlier_items: array<u32>;
@group(0) @binding(1) var<storage, read> later_items: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
${declarations}
fn combine(earlier: u32, later: u32) -> u32 {
${combine}
}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3<u32>) {
  output[id.x] = combine(earlier_items[id.x], later_items[id.x]);
}`,
        [Int32Array.from(earlier as Uint32Array), Int32Array.from(later as Uint32Array), 24],
        [24, 1, 1],
      );
      const given = Array.from(earlier as Uint32Array, (one, k) =>
        passes.combine(one, (later as Uint32Array)[k] as number),
      );
      expect(given, `${declarations}\n${combine}`).toEqual(
        Array.from(new Uint32Array((words[2] as Int32Array).buffer, 0, 24)),
      );
    }
    expect(compiled).toBeGreaterThanOrEqual(count / 2);
  });
});
