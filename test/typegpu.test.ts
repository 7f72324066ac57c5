import { d, tgpu } from "typegpu";
import { describe, expect, expectTypeOf, test } from "vitest";
import { globals } from "webgpu";
import { operator } from "../src/algebra/custom_operator.ts";
import { leavesOf } from "../src/algebra/fields.ts";
import { f16, f32 } from "../src/algebra/floats.ts";
import { i32, u32 } from "../src/algebra/integers.ts";
import type { StructArray } from "../src/algebra/struct.ts";
import { ArgumentError } from "../src/errors.ts";
import { scanReference } from "../src/reference/scan.ts";
import { fromFunction, fromSchema } from "../src/typegpu.ts";
import { expectSameBits } from "./support/compare.ts";
import { useFold } from "./support/fold.ts";
import { randomBits } from "./support/random.ts";

// TypeGPU takes these from a browser's globals.
Object.assign(globalThis, globals);

const fold = useFold();

const Ends = d.struct({ first: d.u32, last: d.u32 }).$name("Ends");
const Particle = d
  .struct({
    id: d.u32,
    position: d.vec3f,
    mass: d.f32,
    ends: Ends,
    cells: d.arrayOf(d.vec2u, 2),
  })
  .$name("Particle");
const ParticleType = fromSchema(Particle);
const COUNT = 1000;

/** Particles as TypeGPU takes them. Sums of their numbers are exact. */
const particles = (name: string): d.Infer<typeof Particle>[] => {
  const next = randomBits(name);
  return Array.from({ length: COUNT }, (_, at) => ({
    id: at + 1,
    position: d.vec3f(next() % 100, (next() % 100) - 50, next() % 7),
    mass: 0.5 * (next() % 8),
    ends: { first: at, last: at + 1 },
    cells: [d.vec2u(next(), at), d.vec2u(next() % 10, 7)],
  }));
};

/** A particle of TypeGPU's as Wavefold has its values. */
const plain = ({ position, cells, ...others }: d.Infer<typeof Particle>) => ({
  ...others,
  position: [position.x, position.y, position.z] as const,
  cells: cells.map(({ x, y }) => [x, y] as const),
});

