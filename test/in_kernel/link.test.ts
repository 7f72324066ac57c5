import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add, and, max, mul } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { ArgumentError, SourceError } from "../../src/errors.ts";
import type { WorkGroupAlgorithm } from "../../src/in_kernel/algorithms.ts";
import { blelloch, subgroup, subgroupOf } from "../../src/in_kernel/algorithms.ts";
import {
  threadTileCoalescedReduce,
  threadTileCoalescedScan,
  threadTileCoalescedScanUpdate,
} from "../../src/in_kernel/coalesced_tiles.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "../../src/in_kernel/exchange.ts";
import {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { identityOf, numeric } from "../../src/in_kernel/numeric.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "../../src/in_kernel/segmented.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import { cpuSeconds } from "../support/cpu_seconds.ts";
import { failures, useNullDevice } from "../support/null_device.ts";

const device = useNullDevice();
const call = "fn main() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }";
const scan = (workGroupSize: number) => workGroupScan({ type: u32, workGroupSize });

test("two work-group sizes live in one module, one of them with a suffix", () => {
  expect(() => link(call, [scan(32), scan(64)])).toThrow(
    /^kernel: work_group_scan_inclusive_add_u32 is given twice; give one a suffix$/,
  );
  const both =
    "fn a() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }\nfn b() { _ = work_group_scan_inclusive_add_u32_64(1u, 0u); }";
  const code = link(both, [scan(32), workGroupScan({ type: u32, workGroupSize: 64, suffix: "64" })]);
  expect(code).toContain("var<workgroup> _hillis_steele_elements_add_u32_32: array<u32, 2u * 32u>;");
  expect(code).toContain("var<workgroup> _hillis_steele_elements_add_u32_64_64: array<u32, 2u * 64u>;");
  // Functions that the kernel does not call may clash.
  expect(link("fn main() {}", [scan(32), scan(64)])).toBe("fn main() {}");
});

test("a function that is called, and neither given nor declared, is refused", () => {
  const least = operator({ name: "least", type: u32, combine: "min(earlier, later)" });
  const callsLeast = "fn main() { _ = work_group_reduce_least_u32(1u, 0u); }";
  for (const [kernel, functions, name] of [
    [call, [], "work_group_scan_inclusive_add_u32"],
    [call, [workGroupReduce({ type: u32, workGroupSize: 64 })], "work_group_scan_inclusive_add_u32"],
    [call.replace("u32(", "u32_64("), [scan(64)], "work_group_scan_inclusive_add_u32_64"],
    [`// wavefold work_group_reduce_least_u32 64\n${callsLeast}`, [], "work_group_reduce_least_u32"],
  ] as const) {
    const act = () => link(kernel, functions, { name: "a.wgsl" });
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(`a.wgsl: it calls ${name}, which none of the functions has; give that function, too`);
    expect(act).toThrow(expect.objectContaining({ option: "functions" }));
  }
  const declared = `${callsLeast}\nfn work_group_reduce_least_u32(x: u32, i: u32) -> u32 { return x; }`;
  expect(link(declared, [])).toBe(declared);
  // Directives and functions of an operator's own are linked one after the other, in either order.
  const both = `// wavefold: work_group_scan_inclusive_add_u32 64\n${call}\n${callsLeast.replace("main", "b")}`;
  const given = [workGroupReduce({ type: u32, op: least, workGroupSize: 64 })];
  expect(link(linkDirectives(both), given)).toContain("_work_group_reduce_least_u32_64(");
  expect(linkDirectives(link(both, given))).toContain("_work_group_scan_inclusive_add_u32_64(");
});

test("a byte order mark is not text, and what is no text is refused", () => {
  expect(link(`\uFEFF${call}`, [scan(32)])).toBe(link(call, [scan(32)]));
  expect(() => link(Buffer.from(call) as unknown as string, [])).toThrow(
    "link: kernel is of the class Uint8Array; it takes WGSL text, as a string",
  );
});

test("two work-group sizes of functions with other names share nothing that differs", async () => {
  const code = link(
    "fn a() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }\nfn b() { _ = work_group_reduce_add_u32(1u, 0u); }",
    [scan(32), workGroupReduce({ type: u32, workGroupSize: 64 })],
  );
  expect(code.match(/var<workgroup> _hillis_steele_(elements|tree)_add_u32_(32|64)/g)).toHaveLength(2);
  expect(await failures(device(), [{ title: "two sizes", code }])).toEqual([]);
});

test("names that clash are refused", () => {
  for (const own of ["fn _combine_add_u32_32() {}", "var<private>\n_combine_add_u32_32 : u32;"]) {
    expect(() => link(`${call}\n${own}`, [scan(32)], { name: "a.wgsl" })).toThrow(
      /^a\.wgsl: its _combine_add_u32_32 shadows a name of \w+$/,
    );
    // Not where it is in a comment, nor where nothing has the name.
    expect(() => link(`${call}\n/* ${own} */`, [scan(32)])).not.toThrow();
    expect(() => link(`${call}\n${own}`, [scan(64)])).not.toThrow();
  }
  const other = workGroupScan({ type: u32, workGroupSize: 32, algorithm: blelloch });
  expect(() => link(call, [scan(32), other])).toThrow(
    "kernel: _work_group_scan_inclusive_add_u32_32 is given twice; give one a suffix",
  );
  const suffixed = workGroupScan({ type: u32, workGroupSize: 32, algorithm: blelloch, suffix: "tree" });
  expect(
    link(
      "fn a() { _ = work_group_scan_inclusive_add_u32(1u, 0u) + work_group_scan_inclusive_add_u32_tree(1u, 0u); }",
      [scan(32), suffixed],
    ),
  ).toContain("fn work_group_scan_inclusive_add_u32_tree(");
});

describe("a name that a kernel declares, and that a linked function takes from WGSL,", () => {
  const least = operator({
    name: "least",
    type: u32,
    identity: 0xffffffff,
    combine: "pick(earlier, later)",
    declarations: "fn pick(a: u32, b: u32) -> u32 { let abs = a; return min(abs, b); }",
    reference: Math.min,
  });
  const ofMax = workGroupReduce({ type: u32, op: max, workGroupSize: 32 });
  const ofLeast = workGroupReduce({ type: u32, op: least, workGroupSize: 32 });
  const ofPairs = workGroupReduce({ type: u64, workGroupSize: 32 });
  const callsMax = "fn main() { _ = work_group_reduce_max_u32(1u, 0u); }";
  const callsLeast = "fn main() { _ = work_group_reduce_least_u32(1u, 0u); }";
  const callsPairs = "fn main() { _ = work_group_reduce_add_u64(vec2(1u), 0u); }";
  const atomic = workGroupScanUpdate({ type: u32, workGroupSize: 32, counter: "used" });
  const callsAtomic =
    "var<workgroup> used: atomic<u32>;\nfn main() { _ = work_group_scan_inclusive_add_u32_update(1u, 0u); }";

  test.each<[string, string, InKernelFunctions, string, string]>([
    ["max", callsMax, ofMax, "fn max(a: u32, b: u32) -> u32 { return a; }", "_combine_max_u32_32"],
    ["min", callsLeast, ofLeast, "fn min(a: u32, b: u32) -> u32 { return a; }", "_callers_pick_least_u32_32"],
    ["u32", callsMax, ofMax, "alias u32 = i32;", "work_group_reduce_max_u32"],
    ["vec2", callsPairs, ofPairs, "struct vec2 { x: f32 }", "_combine_add_u64_32"],
    ["workgroupBarrier", callsMax, ofMax, "fn workgroupBarrier() {}", "_work_group_reduce_max_u32_32"],
    [
      "vec2",
      "fn main() { _ = add_u64(vec2(1u), vec2(1u)); }",
      numeric(u64),
      "override vec2 = 1u;",
      "add_u64",
    ],
    ["atomicAdd", callsAtomic, atomic, "const atomicAdd = 1u;", "_counter_update_add_u32_32"],
    // An address space, which stands right after `var<`; and a type, which stands after the operator `&`.
    ["workgroup", callsMax, ofMax, "const workgroup = 1u;", "_hillis_steele_tree_max_u32_32"],
    ["vec4", "fn main() { _ = mul_f64(vec2(1u), vec2(1u)); }", numeric(f64), "fn vec4() {}", "_limbs_f64"],
  ])("%s is refused", (word, kernel, functions, declared, user) => {
    const all = `${kernel}\n${declared}`;
    expect(() => link(all, [functions], { name: "a.wgsl" })).toThrow(ArgumentError);
    expect(() => link(all, [functions], { name: "a.wgsl" })).toThrow(
      `a.wgsl: its ${word} shadows a name of ${user}`,
    );
    // Nothing is hidden where nothing is linked, nor by a comment or a variable inside a function.
    expect(() => link(declared, [functions])).not.toThrow();
    expect(() => link(`${kernel}\n// ${declared}\nfn f() { let ${word} = 1u; }`, [functions])).not.toThrow();
  });

  test("is none where a counter or a capacity has it: those are the kernel's", async () => {
    const allocate = workGroupAllocate({ workGroupSize: 32, counter: "abs", capacity: "sign" });
    const kernel =
      "var<workgroup> abs: atomic<u32>;\nconst sign = 8u;\nfn main() { _ = work_group_allocate(1u, 0u); }";
    expect(await failures(device(), [{ title: "capacity", code: link(kernel, [allocate]) }])).toEqual([]);
    expect(() => link(`${kernel}\nfn min() {}`, [allocate])).toThrow("kernel: its min shadows a name of _");
  });

  test("is told at its line where directives link", () => {
    const kernel = `// wavefold: work_group_reduce_max_u32 32\n${callsMax}\nfn max(a: u32, b: u32) -> u32 { return a; }`;
    const cause = (() => {
      try {
        return linkDirectives(kernel, { name: "a.wgsl" });
      } catch (error) {
        return error;
      }
    })();
    expect(cause).toBeInstanceOf(SourceError);
    expect(cause).toMatchObject({
      message:
        "a.wgsl, line 3: the name max is taken by a linked function; choose another, or if the text is linked already, leave its // wavefold: lines out",
      line: 3,
    });
  });

  test("is refused of no other name: what is linked neither uses it, nor hides it from itself", async () => {
    // A function that is not linked uses the first; the others are variables and parameters of linked functions.
    const names = [
      "clamp",
      "abs",
      "a",
      "side",
      "prefix",
      "element",
      "value",
      "distance",
      "earlier",
      "total",
      "i",
    ];
    const declared = names.map((name) => `fn ${name}(x: u32) -> u32 { return x; }`).join("\n");
    const minimum = "fn min(a: u32, b: u32) -> u32 { return a; }";
    const sources = [
      [callsLeast, [ofLeast]],
      [`${callsMax}\n${minimum}`, [ofMax]],
      [`${callsPairs}\n${minimum}`, [ofPairs]],
      [`${call}\n${minimum}\nfn max() {}`, [scan(32), ofMax]],
      [callsAtomic, [atomic]],
    ] as const;
    expect(
      await failures(
        device(),
        sources.map(([kernel, functions]) => ({
          title: kernel,
          code: link(`${kernel}\n${declared}`, functions),
        })),
      ),
    ).toEqual([]);
  });
});

test("helpers that are the same are there once", () => {
  const wide = [add, max].map((op) => workGroupReduce({ type: u64, op, workGroupSize: 32 }));
  const tile = threadTileScan({ type: u64, tileSize: 8, workGroupSize: 32 });
  const code = link(
    "fn a(x: vec2<u32>) { _ = work_group_reduce_add_u64(x, 0u); _ = work_group_reduce_max_u64(x, 0u); _ = thread_tile_8_scan_inclusive_add_u64(x, 0u); }",
    [...wide, tile],
  );
  expect(code.match(/fn _add_u64\(/g)).toHaveLength(1);
  expect(code.match(/fn _less_u64\(/g)).toHaveLength(1);
});

test("the kernel's lines keep their numbers, and its late directives come first", () => {
  const kernel =
    "// a comment; enable nothing;\nfn a() {}\nenable f16;\ndiagnostic(off, derivative_uniformity);\n@diagnostic(off, derivative_uniformity) fn b() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }";
  const code = link(kernel, [workGroupScan({ type: u32, workGroupSize: 32, algorithm: subgroup })]);
  const lines = code.split("\n");
  expect(lines[0]).toBe(
    "diagnostic(off, derivative_uniformity); enable f16; enable subgroups; // a comment; enable nothing;",
  );
  expect(lines.slice(1, 5).map((line) => line.trimEnd())).toEqual([
    "fn a() {}",
    "",
    "",
    kernel.split("\n")[4],
  ]);
});

test.each([
  ["nested", "/* /* */ enable f16; fn _combine_add_u32_32() {} */"],
  ["of one line in one of several", "/* // */ /* \n// enable f16; */"],
  ["with no end", "fn last() {} /* enable f16;"],
  ["of one line, before CR", "// enable f16;\rfn last() {}"],
  ["of one line, before NEL", "// fn _combine_add_u32_32() {}\u0085fn last() {}"],
])("what is in a comment declares and enables nothing: %s", (_, comment) => {
  const kernel = `${call}\n${comment}`;
  const code = link(kernel, [scan(32)]);
  expect(code.startsWith(kernel)).toBe(true);
});

test("what comes after a comment is read", async () => {
  const ends = [
    "// \r",
    "// \v",
    "// \f",
    "// \u0085",
    "// \u2028",
    "// \u2029",
    "/* http://x */",
    "/* /* */ */",
  ];
  for (const end of ends) {
    const kernel = `fn f() { ${end} _ = work_group_scan_inclusive_add_u32(1u, 0u); }`;
    const code = link(kernel, [scan(32)]);
    expect(code).toContain("fn work_group_scan_inclusive_add_u32(");
    expect(await failures(device(), [{ title: end, code }])).toEqual([]);
  }
  expect(link(`${call}/* a */ enable /* b */ f16 // c\n; fn g() {}`, [scan(32)])).toMatch(
    /^enable {3}f16 {2}; {1,2}fn main\(\).*\n fn g\(\)|^enable +f16 +; /,
  );
});

test("a kernel's names are any that WGSL takes, and its members are none", async () => {
  const kernel = `enable f16;
struct Été { work_group_scan_inclusive_add_u32: u32, @align(8) _combine_add_u32_32: f16 }
fn été(x: Été) -> u32 { return work_group_scan_inclusive_add_u32(x._combine_add_u32_32_of, 0u); }`.replace(
    "x._combine_add_u32_32_of",
    "u32(x._combine_add_u32_32)",
  );
  const code = link(kernel, [scan(32)]);
  expect(code.match(/fn _combine_add_u32_32\(/g)).toHaveLength(1);
  expect(await failures(device(), [{ title: "été", code }])).toEqual([]);
  // A member alone is no call.
  expect(
    link("fn f(x: S) { _ = x . /* of it */ work_group_scan_inclusive_add_u32; }", [scan(32)]),
  ).not.toContain("fn work_group_scan");
});

describe("the size of an entry point", () => {
  const entry = (size: string, name = "main", body = "helper();"): string =>
    `@compute @workgroup_size(${size}) fn ${name}() { ${body} }\n`;
  const helper = "fn helper() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }\n";

  test.each(["64", "8, 8", "4u, 4u, 4u,", "0x40", "2i, 32i", "/* 32 */ 64"])(
    "%s is that of 64 threads",
    async (size) => {
      const code = link(`${helper}${entry(size)}`, [scan(64)]);
      expect(code).not.toContain("const_assert");
      expect(await failures(device(), [{ title: size, code }])).toEqual([]);
    },
  );

  test.each(["32", "8, 4", "64, 2", "0x20u", "1", "(32), 1"])("%s is not", async (size) => {
    const expected = `kernel: main calls work_group_scan_inclusive_add_u32, which takes 64 threads, and has `;
    if (size.startsWith("(")) {
      // What is an expression is told by the compiler.
      const failed = await failures(device(), [
        { title: size, code: link(`${helper}${entry(size)}`, [scan(64)]) },
      ]);
      expect(failed).toHaveLength(1);
      return;
    }
    expect(() => link(`${helper}${entry(size)}`, [scan(64)])).toThrow(ArgumentError);
    expect(() => link(`${helper}${entry(size)}`, [scan(64)])).toThrow(expected);
  });

  test("is that of each that calls it, and of no other", () => {
    const kernel = `${helper}${entry("64", "first")}${entry("32", "second", "")}`;
    expect(() => link(kernel, [scan(64)])).not.toThrow();
    expect(() => link(`${kernel}${entry("16", "third")}`, [scan(64)])).toThrow(
      "kernel: third calls work_group_scan_inclusive_add_u32, which takes 64 threads, and has 16",
    );
    // Two sizes, by two names.
    const both = `${entry("32", "a", "_ = work_group_scan_inclusive_add_u32(1u, 0u);")}${entry("64", "b", "_ = work_group_scan_inclusive_add_u32_64(1u, 0u);")}`;
    const wide = workGroupScan({ type: u32, workGroupSize: 64, suffix: "64" });
    expect(() => link(both, [scan(32), wide])).not.toThrow();
    expect(() => link(both.replace("(32)", "(64)"), [scan(32), wide])).toThrow("a calls");
    expect(() => link(both.replace("size(64)", "size(32)"), [scan(32), wide])).toThrow("b calls");
  });

  test.each([
    ["const N = 64;", "N", true],
    ["const N = 32u;", "N", false],
    ["const N = 32i; const M = 2i;", "M, N", true],
    ["const N = 32;", "N, max(2, 1), 1,", true],
    ["const N = 32;", "N, 4", false],
  ])("by constants, is asserted in the text: %s %s", async (constants, size, isRight) => {
    const code = link(`${constants}${helper}${entry(size)}`, [scan(64)]);
    expect(code).toMatch(
      /\nconst_assert .* == 64; \/\/ main calls work_group_scan_inclusive_add_u32, which takes 64 threads$/,
    );
    const failed = await failures(device(), [{ title: size, code }]);
    expect(failed.map((one) => /const assertion failed.*which takes 64 threads$/.test(one))).toEqual(
      isRight ? [] : [true],
    );
  });

  test("is no override, which nothing can be compared with before the pipeline is made", () => {
    expect(() => link(`override N = 64u;\n${helper}${entry("N, 1")}`, [scan(64)])).toThrow(
      "kernel: main calls work_group_scan_inclusive_add_u32, which takes 64 threads, and has the override N; make it a const",
    );
    expect(() => link(`override N = 64u;\n${helper}${entry("N", "main", "")}`, [scan(64)])).not.toThrow();
    expect(() => link(`override größe = 64u;\n${helper}${entry("2 * größe")}`, [scan(64)])).toThrow(
      "kernel: main calls work_group_scan_inclusive_add_u32, which takes 64 threads, and has the override größe; make it a const",
    );
  });

  test.each([
    ["a variable", "helper", "", "let helper = 1u; _ = helper;"],
    ["a parameter", "helper", "fn other(helper: u32) {}\n", "other(1u);"],
    ["a member", "helper", "struct Own { helper /* its */ : u32 }\n", "_ = Own(1u);"],
    ["a built-in value", "position", "struct Own { @builtin(position) at: vec4f }\n", "_ = Own(vec4f());"],
    ["an interpolation", "flat", "struct Own { @location(0) @interpolate(flat) a: u32 }\n", "_ = Own(1u);"],
  ])("does not matter where %s has the name of a function that calls", async (_, name, declared, body) => {
    const kernel = `fn ${name}() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }
${entry("64", "first", `${name}();`)}${declared}${entry("32", "second", body)}`;
    expect(await failures(device(), [{ title: name, code: link(kernel, [scan(64)]) }])).toEqual([]);
    expect(() => link(`${kernel}${entry("16", "third", `${name} /* */ ();`)}`, [scan(64)])).toThrow(
      "kernel: third calls work_group_scan_inclusive_add_u32, which takes 64 threads, and has 16",
    );
  });
});

test.each([
  ["fn and blanks", `fn${" ".repeat(2e5)}`],
  ["lines of comments", `${"// a comment\n".repeat(3e4)}${call}`],
  ["entry points", "@compute @workgroup_size(32) fn a() {}\n".repeat(3000)],
  ["constants", Array.from({ length: 3e4 }, (_, at) => `const c${at}=1;\n`).join("")],
  ["a long line with blanks at its end", `${"const a = 1; ".repeat(3000)}${" ".repeat(1e5)}`],
  ["a long name in an entry point", `@compute @workgroup_size(32) fn a() { let ${"a".repeat(2e5)} = 1; }`],
])("%s take no time", (_, kernel) => {
  const start = cpuSeconds();
  link(kernel, [scan(32)]);
  linkDirectives(`// wavefold: work_group_scan_inclusive_add_u32 32\n${call}\n${kernel}`);
  expect(cpuSeconds() - start).toBeLessThan(2);
});

test("what is not called is not there, and the text is stable", () => {
  expect(link("fn main() {}", [scan(32)])).toBe("fn main() {}");
  expect(link(call, [scan(32)])).toBe(link(call, [scan(32)]));
});

test.each<[string, () => unknown, string]>([
  [
    "a tile that is no power of two",
    () => threadTileScan({ type: u32, tileSize: 6, workGroupSize: 32 }),
    "threadTileScan: tileSize is 6; it takes a power of two up to workGroupSize, which is 32",
  ],
  [
    "the name of an algorithm",
    () =>
      workGroupScan({
        type: u32,
        workGroupSize: 32,
        algorithm: "blelloch" as unknown as WorkGroupAlgorithm,
      }),
    'workGroupScan: algorithm is "blelloch"; it takes an import, such as blelloch',
  ],
  [
    "a counter that WGSL has no atomic for",
    () => workGroupScanUpdate({ type: u64, workGroupSize: 32, counter: "used" }),
    "workGroupScanUpdate<u64, add>: WGSL's atomics have 32 bits; a counter takes u32, i32, f32 or f16",
  ],
  [
    "two indices of the call's",
    () => workGroupScanUpdate({ type: u32, workGroupSize: 32, counter: "used[][]" }),
    'workGroupScanUpdate: counter is "used[][]"; it takes the atomic\'s name in the kernel',
  ],
  [
    "a counter that is an expression",
    () => workGroupAllocate({ workGroupSize: 32, counter: "a + b" }),
    'workGroupAllocate: counter is "a + b"; it takes the atomic\'s name in the kernel',
  ],
  [
    "a type that is none",
    () => workGroupScan({ type: { name: "u128" } as unknown as typeof u32, workGroupSize: 32 }),
    "workGroupScan<u128, add>: add has no meaning on u128; it takes u32, i32, f32, f16, u64, i64, f64",
  ],
  [
    "a type that is none, under part of a name",
    () => workGroupScan({ type: { name: "u3" } as unknown as typeof u32, workGroupSize: 32 }),
    "workGroupScan<u3, add>: add has no meaning on u3; it takes u32, i32, f32, f16, u64, i64, f64",
  ],
  [
    "no type",
    () => workGroupScan({ workGroupSize: 32 } as never),
    "workGroupScan<undefined, add>: add has no meaning on undefined; it takes u32, i32",
  ],
  [
    "an operator that is none",
    () => workGroupScan({ type: u32, op: "max" as never, workGroupSize: 32 }),
    'workGroupScan: op is "max"; it takes an operator itself, such as add',
  ],
  [
    "an operator that does not take the type",
    () => workGroupReduce({ type: f32, op: and as never, workGroupSize: 32 }),
    "workGroupReduce<f32, and>: and has no meaning on f32; it takes u32, i32, u64, i64",
  ],
  ...[0, 1.5, 1025, Number.NaN, undefined].map((size): [string, () => unknown, string] => [
    `a work-group size of ${size}`,
    () => scan(size as number),
    `workGroupScan: workGroupSize is ${size}; it takes 1 to 1024`,
  ]),
  [
    "a subgroup size that is none",
    () => subgroupOf({ minSize: 5 }),
    "subgroupOf: minSize is 5; it takes 4, 8, 16, 32, 64 or 128",
  ],
  [
    "subgroup sizes the wrong way round",
    () => subgroupOf({ minSize: 64, maxSize: 32 }),
    "subgroupOf: maxSize is 32, and minSize is 64; it takes at least as much",
  ],
  [
    "a broadcast of no type",
    () => workGroupBroadcast({ type: "u32" as never, workGroupSize: 32 }),
    'workGroupBroadcast: "u32" is not an element type; it takes u32, i32, f32, f16, u64, i64, f64, or struct(…)',
  ],
  [
    "a shuffle of no tile",
    () => threadTileShuffle({ type: u32, workGroupSize: 32, tileSize: 6 }),
    "threadTileShuffle: tileSize is 6; it takes a power of two up to workGroupSize, which is 32",
  ],
  ["no kernel", () => link(undefined as never, []), "link: kernel is undefined; it takes WGSL text"],
  [
    "a counter that hides a function of WGSL's",
    () => workGroupAllocate({ workGroupSize: 32, counter: "min" }),
    "workGroupAllocate: a counter named min hides WGSL's min, which it is updated by; choose another",
  ],
  [
    "a capacity below zero",
    () => workGroupAllocate({ workGroupSize: 32, counter: "used", capacity: -1 }),
    "workGroupAllocate: capacity is -1; it takes a whole number from 0 to 2^32 - 1, or a WGSL expression of u32",
  ],
  [
    "a suffix that is no name",
    () => workGroupScan({ type: u32, workGroupSize: 32, suffix: "a-b" }),
    'workGroupScan: suffix is "a-b"; it takes letters, digits and _',
  ],
])("%s is refused", (_, action, message) => {
  expect(action).toThrow(message);
  expect(action).toThrow(ArgumentError);
});

/** The error that an action throws. */
function thrownBy(action: () => unknown, otherwise?: ArgumentError): ArgumentError {
  try {
    action();
  } catch (error) {
    if (error instanceof ArgumentError) {
      return error;
    }
    // A value that is no type at all may be met first.
    if (otherwise === undefined) {
      throw error;
    }
  }
  return otherwise ?? expect.fail("nothing was thrown");
}

const counted = { workGroupSize: 32, counter: "used" };
describe.each<[string, (options: never) => unknown, object, readonly string[]]>([
  ["workGroupScan", workGroupScan, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["workGroupScanUniform", workGroupScanUniform, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["workGroupScanUpdate", workGroupScanUpdate, { type: u32, ...counted }, ["tileSize"]],
  ["workGroupReduce", workGroupReduce, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["coalescedScan", coalescedScan, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["coalescedScanUniform", coalescedScanUniform, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["coalescedScanUpdate", coalescedScanUpdate, { type: u32, ...counted }, ["tileSize"]],
  ["coalescedReduce", coalescedReduce, { type: u32, workGroupSize: 32 }, ["tileSize"]],
  ["threadTileScan", threadTileScan, { type: u32, workGroupSize: 32, tileSize: 8 }, ["counter"]],
  ["threadTileScanUpdate", threadTileScanUpdate, { type: u32, ...counted, tileSize: 8 }, ["capacity"]],
  ["threadTileReduce", threadTileReduce, { type: u32, workGroupSize: 32, tileSize: 8 }, ["counter"]],
  ["workGroupCompact", workGroupCompact, { workGroupSize: 32 }, ["type", "op", "counter"]],
  ["workGroupCompactUpdate", workGroupCompactUpdate, counted, ["type", "op", "capacity"]],
  ["workGroupAllocate", workGroupAllocate, { ...counted, capacity: 8 }, ["type", "op", "tileSize"]],
  [
    "threadTileCoalescedScan",
    threadTileCoalescedScan,
    { type: u32, workGroupSize: 32, tileSize: 8 },
    ["counter"],
  ],
  [
    "threadTileCoalescedReduce",
    threadTileCoalescedReduce,
    { type: u32, workGroupSize: 32, tileSize: 8 },
    ["counter"],
  ],
  [
    "threadTileCoalescedScanUpdate",
    threadTileCoalescedScanUpdate,
    { type: u32, ...counted, tileSize: 8 },
    [],
  ],
  ["workGroupSegmentedScan", workGroupSegmentedScan, { type: u32, workGroupSize: 32 }, ["counter"]],
  ["workGroupSegmentedReduce", workGroupSegmentedReduce, { type: u32, workGroupSize: 32 }, ["tileSize"]],
  [
    "threadTileSegmentedScan",
    threadTileSegmentedScan,
    { type: u32, workGroupSize: 32, tileSize: 8 },
    ["counter"],
  ],
  [
    "threadTileSegmentedReduce",
    threadTileSegmentedReduce,
    { type: u32, workGroupSize: 32, tileSize: 8 },
    ["counter"],
  ],
  ["workGroupSplit", workGroupSplit, { workGroupSize: 32 }, ["type", "op", "counter"]],
  [
    "workGroupBroadcast",
    workGroupBroadcast,
    { type: u32, workGroupSize: 32 },
    ["op", "algorithm", "tileSize"],
  ],
  ["threadTileShuffle", threadTileShuffle, { type: u32, workGroupSize: 32, tileSize: 8 }, ["op", "counter"]],
  ["workGroupSort", workGroupSort, { type: u32, workGroupSize: 32 }, ["op", "values", "counter"]],
  [
    "workGroupSortPairs",
    workGroupSortPairs,
    { type: u32, values: u32, workGroupSize: 32, items: 2 },
    ["op", "tileSize"],
  ],
  ["identityOf", identityOf, { type: u32 }, ["workGroupSize"]],
  ["subgroupOf", subgroupOf, {}, ["size"]],
  ["link", (options: never) => link("", [], options), {}, ["workGroupSize"]],
  ["linkDirectives", (options: never) => linkDirectives("", options), {}, ["workGroupSize"]],
])("%s", (caller, make, options, others) => {
  test("lists its options", () => {
    const error = thrownBy(() => make({ ...options, nonsense: 1 } as never));
    const listed = error.message.split("; it takes ")[1]?.split(", ") ?? [];
    expect(listed.length).toBeGreaterThan(0);
    // It has those that were given, and takes each that it lists.
    expect(listed).toEqual(expect.arrayContaining(Object.keys(options)));
    for (const name of listed) {
      const { message } = thrownBy(() => make({ ...options, [name]: {} } as never), new ArgumentError(""));
      expect(message).not.toContain("is no option");
    }
    expect(listed.filter((name) => others.includes(name))).toEqual([]);
    expect(error.option).toBe("nonsense");
  });

  test.each(["nonsense", "toString", ...others])("takes no option %s", (name) => {
    const call = (value: unknown) => () => make({ ...options, [name]: value } as never);
    expect(call(u32)).toThrow(ArgumentError);
    expect(call(u32)).toThrow(`${caller}: ${name} is no option; it takes `);
    // Undefined is as left out.
    expect(call(undefined)).not.toThrow();
  });
});

test("a counter may have the name of a helper", async () => {
  const code = link(
    "var<workgroup> update_earlier: atomic<u32>;\nfn a() { _ = work_group_scan_inclusive_add_u32_update(1u, 0u); }",
    [workGroupScanUpdate({ type: u32, workGroupSize: 32, counter: "update_earlier" })],
  );
  expect(code).toContain("return atomicAdd(&update_earlier, total);");
  expect(await failures(device(), [{ title: "counter", code }])).toEqual([]);
});

test.each([
  ...["total", "capacity", "seen", "first", "exchange", "local_index", "Element", "counter_update", "é"].map(
    (name) => [name, `var<workgroup> ${name}: atomic<u32>;`],
  ),
  [
    "list[first].total",
    "const first = 1u;\nstruct Used { total: atomic<u32> }\nvar<workgroup> list: array<Used, 4>;",
  ],
  ["été[2].é", "struct Used { é: atomic<u32> }\nvar<workgroup> été: array<Used, 4>;"],
])("a counter may be %s", async (counter = "", declared = "") => {
  const update = workGroupScanUpdate({ type: u32, workGroupSize: 32, counter });
  const allocate = workGroupAllocate({ workGroupSize: 32, counter, capacity: 7 });
  const sources = [update, allocate].map((one) => {
    const title = one.names[0] ?? "";
    return { title, code: link(`${declared}\nfn a() { _ = ${title}(1u, 0u); }`, [one]) };
  });
  expect(await failures(device(), sources)).toEqual([]);
});

test("what an operator declares is linked in any form, under names of its own", async () => {
  const declarations = `enable f16;
// a comment with a fn in it()
@must_use
fn twice(x : u32)
    -> u32
{
// fn no() {}
return x * FACTOR; }
const
  FACTOR = 2u; alias Word = u32; var<private>seen:Word;
struct Both { @size(16) a: Word, b: u32 }
fn unused() {}`;
  const op = operator({
    name: "odd",
    type: u32,
    identity: 0,
    combine: "seen = earlier;\nif (later == 0u) { return earlier; }\nreturn twice(Both(earlier, later).b);",
    reference: (earlier, later) => (later === 0 ? earlier : 2 * later),
    declarations: declarations.replaceAll("\n", "\r\n"),
  });
  const reduce = workGroupReduce({ type: u32, op, workGroupSize: 32 });
  const code = link("fn a() { _ = work_group_reduce_odd_u32(1u, 0u); }", [reduce]);
  expect(code).toMatch(/^enable f16; fn a/);
  for (const name of ["twice", "FACTOR", "Word", "seen", "Both"]) {
    expect(code).toContain(`_${name}_odd_u32_32`);
  }
  expect(code).not.toContain("unused");
  expect(
    await failures(device(), [
      { title: "odd", code },
      { title: "alone", code: reduce.code },
    ]),
  ).toEqual([]);
});

test.each(["Element", "OptionalElement", "WorkGroupScan", "WORK_GROUP_SIZE", "identity", "combine"])(
  "a type of the caller's may be %s, also for an operator that has no identity",
  async (name) => {
    const declarations = `struct ${name} { a: u32, b: f32 }`;
    const types = [
      wgslType({ name, declarations }),
      wgslType({ name: "Pair", wgsl: `array<${name}, 2>`, declarations }),
    ];
    const sources = types.flatMap((type) =>
      [undefined, `${type.value}()`].map((identity) => {
        const last = operator({ name: "last", type, combine: "later", ...(identity && { identity }) });
        const kernel = `fn f(x: ${type.value}) { _ = work_group_scan_inclusive_last_${type.name}(x, 0u); }`;
        return {
          title: `${type.name}, ${identity}`,
          code: link(kernel, [workGroupScan({ type, op: last, workGroupSize: 32 })]),
        };
      }),
    );
    expect(await failures(device(), sources)).toEqual([]);
  },
);

test("an operator that uses f16 gets it enabled, and one that does not gets nothing", async () => {
  const using = (combine: string, declarations = "") =>
    workGroupReduce({
      type: u32,
      op: operator({ name: "using", type: u32, identity: 0, combine, declarations, reference: Math.max }),
      workGroupSize: 32,
    });
  const half = "fn half(x: u32) -> u32 { return u32(f16(x)); }";
  const calls = "fn a() { _ = work_group_reduce_using_u32(1u, 0u); }";
  for (const reduce of [using("max(earlier, u32(f16(later)))"), using("max(earlier, half(later))", half)]) {
    const code = link(calls, [reduce]);
    expect(code).toMatch(/^enable f16; fn a/);
    expect(await failures(device(), [{ title: "using f16", code }])).toEqual([]);
    // Not where the kernel does not call it.
    expect(link("fn a() {}", [reduce])).toBe("fn a() {}");
  }
  expect(link(calls, [using("max(earlier, later)")])).not.toContain("enable");
});

test("what an operator enables comes with what it declares", async () => {
  const op = operator({
    name: "enabling",
    type: u32,
    identity: 0,
    combine: "both(earlier, later)",
    reference: (earlier, later) => earlier + later,
    declarations:
      "diagnostic(off, derivative_uniformity);\nenable f16;\n@must_use fn both(a: u32, b: u32) -> u32 { const zero = 0u; return zero + a + u32(f16(b)); }",
  });
  const reduce = workGroupReduce({ type: u32, op, workGroupSize: 32 });
  const code = link("fn a() { _ = work_group_reduce_enabling_u32(1u, 0u); }", [reduce]);
  expect(code).toMatch(/^diagnostic\(off, derivative_uniformity\); enable f16; fn a/);
  expect(code).toContain("@must_use fn _callers_both_enabling_u32_32(");
  expect(await failures(device(), [{ title: "enabling", code }])).toEqual([]);
});

test.each(["1u // \r ); } fn evil() { _ = (1u", "1u /* /* */ ", "1u) + (2u", "arrayLength(&list"])(
  "a capacity that would end our function is refused: %j",
  (capacity) => {
    expect(() => workGroupAllocate({ workGroupSize: 32, counter: "used", capacity })).toThrow(SourceError);
  },
);

test("a capacity of several lines is linked whole", async () => {
  const capacity = "arrayLength(&list) // items\n/ 2u +\n1u";
  const allocate = workGroupAllocate({ workGroupSize: 32, counter: "used", capacity });
  const code = link(
    "@group(0) @binding(0) var<storage, read_write> list: array<u32>;\nvar<workgroup> used: atomic<u32>;\nfn a() { _ = work_group_allocate(1u, 0u); }",
    [allocate],
  );
  expect(await failures(device(), [{ title: "capacity", code }])).toEqual([]);
});

test.each(["total", "index", "counters", "counter_index", "seen", "local_index"])(
  "the call says which counter of %s it is",
  async (name) => {
    const counter = `${name}[].used`;
    const all = [
      workGroupScanUpdate({ type: u32, workGroupSize: 32, counter }),
      workGroupScanUpdate({ type: u32, op: mul, workGroupSize: 32, counter }),
      coalescedScanUpdate({ type: u32, op: max, workGroupSize: 32, counter }),
      threadTileScanUpdate({ type: u32, op: and, workGroupSize: 32, tileSize: 8, counter }),
      workGroupCompactUpdate({ workGroupSize: 32, counter, suffix: "b" }),
      workGroupAllocate({ workGroupSize: 32, counter, suffix: "c", capacity: 9 }),
    ];
    const sources = all.flatMap((one) =>
      one.names.map((called) => {
        const given = called.startsWith("coalesced")
          ? "1u, true"
          : called.includes("compact")
            ? "true"
            : "1u";
        const call = `${called}(${given}, 2u, 0u${called.includes("_uniform") ? ", &own" : ""})`;
        return {
          title: called,
          code: link(
            `struct Used { used: atomic<u32> }
var<workgroup> ${name}: array<Used, 4>;
fn a() { var own: u32; _ = ${call}; }`,
            [one],
          ),
        };
      }),
    );
    expect(sources).toHaveLength(12);
    expect(await failures(device(), sources)).toEqual([]);
  },
);
