import { describe, expect, it } from "vitest";
import { sourceOf } from "../../bench/buffers.ts";
import { benchTypes, elementsOf } from "../../bench/elements.ts";
import { loopArrayOf, loopOf, loopText, loopTypeNames } from "../../bench/loops.ts";
import { verifyCompact, verifyReduce, verifyScan } from "../../bench/verify.ts";

const LENGTH = 700;

describe.each(loopTypeNames)("loops over %s", (type) => {
  const chunk = elementsOf(type, "add", LENGTH).next();
  if (chunk === undefined) {
    throw new Error("there is a chunk");
  }
  const data = loopArrayOf(type, chunk.bytes.slice().buffer as ArrayBuffer);
  const into = loopArrayOf(type, new ArrayBuffer(LENGTH * benchTypes[type].type.bytes));
  const output = sourceOf(new Uint8Array(into.buffer));
  const question = { type, op: "add", length: LENGTH } as const;

  it("have the prefixes, the total and the kept elements of the bench's reference", async () => {
    expect(loopOf("scan", type)(data, into)).toBe(LENGTH);
    expect(await verifyScan({ ...question, exclusive: false }, { output })).toBeUndefined();
    expect(loopOf("reduce", type)(data, into)).toBe(1);
    expect(await verifyReduce(question, { output })).toBeUndefined();
    const kept = Uint32Array.of(loopOf("compact", type)(data, into));
    const count = sourceOf(new Uint8Array(kept.buffer));
    expect(await verifyCompact({ ...question, indices: false }, { output, count })).toBeUndefined();
  });
});

describe("the text of a loop", () => {
  it("is what one would write", () => {
    expect(loopText("scan", "u32").split("\n")).toEqual([
      "let sum0 = 0;",
      "for (let i = 0; i < data.length; i += 1) {",
      "sum0 = (sum0 + data[i]) >>> 0;",
      "into[i] = sum0;",
      "}",
      "return data.length / 1;",
    ]);
  });
});