const together = operator({
  name: "together",
  type: ParticleType,
  identity: ParticleType.array(1).get(0),
  combine: `if (earlier.id == 0u) { return later; }
if (later.id == 0u) { return earlier; }
return Particle(
  later.id,
  earlier.position + later.position,
  earlier.mass + later.mass,
  Ends(earlier.ends.first, later.ends.last),
  array(max(earlier.cells[0], later.cells[0]), earlier.cells[1] + later.cells[1]),
);`,
  reference(earlier, later) {
    if (earlier.id === 0 || later.id === 0) {
      return earlier.id === 0 ? later : earlier;
    }
    const [a, b] = [earlier.position, later.position];
    const pair = (all: typeof earlier.cells, at: number): readonly [number, number] => all[at] ?? [0, 0];
    const [[m, n], [o, p]] = [pair(earlier.cells, 0), pair(later.cells, 0)];
    const [[q, r], [s, t]] = [pair(earlier.cells, 1), pair(later.cells, 1)];
    return {
      id: later.id,
      position: [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
      mass: earlier.mass + later.mass,
      ends: { first: earlier.ends.first, last: later.ends.last },
      cells: [
        [Math.max(m, o), Math.max(n, p)],
        [(q + s) >>> 0, (r + t) >>> 0],
      ],
    };
  },
});

describe("a schema is an element type", () => {
  test("of the same layout", () => {
    const schemas = [
      Particle,
      d.struct({ a: d.f16, b: d.vec3h, c: d.vec2h, d: d.vec4h }).$name("Halves"),
      d.struct({ a: d.i32, b: d.vec2i, c: d.vec4i, d: d.vec3i }).$name("Signed"),
      d.struct({ a: d.u32, b: d.arrayOf(d.vec3f, 2), c: d.f32 }).$name("Listed"),
      d.struct({ a: d.arrayOf(d.struct({ b: d.u32, c: d.vec2f }), 3) }).$name("Nested"),
    ];
    for (const schema of schemas) {
      const type = fromSchema(schema);
      expect([type.bytes, type.native.align], type.declaration).toEqual([
        d.sizeOf(schema),
        d.alignmentOf(schema),
      ]);
      for (const field of Object.keys(schema.propTypes)) {
        const { offset } = d.memoryLayoutOf(
          schema as never,
          ((one: Record<string, unknown>) => one[field]) as never,
        );
        expect((type.offsets as Record<string, number>)[field], `${type.name}.${field}`).toBe(offset);
      }
    }
  });

  test("the same each time, and in other schemas", () => {
    expect(fromSchema(Particle)).toBe(ParticleType);
    expect(ParticleType.fields.ends).toBe(fromSchema(Ends));
    expect(fromSchema(d.u32)).toBe(u32);
    expect([d.i32, d.f32, d.f16].map((one) => fromSchema(one))).toEqual([i32, f32, f16]);
    expect(leavesOf(ParticleType).map(({ access }) => access)).toContain(".cells[1][0]");
  });

  test("a schema without a name that is there twice is one struct", () => {
    const inner = d.struct({ b: d.f32 });
    const type = fromSchema(
      d.struct({ first: inner, second: inner, list: d.arrayOf(inner, 2) }).$name("Twice"),
    );
    expect((type as unknown as { declaration: string }).declaration.match(/struct \w+/g)).toEqual([
      "struct Twice_first",
      "struct Twice",
    ]);
  });

  test("by its name, or by another one", () => {
    expect(ParticleType.name).toBe("Particle");
    expect(fromSchema(d.struct({ a: d.u32 }).$name("small")).name).toBe("Small");
    const unnamed = d.struct({ a: d.u32, inner: d.struct({ b: d.f32 }), list: d.arrayOf(Ends, 2) });
    const named = fromSchema(unnamed, { name: "Outer" });
    expect(named.declaration).toBe(
      [
        "struct Outer_inner {\n  b: f32,\n}",
        "struct Ends {\n  first: u32,\n  last: u32,\n}",
        "struct Outer {\n  a: u32,\n  inner: Outer_inner,\n  list: array<Ends, 2>,\n}",
      ].join("\n"),
    );
    expect(fromSchema(unnamed, { name: "Outer" })).toBe(named);
    expect(fromSchema(unnamed, { name: "Other" }).name).toBe("Other");
    expectTypeOf(named.name).toEqualTypeOf<"Outer">();
  });

  test("with precise values", () => {
    expectTypeOf(ParticleType.array(1).get(0)).toEqualTypeOf<{
      readonly id: number;
      readonly position: readonly [x: number, y: number, z: number];
      readonly mass: number;
      readonly ends: { readonly first: number; readonly last: number };
      readonly cells: readonly (readonly [x: number, y: number])[];
    }>();
    expectTypeOf(fromSchema(d.f32)).toEqualTypeOf<typeof f32>();
  });
});

describe("buffers of TypeGPU's", () => {
  const values = particles("particles");

  test("are scanned and compacted in place, and read by TypeGPU", async () => {
    const { device } = fold();
    const root = tgpu.initFromDevice({ device });
    const buffer = root.createBuffer(d.arrayOf(Particle, COUNT), values).$usage("storage");
    const wrapped = await fold().wrap({ buffer: root.unwrap(buffer), type: ParticleType });
    expect(wrapped.length).toBe(COUNT);
    expect([...(await wrapped.read())]).toEqual(values.map(plain));

    const results = root.createBuffer(d.arrayOf(Particle, COUNT)).$usage("storage");
    const scan = await fold().prepareScan({ type: ParticleType, op: together, maxLength: COUNT });
    const encoder = device.createCommandEncoder();
    scan.record(encoder, { input: root.unwrap(buffer), output: root.unwrap(results), length: COUNT });
    device.queue.submit([encoder.finish()]);
    const expected = scanReference(ParticleType.from(values.map(plain)), { op: together });
    expect((await results.read()).map(plain)).toEqual([...expected]);
    expect([...expected].at(-1)?.ends).toEqual({ first: 0, last: COUNT });

    const kept = await fold().compact(wrapped, { where: "x.position.y > 0.0 && x.cells[1].x < 5u" });
    const wanted = values.filter(({ position, cells }) => position.y > 0 && (cells[1]?.x ?? 0) < 5);
    expect(wanted.length).toBeGreaterThan(50);
    expectSameBits((await kept.read()) as StructArray, ParticleType.from(wanted.map(plain)) as never, "kept");
    const sorted = await fold().sort(wrapped, { key: "x.position.z" });
    expect((await sorted.read()).get(0).position[2]).toBe(0);
    scan.destroy();
    root.destroy();
  });
});

describe("what is no element type", () => {
  const inStruct = (schema: d.AnyData) => () =>
    fromSchema(d.struct({ a: d.u32, field: schema as d.U32 }).$name("Some"));
  const takes =
    "it takes d.u32, d.i32, d.f32, d.f16, vectors of these, d.arrayOf(schema, count) and d.struct(…)";
  test.each<[string, () => unknown, string]>([
    [
      "an atomic",
      inStruct(d.atomic(d.u32)),
      `fromSchema: field field of Some: the schema is d.atomic; ${takes}`,
    ],
    ["a matrix", inStruct(d.mat4x4f), "field field of Some: the schema is d.mat4x4f; it takes"],
    ["a bool", inStruct(d.bool), "field field of Some: the schema is d.bool; it takes"],
    ["a vector of bools", inStruct(d.vec3b), "field field of Some: the schema is d.vec3<bool>; it takes"],
    [
      "another alignment",
      inStruct(d.align(16, d.u32)),
      "field field of Some: the schema is d.decorated; it takes",
    ],
    [
      "an array without a count",
      inStruct(d.arrayOf(d.u32, 0)),
      "the schema is d.array without a count; it takes",
    ],
    [
      "an array of atomics",
      inStruct(d.arrayOf(d.atomic(d.u32), 2)),
      "field field of Some: the schema is d.atomic; it",
    ],
    [
      "a part of a part",
      inStruct(d.struct({ a: d.mat2x2f })),
      "field a of Some_field: the schema is d.mat2x2f; it takes",
    ],
    [
      "an array",
      () => fromSchema(d.arrayOf(Particle, 3)),
      "fromSchema: the schema is d.array; it takes d.struct(…), d.u32, d.i32, d.f32 or d.f16, such as the elementType of this array",
    ],
    ["a vector", () => fromSchema(d.vec3f), "fromSchema: the schema is d.vec3f; it takes d.struct(…), d.u32"],
    [
      "loose data",
      () => fromSchema(d.unstruct({ a: d.u32 })),
      "fromSchema: the schema is d.unstruct; it takes",
    ],
    [
      "an array whose count is to come",
      () => fromSchema(d.arrayOf(d.u32) as never),
      "which is none of TypeGPU's; it takes d.struct(…)",
    ],
    [
      "nothing",
      () => fromSchema(undefined as never),
      "fromSchema: the schema is undefined, which is none of TypeGPU's",
    ],
    [
      "no name",
      () => fromSchema(d.struct({ a: d.u32 })),
      'fromSchema: the struct has no name; give it one by $name("Particle"), or by the option name',
    ],
    [
      "a wrong name",
      () => fromSchema(d.struct({ a: d.u32 }), { name: "a-b" }),
      'struct: name is "a-b"; it takes letters',
    ],
    [
      "a long struct",
      () => fromSchema(d.struct({ a: d.arrayOf(d.f32, 17) }).$name("Long")),
      "fixedArray: array<f32, 17> takes 68 bytes; a struct takes at most 64",
    ],
    [
      "another option",
      () => fromSchema(Ends, { names: "A" } as never),
      "fromSchema: names is no option; it takes name",
    ],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(ArgumentError);
    expect(make).toThrow(message);
  });
});

describe("a function of TypeGPU's as an operator", () => {
  const Inner = d.struct({ least: d.vec2f }).$name("Inner");
  const Box = d.struct({ inner: Inner, most: d.vec2f }).$name("Box");
  const half = tgpu.fn([d.f32], d.f32)`(x) { return x * 0.5; }`.$name("half");
  const around = tgpu.fn([Box, Box], Box)`(earlier, later) {
      return Box(Inner(min(earlier.inner.least, later.inner.least)), max(earlier.most, later.most) * half(2.0));
    }`
    .$uses({ Box, Inner, half })
    .$name("around");
  const identity = {
    inner: { least: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] },
    most: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  } as const;

  test("scans structs, with what it uses", async () => {
    const op = fromFunction(tgpu, around, { identity });
    expect(op.name).toBe("around");
    expect(op.declarations).toContain("fn half(");
    expect(op.declarations).not.toContain("struct");
    const type = fromSchema(Box);
    expect(op.type).toBe(type);
    const next = randomBits("boxes of TypeGPU's");
    const place = (): [number, number] => [next() % 1000, next() % 1000];
    const boxes = type.from(
      Array.from({ length: COUNT }, () => ({ inner: { least: place() }, most: place() })),
    );
    const prefixes = await fold().scan(boxes, { op });
    let least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let most = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = 0; at < COUNT; at++) {
      const box = boxes.get(at);
      least = least.map((one, side) => Math.min(one, box.inner.least[side] ?? 0));
      most = most.map((one, side) => Math.max(one, box.most[side] ?? 0));
      expect(prefixes.get(at)).toEqual({ inner: { least }, most });
    }
  });

  test("reduces scalars in order, under a name of yours", async () => {
    const last = tgpu.fn([d.u32, d.u32], d.u32)`(a, b) { return select(b, a, b == 0u); }`.$name("last");
    const op = fromFunction(tgpu, last, { identity: 0, name: "latest" });
    expect(op.name).toBe("latest");
    const numbers = Uint32Array.from({ length: COUNT }, (_, at) => (at % 7 === 0 ? at : 0));
    expect(await fold().reduce(numbers, { op })).toBe(994);
  });

  test("what is no such function is refused", () => {
    const { u32: number, f32: real } = d;
    const refused = (fn: unknown, options: unknown = { identity: 0 }, by: unknown = tgpu) =>
      expect(() => fromFunction(by as never, fn as never, options as never));
    refused(tgpu.fn([number], number)`(x) { return x; }`).toThrow(
      "fromFunction: the function takes d.u32, and returns d.u32; it takes tgpu.fn([schema, schema], schema), of one schema",
    );
    refused(tgpu.fn([number, real], real)`(x, y) { return y; }`).toThrow(
      "takes d.u32, d.f32, and returns d.f32",
    );
    refused(Math.max).toThrow(ArgumentError);
    refused(undefined).toThrow("the function is undefined");
    const most = tgpu.fn([number, number], number)`(x, y) { return max(x, y); }`.$name("most");
    refused(most, {}).toThrow(/identity/);
    refused(most, null).toThrow(ArgumentError);
    refused(most, { identity: 0, op: 1 }).toThrow(ArgumentError);
    refused(most, { identity: 0 }, {}).toThrow(/tgpu/);
  });
});
