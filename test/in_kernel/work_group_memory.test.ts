import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { hillisSteele, subgroup, workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileCoalescedReduce } from "../../src/in_kernel/coalesced_tiles.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "../../src/in_kernel/exchange.ts";
import {
  coalescedReduce,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "../../src/in_kernel/segmented.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import { algorithmNames } from "../support/fold.ts";
import { chain, span } from "../support/operators.ts";

const chained = { type: span, op: chain };
const vec3f = wgslType({ name: "vec3f" });
const vectors = {
  type: vec3f,
  op: operator({ name: "sum", type: vec3f, identity: "vec3f()", combine: "earlier + later" }),
};
/** Without an identity, an element has a word more. */
const nameless = { type: u64, op: operator({ name: "latest", type: u64, combine: "later" }) };

/** The bytes of the variables in a text, by WebGPU's rule: each rounded up to 16. */
function memoryIn(code: string): number {
  const constants = new Map(
    [...code.matchAll(/^const (\w+) = (.*);$/gm)].map(([, name = "", text = ""]) => [name, text]),
  );
  const evaluate = (text: string): number => {
    const written = text.replace(/\b[A-Za-z_]\w*\b/g, (name) =>
      constants.has(name) ? String(evaluate(constants.get(name) ?? "")) : name,
    );
    const plain = written
      .replace(/select\((\w+), (\w+), (\w+ > \w+)\)/g, "($3 ? $2 : $1)")
      .replace(/\b(\d+)u\b/g, "$1")
      .replace(/countLeadingZeros\((\d+) - 1\)/g, (_, size) => String(Math.clz32(Number(size) - 1)));
    // Integer division binds as multiplication does.
    return Math.floor(
      Number(new Function(`return ${plain.replace(/(\([^()]*\)|\d+) \/ (\d+)/g, "Math.floor($1 / $2)")};`)()),
    );
  };
  const bytesOf = (type: string): number => {
    const array = /^array<(.*), (.*)>$/.exec(type);
    if (array !== null) {
      const [, element = "", length = ""] = array;
      return (element === "vec3f" ? 16 : bytesOf(element)) * evaluate(length);
    }
    const members = new RegExp(`^struct ${type} \\{([^}]*)\\}`, "m").exec(code)?.[1];
    if (members !== undefined && type !== "Span") {
      // An element and a word after it: WGSL puts members at multiples of their sizes, or of those of their members.
      const [element = 0, word = 0] = Array.from(members.matchAll(/^ *\w+: (.*),$/gm), ([, one = ""]) =>
        bytesOf(one),
      );
      const align = Math.min(element, 8);
      return Math.ceil((element + word) / align) * align;
    }
    return { u32: 4, "atomic<u32>": 4, "vec2<u32>": 8, vec3f: 12, Span: span.bytes }[type] ?? Number.NaN;
  };
  return [...code.matchAll(/^var<workgroup> \w+: (.*);$/gm)].reduce(
    (bytes, [, type = ""]) => bytes + Math.ceil(bytesOf(type) / 16) * 16,
    0,
  );
}

test("a reduction reserves an element a thread, and a scan two", () => {
  const block = struct({
    name: "Block",
    fields: { a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32 },
  });
  const first = operator({
    name: "first",
    type: block,
    identity: { a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0 },
    combine: "if (earlier.a == 0u) { return later; }\nreturn earlier;",
    reference: (earlier, later) => (earlier.a === 0 ? later : earlier),
  });
  const options = { type: block, op: first, workGroupSize: 256 };
  expect(workGroupReduce(options).workGroupMemory).toBe(256 * 32);
  expect(coalescedReduce(options).workGroupMemory).toBe(256 * 32);
  expect(workGroupScan(options).workGroupMemory).toBe(2 * 256 * 32);
});

const check = (functions: InKernelFunctions, title: string): void => {
  expect(functions.workGroupMemory, title).toBe(memoryIn(functions.code));
  expect(functions.workGroupMemory, title).toBeGreaterThan(0);
};

// One thread, a power of two, a number that is none, and the most that any device has.
test.each([1, 32, 100, 256])(
  "the memory that is stated is what the text declares: %i threads",
  (workGroupSize) => {
    for (const algorithm of algorithmNames) {
      const size = { workGroupSize, algorithm: workGroupAlgorithms[algorithm] };
      for (const type of [u32, u64]) {
        check(workGroupReduce({ type, ...size }), `reduce ${type.name} ${algorithm}`);
        check(workGroupScan({ type: type as typeof u32, ...size }), `scan ${type.name} ${algorithm}`);
        check(workGroupSegmentedReduce({ type, ...size }), `segmented ${type.name} ${algorithm}`);
        check(workGroupSegmentedScan({ type: type as typeof u32, ...size }), `segmented ${type.name} scan`);
      }
      check(workGroupScanUpdate({ type: u32, counter: "used", ...size }), `update ${algorithm}`);
      check(coalescedScanUpdate({ type: u32, counter: "used", ...size }), `coalesced update ${algorithm}`);
      check(workGroupCompact(size), `compact ${algorithm}`);
      check(workGroupSplit(size), `split ${algorithm}`);
      for (const items of [1, 3, 8, 20]) {
        const sorted = { ...size, items };
        check(workGroupSort({ type: u64, ...sorted }), `sort ${items} ${algorithm}`);
        check(workGroupSort({ type: u32, bits: [0, 1], ...sorted }), `sort ${items} by a bit ${algorithm}`);
        check(
          workGroupSortPairs({ type: u32, values: u32, ...sorted }),
          `pairs of words ${items} ${algorithm}`,
        );
        check(workGroupSortPairs({ type: u32, values: vec3f, ...sorted }), `pairs ${items} ${algorithm}`);
      }
      check(workGroupBroadcast({ type: u64, workGroupSize }), "broadcast");
      check(workGroupCompactUpdate({ counter: "used", ...size }), `compact update ${algorithm}`);
      check(workGroupAllocate({ counter: "used", ...size }), `allocate ${algorithm}`);
    }
    for (const algorithm of [hillisSteele, subgroup]) {
      for (const tileSize of [1, 2, 8, 32].filter((one) => one <= workGroupSize)) {
        const size = { workGroupSize, tileSize, algorithm };
        check(threadTileReduce({ type: u64, ...size }), `tile ${tileSize} subgroups=${algorithm.subgroups}`);
        check(threadTileShuffle({ type: u64, ...size }), `shuffle ${tileSize}`);
        check(threadTileCoalescedReduce({ type: f64, ...size }), `coalesced tile ${tileSize}`);
        check(threadTileSegmentedScan({ type: u64, ...size }), `segmented tile ${tileSize}`);
        check(threadTileSegmentedReduce({ ...chained, ...size }), `segmented tile ${tileSize} of structs`);
        check(threadTileSegmentedScan({ ...vectors, ...size }), `segmented tile ${tileSize} of vectors`);
        check(threadTileShuffle({ ...size, type: vec3f }), `shuffle ${tileSize} of vectors`);
        check(threadTileReduce({ ...nameless, ...size }), `tile ${tileSize} without an identity`);
        check(
          threadTileSegmentedScan({ ...nameless, ...size }),
          `segmented tile ${tileSize} without an identity`,
        );
        check(
          threadTileScanUpdate({ type: u32, counter: "used", ...size }),
          `tile ${tileSize} subgroups=${algorithm.subgroups} update`,
        );
      }
    }
  },
);
