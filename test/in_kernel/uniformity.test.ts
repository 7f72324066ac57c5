import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { blelloch, subgroup, workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "../../src/in_kernel/exchange.ts";
import {
  coalescedReduce,
  coalescedScanUniform,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { workGroupSegmentedScan } from "../../src/in_kernel/segmented.ts";
import { untyped } from "../support/fold.ts";
import { coalescedTileFunctions, operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { nagaFailures } from "../support/naga.ts";
import { useNullDevice } from "../support/null_device.ts";

const device = useNullDevice();

interface Message {
  readonly type: GPUCompilationMessageType;
  readonly line: number;
  readonly text: string;
}

async function compile(code: string): Promise<{ messages: Message[]; failed: boolean }> {
  device().pushErrorScope("validation");
  const info = await device().createShaderModule({ code }).getCompilationInfo();
  const failure = await device().popErrorScope();
  return {
    messages: info.messages.map(({ type, lineNum, message }) => ({ type, line: lineNum, text: message })),
    failed: failure !== null,
  };
}

const BINDINGS = `@group(0) @binding(0) var<storage, read_write> used: atomic<u32>;
fn keep_alive() { atomicStore(&used, 0u); }`;
const MAIN =
  "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) local_index: u32) { var count: u32; var wide: vec2<u32>;";

/** The call on line 6, where three threads get to; or where all do. */
const kernel = (call: string, uniform: boolean, directive = ""): string => `${directive}
${BINDINGS}
${MAIN}
  ${uniform ? "" : "if (local_index < 3u) "}{
    _ = ${call};
  }
}
`;
const CALL_LINE = 6;

const argumentsOf = (name: string, value: string): string =>
  `${[
    /_(shuffle|broadcast)_/.test(name)
      ? `(${value}, 1u, local_index`
      : name.includes("coalesced_") || name.includes("_segmented_")
        ? `(${value}, local_index != 5u, local_index`
        : name.startsWith("work_group_compact") || name.startsWith("work_group_split")
          ? "(local_index != 5u, local_index"
          : `(${value}, local_index`,
    ...(isUniform(name) ? [name.includes("64_") ? "&wide" : "&count"] : []),
  ].join(", ")})`;
const isUniform = (name: string): boolean => /_uniform(_|$)/.test(name);

const counter = "used";
const bodies = [
  ["portable", {}],
  ["subgroup", { algorithm: subgroup }],
] as const;

describe.each(bodies)("%s", (_, body) => {
  const sizes = { ...body, workGroupSize: 64 };
  const algorithm = "algorithm" in body ? "subgroup" : "hillis-steele";
  // In one subgroup, and across several.
  const tileSizes = [1, 4, 32];
  const sets: readonly (readonly [InKernelFunctions, string])[] = [
    ...[
      ...operatorFunctions(u32, untyped(add), algorithm, 64, true, tileSizes),
      ...segmentedFunctions(u32, untyped(add), algorithm, 64, tileSizes),
      ...coalescedTileFunctions(u32, untyped(add), algorithm, 64, tileSizes),
      ...tileSizes.map((tileSize) => threadTileShuffle({ ...sizes, type: u32, tileSize })),
      workGroupBroadcast({ type: u32, workGroupSize: 64 }),
      workGroupAllocate({ ...sizes, counter, capacity: 1000 }),
    ].map((set) => [set, "1u"] as const),
    ...[workGroupScan, workGroupScanUniform, workGroupSegmentedScan].map(
      (functionsOf) => [functionsOf({ ...sizes, type: u64, op: max }), "vec2(1u)"] as const,
    ),
    ...[workGroupCompact(sizes), workGroupSplit(sizes), workGroupCompactUpdate({ ...sizes, counter })].map(
      (set) => [set, ""] as const,
    ),
    ...("algorithm" in body
      ? []
      : ([[workGroupScan({ ...sizes, type: u32, algorithm: blelloch, suffix: "tree" }), "1u"]] as const)),
  ];
  const functions = sets.flatMap(([set, value]) => set.names.map((name) => [name, value, set] as const));

  test("every family is there", () => {
    const families = new Set(
      functions.map(([name]) =>
        name.replace(/_(scan|reduce|compact|allocate|split|broadcast|shuffle).*/, " $1"),
      ),
    );
    expect([...families].sort()).toEqual([
      "coalesced reduce",
      "coalesced scan",
      ...[1, 32, 4].flatMap((size) => [
        `thread_tile_${size} broadcast`,
        `thread_tile_${size} reduce`,
        `thread_tile_${size} scan`,
        `thread_tile_${size} shuffle`,
        `thread_tile_${size}_coalesced reduce`,
        `thread_tile_${size}_coalesced scan`,
        `thread_tile_${size}_segmented reduce`,
        `thread_tile_${size}_segmented scan`,
      ]),
      "work_group allocate",
      "work_group broadcast",
      "work_group compact",
      "work_group reduce",
      "work_group scan",
      "work_group split",
      "work_group_segmented reduce",
      "work_group_segmented scan",
    ]);
  });

  test.each(functions)(
    "%s is refused where not all threads call it, by the caller's line",
    async (name, value, set) => {
      const call = `${name}${argumentsOf(name, value)}`;
      const uniform = await compile(link(kernel(call, true), [set]));
      expect(uniform).toEqual({ messages: [], failed: false });

      const source = kernel(call, false);
      const { messages, failed } = await compile(link(source, [set]));
      expect(failed).toBe(true);
      const [error, ...notes] = messages;
      expect(error?.type).toBe("error");
      expect(error?.text).toMatch(
        /^'(workgroupBarrier|workgroupUniformLoad)' must only be called from uniform control flow$/,
      );
      expect(source.split("\n")[CALL_LINE - 1]).toContain(call);
      // A broadcast itself calls what waits.
      const called = name.startsWith("work_group_broadcast") ? "called" : "called indirectly";
      expect(notes).toEqual([
        { type: "info", line: CALL_LINE, text: `${called} by '${name}' from 'main'` },
        { type: "info", line: CALL_LINE - 1, text: "control flow depends on possibly non-uniform value" },
        { type: "info", line: CALL_LINE - 1, text: "builtin 'local_index' of 'main' may be non-uniform" },
      ]);
    },
  );

  // Others have nothing that it is about.
  const bySubgroups = functions.filter(([, , set]) => /\bsubgroup[A-Z]\w*\(/.test(set.code));
  test.each(bySubgroups)("%s is refused with the subgroup diagnostic off, too", async (name, value, set) => {
    // That one can be turned off; a barrier's cannot.
    const source = kernel(
      `${name}${argumentsOf(name, value)}`,
      false,
      "diagnostic(off, subgroup_uniformity);",
    );
    const { messages, failed } = await compile(link(source, [set]));
    expect(failed).toBe(true);
    expect(messages.map(({ line }) => line)).toContain(CALL_LINE);
  });
});

test.each(bodies)("what a reduction of a work-group returns is uniform (%s)", async (_, body) => {
  for (const type of [u32, f64] as const) {
    const options = { ...body, type: type as typeof u32, workGroupSize: 64 };
    const value = type === u32 ? "1u" : "vec2(1u)";
    for (const set of [
      workGroupReduce(options),
      coalescedReduce(options),
      workGroupBroadcast({ type, workGroupSize: 64 }),
    ]) {
      const [name = ""] = set.names;
      const call = `${name}${argumentsOf(name, value)}`;
      const source = `${MAIN}
  if (all(${call} == ${value})) {
    _ = ${call};
  }
}
`;
      expect(await compile(link(source, [set])), name).toEqual({ messages: [], failed: false });
    }
  }
});

const steering = (["hillis-steele", "blelloch", "subgroup"] as const).flatMap((algorithm) => {
  const sizes = { algorithm: workGroupAlgorithms[algorithm], workGroupSize: 64 };
  const sets: readonly (readonly [InKernelFunctions, string])[] = [
    [workGroupScanUniform({ ...sizes, type: u32 }), "1u"],
    [workGroupScanUniform({ ...sizes, type: f32, op: max }), "1f"],
    [workGroupScanUniform({ ...sizes, type: f64 }), "vec2(1u)"],
    [coalescedScanUniform({ ...sizes, type: i32 }), "1i"],
    [coalescedScanUniform({ ...sizes, type: f64 }), "vec2(1u)"],
    [workGroupCompact(sizes), ""],
    [workGroupSplit(sizes), ""],
    [workGroupCompactUpdate({ ...sizes, counter }), ""],
    [workGroupAllocate({ ...sizes, counter, capacity: 1000 }), "1u"],
  ];
  return sets.flatMap(([set, value]) =>
    set.names.filter(isUniform).map((name) => ({ title: `${algorithm}: ${name}`, name, value, set })),
  );
});

test("totals that steer control flow are there", () => {
  // Of each algorithm: inclusive and exclusive scans, and four that are one function each.
  expect(steering.length).toBe(3 * (5 * 2 + 4));
});

/** A kernel that repeats a call, with its barriers, for as long as the total says. */
const steered = ({ name, value, set }: (typeof steering)[number]): string => {
  const call = `${name}${argumentsOf(name, value)}`.replace(/&wide|&count/, "&own");
  const type = /_f64_/.test(name) ? "vec2<u32>" : (/_(f32|i32)_/.exec(name)?.[1] ?? "u32");
  return link(
    `${BINDINGS}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  var own: ${type};
  _ = ${call};
  for (var turn = 0u; turn < 5u && any(own != ${type}()); turn++) {
    workgroupBarrier();
    _ = ${call};
  }
}
`,
    [set],
  );
};

test.each(steering)("$title writes a total that may steer control flow", async (one) => {
  expect(await compile(steered(one))).toEqual({ messages: [], failed: false });
});

test("naga takes totals that steer control flow", () => {
  const portable = steering.filter(({ title }) => !title.startsWith("subgroup"));
  expect(nagaFailures(portable.map((one) => ({ title: one.title, code: steered(one) })))).toEqual([]);
});

test("a call through a function of the kernel's is named with that function's line", async () => {
  const set = workGroupReduce({ type: u32, workGroupSize: 64 });
  const source = `fn total(x: u32, local_index: u32) -> u32 {
  return work_group_reduce_add_u32(x, local_index);
}
${MAIN}
  if (local_index < 3u) {
    _ = total(1u, local_index);
  }
}
`;
  const { messages, failed } = await compile(link(source, [set]));
  expect(failed).toBe(true);
  expect(messages.map(({ line, text }) => `${line}: ${text}`)).toContain(
    "6: called indirectly by 'total' from 'main'",
  );
});
