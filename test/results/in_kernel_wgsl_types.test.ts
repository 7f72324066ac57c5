import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { WgslType } from "../../src/algebra/types.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { ArgumentError } from "../../src/errors.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileShuffle, workGroupBroadcast } from "../../src/in_kernel/exchange.ts";
import { workGroupReduce } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { identityOf } from "../../src/in_kernel/numeric.ts";
import { compileKernel } from "../support/buffers.ts";
import { untyped, useFold } from "../support/fold.ts";
import type { Case } from "../support/in_kernel.ts";
import { checkFunctions, everyOther } from "../support/in_kernel.ts";
import { operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { pairs } from "../support/pairs.ts";

const fold = useFold();
const device = useNullDevice();

/** Two maps x -> a·x + b, as the CPU has them: the earlier is applied first, so that they do not commute. */
const Flat = struct({ name: "Flat", fields: { a: u32, b: u32, c: u32, d: u32 } });
const then = (a: number, b: number, c: number, d: number): [number, number] => [
  Math.imul(a, c) >>> 0,
  (Math.imul(c, b) + d) >>> 0,
];
const flat = operator({
  name: "then",
  type: Flat,
  identity: { a: 1, b: 0, c: 1, d: 0 },
  combine: "earlier",
  reference(earlier, later) {
    const [a, b] = then(earlier.a, earlier.b, later.a, later.b);
    const [c, d] = then(earlier.c, earlier.d, later.c, later.d);
    return { a, b, c, d };
  },
});

/** The same 16 bytes in WGSL: where the four words are, how a value is made of them, and structs. */
const shapes: readonly (readonly [
  name: string,
  wgsl: string,
  words: readonly string[],
  made: string,
  structs?: string,
])[] = [
  ["vec4u", "vec4u", [".x", ".y", ".z", ".w"], "vec4u($)"],
  ["pairs", "array<vec2<u32>, 2>", ["[0].x", "[0].y", "[1].x", "[1].y"], "pairs_of($)"],
  [
    "Three",
    "Three",
    [".head.x", ".head.y", ".head.z", ".tail"],
    "three_of($)",
    "struct Three { head: vec3<u32>, tail: u32 }",
  ],
  [
    "Nested",
    "Nested",
    [".both[0].left", ".both[0].right", ".both[1].left", ".both[1].right"],
    "nested_of($)",
    // A struct may have a name of ours, and stand after the one that uses it.
    "struct Nested {\n  both: array<Element, 2>, // two\n}\nstruct Element { left: u32, right: u32, }",
  ],
];
const makers = {
  vec4u: "",
  pairs:
    "fn pairs_of(a: u32, b: u32, c: u32, d: u32) -> array<vec2<u32>, 2> { return array<vec2<u32>, 2>(vec2(a, b), vec2(c, d)); }",
  Three: "fn three_of(a: u32, b: u32, c: u32, d: u32) -> Three { return Three(vec3(a, b, c), d); }",
  Nested:
    "fn nested_of(a: u32, b: u32, c: u32, d: u32) -> Nested { return Nested(array<Element, 2>(Element(a, b), Element(c, d))); }",
} as const;

const cases = shapes.flatMap(([name, wgsl, words, made, declarations = ""]) =>
  [true, false].map((hasIdentity) => {
    const type = wgslType({ name, wgsl, declarations });
    const [a, b, c, d] = words;
    const parts = [
      `earlier${a} * later${a}`,
      `later${a} * earlier${b} + later${b}`,
      `earlier${c} * later${c}`,
      `later${c} * earlier${d} + later${d}`,
    ];
    const identities: Record<string, string> = {
      vec4u: "vec4u(1u, 0u, 1u, 0u)",
      pairs: "array<vec2<u32>, 2>(vec2(1u, 0u), vec2(1u, 0u))",
      Three: "Three(vec3(1u, 0u, 1u), 0u)",
      Nested: "Nested(array<Element, 2>(Element(1u, 0u), Element(1u, 0u)))",
    };
    const op = operator({
      name: "then",
      type,
      combine: made.replace("$", parts.join(", ")),
      declarations: makers[name as keyof typeof makers],
      ...(hasIdentity && { identity: identities[name] ?? "" }),
    });
    const of: Case = {
      type: Flat,
      op: untyped(flat),
      value: wgsl,
      ...(!hasIdentity && { nothing: { a: 0, b: 0, c: 0, d: 0 } }),
    };
    return { name, type: type as WgslType, op: untyped(op), of, hasIdentity };
  }),
);
const all = pairs({
  number: [0, 1, 2, 3],
  algorithm: ["hillis-steele", "blelloch", "subgroup"] as const,
  hasIdentity: [true, false],
}).map(({ number, algorithm, hasIdentity }) => {
  return { ...(cases[2 * number + Number(!hasIdentity)] as (typeof cases)[number]), number, algorithm };
});

describe("elements of WGSL types", () => {
  test.each(all)(
    "$name, $algorithm, identity $hasIdentity",
    async ({ number, type, op, of, algorithm, name }) => {
      const threads = 20;
      const functions = [
        ...operatorFunctions(type, op, algorithm, threads, false, [8]),
        ...segmentedFunctions(type, op, algorithm, threads, [8]),
      ];
      const names = everyOther(
        functions.flatMap((set) => set.names),
        number,
      ).filter((_, at) => at % 4 === number);
      const called = functions.filter((set) => set.names.some((one) => names.includes(one)));
      await checkFunctions(fold().device, of, called, names, [threads], `${name} ${algorithm}`);
    },
  );
});

test.each(shapes.map((shape) => ({ name: shape[0], shape })))(
  "values of $name are shuffled and broadcast",
  async ({ shape: [name, wgsl, words, made, declarations = ""] }) => {
    const type = wgslType({ name, wgsl, declarations });
    for (const algorithm of [workGroupAlgorithms["hillis-steele"], workGroupAlgorithms.subgroup]) {
      const functions = [
        threadTileShuffle({ type, tileSize: 4, workGroupSize: 12, algorithm }),
        workGroupBroadcast({ type, workGroupSize: 12 }),
      ];
      const code = link(
        `@group(0) @binding(0) var<storage, read_write> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
${makers[name as keyof typeof makers]}
@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = input[i];
  let value = ${made.replace("$", "x.x, x.y, x.z, x.w")};
  let moved = thread_tile_4_shuffle_xor_${name}(value, 3u, i);
  let last = work_group_broadcast_${name}(value, 11u, i);
  output[2u * i] = vec4(${words.map((word) => `moved${word}`).join(", ")});
  output[2u * i + 1u] = vec4(${words.map((word) => `last${word}`).join(", ")});
}`,
        functions,
      );
      const run = await compileKernel(fold().device, code);
      const input = Uint32Array.from({ length: 48 }, (_, at) => 1000 + at);
      const [, output] = await run([input, new Uint32Array(96)]);
      const wordsAt = (thread: number): number[] => [...input.subarray(4 * thread, 4 * thread + 4)];
      expect([...(output ?? [])]).toEqual(
        Array.from({ length: 12 }, (_, thread) => [...wordsAt(thread ^ 3), ...wordsAt(11)]).flat(),
      );
    }
  },
);

test.each([
  ["vec3f", 16],
  ["vec3<f16>", 8],
  ["vec2h", 4],
  ["mat3x2<f32>", 24],
  ["mat2x3f", 32],
  ["array<array<vec3<f32>, 2>, 3>", 96],
  ["array<f16, 3>", 6],
])("%s takes %i bytes of work-group memory, and all algorithms compile", async (wgsl, bytes) => {
  const type = wgslType({ name: "Own", wgsl });
  const op = operator({ name: "latest", type, combine: "later" });
  expect(workGroupBroadcast({ type, workGroupSize: 3 }).workGroupMemory).toBe(Math.ceil(bytes / 16) * 16);
  const sources = Object.values(workGroupAlgorithms).map((algorithm) => ({
    title: wgsl,
    code: link(
      `${/f16|h/.test(wgsl) ? "enable f16;" : ""}
fn a() { _ = work_group_reduce_latest_Own(${wgsl}(), 0u); }`,
      [workGroupReduce({ type, op, workGroupSize: 32, algorithm })],
    ),
  }));
  expect(await failures(device(), sources)).toEqual([]);
});

test("an identity is a function, too", async () => {
  const identities = cases.filter(({ hasIdentity }) => hasIdentity);
  const sources = identities.map(({ name, type, op }) => ({
    title: name,
    code: link(`fn a() { _ = identity_then_${name}(); }`, [identityOf({ type, op } as never)]),
  }));
  expect(sources).toHaveLength(4);
  expect(await failures(device(), sources)).toEqual([]);
  expect(() => wgslType({ name: "vec3f", declaration: "" } as never)).toThrow(
    "wgslType takes no option declaration; did you mean declarations?",
  );
  expect(() => identityOf(cases[1] as never)).toThrow(/^identityOf: \w+ is no option|has no identity/);
});

test.each<[string, () => unknown, string]>([
  [
    "a type that is none",
    () => wgslType({ name: "Own", wgsl: "vec5<f32>" }),
    "wgslType Own: vec5<f32> is not understood; it takes u32, i32, f32, f16, vectors and matrices of them, arrays of a literal length, and the structs of its declarations",
  ],
  ["a bool", () => wgslType({ name: "Own", wgsl: "bool" }), "bool is not understood"],
  [
    "an array of no length",
    () => wgslType({ name: "Own", wgsl: "array<u32>" }),
    "array<u32> is not understood",
  ],
  [
    "a struct of itself",
    () => wgslType({ name: "Own", declarations: "struct Own { own: Own }" }),
    "Own is not understood",
  ],
  [
    "attributes",
    () => wgslType({ name: "Own", declarations: "struct Own { @align(16) a: u32 }" }),
    "declarations is a struct Own; it takes structs without attributes",
  ],
  [
    "a function",
    () => wgslType({ name: "Own", declarations: "fn own() {}" }),
    "declarations is a fn own; it takes structs without attributes",
  ],
  ["a name that is none", () => wgslType({ name: "2u" }), 'name is "2u"; it takes letters'],
  [
    "an array without a name",
    () => wgslType({ name: "array<u32, 2>" }),
    'it takes { name: "array_u32_2", wgsl: "array<u32, 2>" }, with any name',
  ],
  [
    "an identity that is no text",
    () => operator({ name: "o", type: wgslType({ name: "vec2f" }), identity: 0 as never, combine: "later" }),
    "operator o: the identity 0 is no WGSL expression of vec2f",
  ],
  [
    "an operator of the table",
    () => workGroupReduce({ type: wgslType({ name: "vec2f" }), op: add, workGroupSize: 32 } as never),
    "workGroupReduce<vec2f, add>: add has no meaning on vec2f; it takes operator({ type: vec2f, … })",
  ],
])("%s is refused", (_, action, message) => {
  expect(action).toThrow(ArgumentError);
  expect(action).toThrow(message);
});

test("only in-kernel functions take it", async () => {
  const type = wgslType({ name: "vec2f" });
  const op = operator({ name: "o", type, identity: "vec2f()", combine: "earlier + later" });
  await expect(fold().prepareReduce({ type, op, maxLength: 3 } as never)).rejects.toThrow(
    "vec2f is not an element type",
  );
  await expect(fold().prepareCompact({ type, where: "true", maxLength: 3 } as never)).rejects.toThrow(
    "vec2f is not an element type",
  );
});

test("functions that move an array of a caller's structs bring the struct along", async () => {
  const type = wgslType({
    name: "Owns",
    wgsl: "array<Own, 2>",
    declarations: "struct Own { a: u32, b: vec2<u32> }",
  });
  const made = [
    workGroupBroadcast({ type, workGroupSize: 8 }),
    threadTileShuffle({ type, tileSize: 4, workGroupSize: 8 }),
  ];
  for (const { code, names } of made) {
    expect(code).toContain("struct Own ");
    expect(await failures(device(), [{ title: names[0] ?? "", code }])).toEqual([]);
  }
});
