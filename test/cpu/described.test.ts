import { describe, expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { OnCpu } from "../../src/cpu/call.ts";
import * as conditions from "../../src/cpu/conditions.ts";
import * as moves from "../../src/cpu/moves.ts";
import * as searches from "../../src/cpu/search_loops.ts";
import { ArgumentError } from "../../src/errors.ts";
import { exampleOf } from "../../src/primitives/example_calls.ts";
import { argumentsOf, meaningOf } from "../fuzz/described_arguments.ts";
import type { DataKind } from "../fuzz/values.ts";
import { bitsOf, dataKinds } from "../fuzz/values.ts";
import { expectSameBits } from "../support/compare.ts";
import type { Described } from "../support/primitives.ts";
import { described } from "../support/primitives.ts";
import { seed } from "../support/random.ts";
import { cpuCall } from "./calls.ts";

const { f16, u32, u64 } = elementTypes;
const Mixed = struct({ name: "Mixed", fields: { a: u32, b: u64, c: f16 } });
const types: readonly ElementType[] = [...Object.values(elementTypes), Mixed] as readonly ElementType[];
const lengths = [0, 1, 2, 3, 255, 256, 257, 1000, 5000];

/** The loops that descriptions name, but for sorts and selections, which have tests of their own. */
const loops: Readonly<Record<string, object>> = { moves, searches, conditions };
const onCpu = described.flatMap(({ primitive: { name, onCpu = "" } }) =>
  loops[onCpu] ? [[name, Object(loops[onCpu])[name]] as const] : [],
);

describe.each(onCpu as readonly (readonly [string, OnCpu])[])("%s", (name, run) => {
  const of = described.find(({ primitive }) => primitive.name === name) as Described;

  test.each(types)("$name", async (type) => {
    let count = 0;
    for (const [place, length] of lengths.entries()) {
      const from = seed + place;
      for (const [example] of of.examples.of(type, length, bitsOf(from)).entries()) {
        const options = { side: ["left", "right"][count % 2] } as const;
        const drawn = exampleOf(of, type, {
          maxLength: length,
          example,
          seed: from,
          options: name === "searchSorted" ? options : {},
        });
        // The kinds of data take turns.
        const kind = dataKinds[(place + example) % dataKinds.length] as DataKind;
        const data = { kind, seed: from + example };
        const given = drawn && argumentsOf(of, type, drawn, { length, room: length, data });
        if (!given) {
          throw new Error(`${name} has no example of ${type.name}`);
        }
        count += 1;
        await check(of, run, given);
      }
    }
    expect(count > 0).toBe(type.kind !== "struct" || !["histogram", "searchSorted"].includes(name));
  });
});

/** Compares a call's results with what the reference gives. */
async function check(of: Described, run: OnCpu, given: ReturnType<typeof argumentsOf>): Promise<void> {
  const title = `${of.primitive.name}<${given.type.name}> of ${given.length}, ${JSON.stringify(given.options, (_, value) => (typeof value === "bigint" ? `${value}n` : value))}`;
  let call: ReturnType<typeof cpuCall>;
  let made: Awaited<ReturnType<OnCpu>>;
  try {
    call = cpuCall(of, given);
    made = await run(call);
  } catch (error) {
    expect(given.example.isRefusedAtHand && error instanceof ArgumentError, `${title}: ${error}`).toBe(true);
    return;
  }
  const { results } = call.request;
  const meant = meaningOf(of, given, results, 0);
  expect(made?.length, title).toBe(results.length);
  results.forEach((result, at) => {
    const { buffer, byteOffset, byteLength } = made?.[at] ?? new Uint32Array();
    const bytes = (from: Uint8Array) => new Uint16Array(from.slice().buffer);
    expectSameBits(
      bytes(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)),
      bytes(meant?.[result.name] as Uint8Array),
      `${title}: ${result.name}`,
    );
  });
}
