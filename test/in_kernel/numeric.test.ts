import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { workGroupReduce, workGroupScan } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { identityOf, numeric } from "../../src/in_kernel/numeric.ts";
import { textOf } from "../../src/text/pieces.ts";
import { compileKernel } from "../support/buffers.ts";
import { untyped, useFold } from "../support/fold.ts";
import { allTypes, operatorsOf } from "../support/kernels.ts";
import { nagaFailures } from "../support/naga.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { valuesAs } from "../support/random.ts";

const fold = useFold();
const device = useNullDevice();

/** The functions that a file of shaders/numeric/ declares. */
const declaredIn = (name: string): string[] =>
  Array.from(
    readFileSync(new URL(`../../shaders/numeric/${name}.wgsl`, import.meta.url), "utf8").matchAll(
      /^fn (\w+)/gm,
    ),
    ([, own = ""]) => own,
  );

const emulated = [
  [u64, ["int64", "int64_conversions", "int64_arithmetic"]],
  [i64, ["int64", "int64_conversions", "int64_arithmetic"]],
  [
    f64,
    [
      "int64",
      "int64_conversions",
      "int64_arithmetic",
      "binary64",
      "binary64_conversions",
      "binary64_arithmetic",
    ],
  ],
  [f16, ["f16_bits"]],
] as const;

describe("arithmetic that WGSL does not have", () => {
  test.each(emulated.map(([type, files]) => [type.name, type, files] as const))(
    "%s: every function of its files, under its own name, with and without functions that use them, too",
    async (_, type, files) => {
      const functions = numeric(type);
      expect([...functions.names].sort()).toEqual(files.flatMap(declaredIn).sort());
      expect(functions.workGroupMemory).toBe(0);
      const scan = workGroupScan({ type: type as typeof u64, workGroupSize: 32 });
      const texts = functions.names.map((name) => {
        const [, parameters = ""] =
          new RegExp(`fn ${name}\\((.*)\\) ->`).exec(functions.pieces.map(textOf).join("\n")) ?? [];
        const values = parameters.split(/, (?=\w+:)/).map((one) => `${one.replace(/^\w+: /, "")}()`);
        const beside = `fn b(i: u32) -> ${type.value} { return work_group_scan_inclusive_add_${type.name}(${type.value}(), i); }`;
        return { name, call: `fn a() { _ = ${name}(${values.join(", ")}); }`, beside };
      });
      const sources = texts.flatMap(({ name, call, beside }) => [
        { title: name, code: link(call, [functions]) },
        { title: `${name} beside a scan`, code: link(`${call}\n${beside}`, [functions, scan]) },
      ]);
      expect(await failures(device(), sources)).toEqual([]);
      expect(await failures(device(), [{ title: "all", code: functions.code }])).toEqual([]);
      for (const { code } of sources) {
        const names = Array.from(code.matchAll(/^fn (\w+)/gm), ([, name]) => name);
        expect(new Set(names).size, "each function once").toBe(names.length);
      }
    },
  );

  test("a kernel of one's own adds, compares and converts", async () => {
    const code = link(
      `
@group(0) @binding(0) var<storage, read_write> results: array<vec2<u32>>;
@compute @workgroup_size(1)
fn main() {
  results[0] = add_u64(vec2(0xffffffffu, 1u), vec2(1u, 2u));
  results[1] = mul_f64(f64_from_u32(3u), f64_from_i32(-7));
  results[2] = f64_from_f32_bits(0x3fc00000u);
  results[3] = vec2(u32(less_i64(vec2(0u, 0xffffffffu), vec2(5u, 0u))), u32(is_nan_f64(vec2(1u, 0x7ff00000u))));
  results[4] = max_u64(vec2(1u, 0u), vec2(0u, 1u));
}
`,
      [numeric(u64), numeric(f64), numeric(i64)],
    );
    const run = await compileKernel(fold().device, code);
    const [words = new Uint32Array()] = await run([new Uint32Array(10)]);
    expect([...new BigUint64Array(words.buffer, 0, 1)]).toEqual([0x4_0000_0000n]);
    expect([...new Float64Array(words.buffer, 8, 2)]).toEqual([-21, 1.5]);
    expect([...words.subarray(6)]).toEqual([1, 1, 0, 1]);
  });

  test("a struct brings its fields' along, and a type of WGSL's own none", () => {
    const pair = struct({ name: "Pair", fields: { key: u32, sum: f64 } });
    expect(numeric(pair).names).toEqual(numeric(f64).names);
    for (const type of [u32, i32, f32, struct({ name: "Plain", fields: { a: u32 } })]) {
      expect(() => numeric(type)).toThrow(
        `numeric: WGSL has the arithmetic of ${type.name} itself; it takes u64, i64, f64, f16 or a struct of them`,
      );
    }
    expect(() => numeric(undefined as never)).toThrow("numeric: undefined is not an element type");
  });

  test("a name that the kernel declares is refused", () => {
    expect(() => link("fn add_u64() {}\nfn a() { add_u64(); }", [numeric(u64)])).toThrow(
      "kernel: its add_u64 shadows a name of add_u64",
    );
  });
});

describe("identities", () => {
  const names = allTypes.flatMap((type) =>
    operatorsOf(type).map((op) => ({
      type,
      op: untyped(op),
      name: `identity_${monoid(op, type, "test").key}`,
    })),
  );

  test("of every operator on every type: the value that changes nothing, to the bit", async () => {
    for (const type of allTypes) {
      if (type === f16 && !fold().device.features.has("shader-f16")) {
        continue;
      }
      const own = names.filter((one) => one.type === type);
      const functions = own.map(({ op }) => identityOf({ type, op: op as never }));
      const code = link(
        `
@group(0) @binding(0) var<storage, read_write> results: array<${type.value}>;
@compute @workgroup_size(1)
fn main() {
  ${own.map(({ name }, at) => `results[${at}] = ${name}();`).join("\n  ")}
}
`,
        functions,
      );
      const run = await compileKernel(fold().device, code);
      const bytes = Math.ceil((own.length * type.bytes) / 4) * 4;
      const [words = new Uint32Array()] = await run([new Uint32Array(bytes / 4)]);
      const identities = own.map(({ op }) => monoid(op, type, "test").identity);
      const expected = valuesAs(type.name as TypeName, identities as never);
      const value = valuesOf(arrayLike(expected, words.buffer as ArrayBuffer), type);
      own.forEach(({ name }, at) => {
        expect(value(at), name).toBe(identities[at]);
      });
    }
  });

  test("all compile, f16's too, and with naga", async () => {
    const sources = names.map(({ type, op, name }) => ({
      title: name,
      code: link(`fn main() { _ = ${name}(); }`, [identityOf({ type, op: op as never })]),
    }));
    expect(await failures(device(), sources)).toEqual([]);
    expect(nagaFailures(sources)).toEqual([]);
  });

  test("of a struct, beside a function of the same operator", async () => {
    const Sample = struct({ name: "Sample", fields: { time: f64, value: f32 } });
    const latest = operator({
      name: "latest",
      type: Sample,
      identity: { time: Number.NEGATIVE_INFINITY, value: -0 },
      combine: "if (less_f64(later.time, earlier.time)) { return earlier; }\nreturn later;",
      reference: (earlier, later) => (later.time < earlier.time ? earlier : later),
    });
    const functions = [
      workGroupReduce({ type: Sample, op: latest, workGroupSize: 64 }),
      identityOf({ type: Sample, op: latest }),
      numeric(Sample),
    ];
    const code = link(
      `fn a(own: Sample, i: u32) -> Sample {
  var x = own;
  if (less_f64(own.time, f64_from_u32(7u))) { x = identity_latest_Sample(); }
  return work_group_reduce_latest_Sample(x, i);
}`,
      functions,
    );
    expect(await failures(device(), [{ title: "struct", code }])).toEqual([]);
  });

  test("what the operator does not take is refused", () => {
    expect(() => identityOf({ type: f32, op: { ...add, takes: "u32" } as never })).toThrow(
      "identityOf<f32, add>",
    );
    expect(() => identityOf({ type: f32, op: undefined as never })).not.toThrow();
    expect(() => identityOf({ type: u32, op: "add" as never })).toThrow('identityOf: op is "add"');
  });
});

describe("directives", () => {
  const kernel = (ask: string, call: string): string => `${ask}
@compute @workgroup_size(WIDTH) fn main(@builtin(local_invocation_index) i: u32) { ${call} }
const WIDTH = 64u;`;

  test("ask for them by name, without a work-group size", async () => {
    const calls: readonly [string, string][] = [
      ...emulated.flatMap(([type]) =>
        numeric(type)
          .names.filter((name) => /^(add|less|min)_/.test(name))
          .map((name): [string, string] => [name, `_ = ${name}(vec2<u32>(), vec2<u32>());`]),
      ),
      ["f64_from_u32", "_ = f64_from_u32(i);"],
      ["bits_from_f16", "_ = bits_from_f16(1h);"],
      ["identity_max_f32", "_ = identity_max_f32();"],
      ["identity_logical_and_u64", "_ = identity_logical_and_u64();"],
      ["identity_add_f64, add_f64", "_ = add_f64(identity_add_f64(), vec2(i));"],
    ];
    const sources = calls.map(([title, call]) => ({
      title,
      code: linkDirectives(kernel(`// wavefold: ${title}`, call)),
    }));
    expect(await failures(device(), sources)).toEqual([]);
    const mixed = linkDirectives(
      kernel(
        "// wavefold: work_group_reduce_max_f32, identity_max_f32 64 suffix=own",
        "_ = work_group_reduce_max_f32_own(identity_max_f32(), i);",
      ),
    );
    expect(await failures(device(), [{ title: "mixed", code: mixed }])).toEqual([]);
  });

  test.each([
    ["identity_max_f32", "_ = i;", "identity_max_f32 is asked for, and not called"],
    [
      "identity_max_f33",
      "_ = identity_max_f33();",
      "max_f33 does not end in an operator and an element type",
    ],
    ["identity_xor_f32", "_ = identity_xor_f32();", "xor has no meaning on f32"],
    [
      "identity_max_f32_total",
      "_ = identity_max_f32_total();",
      "_total is for scans, and this is an identity",
    ],
    ["add_u64 counter=used", "_ = add_u64(vec2(i), vec2(i));", "counter means nothing to add_u64"],
    ["add_u64 suffix=own", "_ = add_u64(vec2(i), vec2(i));", "suffix means nothing to add_u64"],
    ["add_u64 subgroups", "_ = add_u64(vec2(i), vec2(i));", "subgroups means nothing to add_u64"],
    ["add_u65", "_ = add_u65();", "add_u65 is not a function"],
    [
      "work_group_reduce_max_f32, add_u64",
      "_ = add_u64(vec2(i), vec2(i));",
      "the work-group size is missing",
    ],
  ])("%s", (asked, call, message) => {
    expect(() => linkDirectives(kernel(`// wavefold: ${asked}`, call))).toThrow(`kernel, line 1: `);
    expect(() => linkDirectives(kernel(`// wavefold: ${asked}`, call))).toThrow(message);
  });
});
