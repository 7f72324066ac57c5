import { isDeepStrictEqual } from "node:util";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { ArgumentError } from "../../src/errors.ts";
import type { Filled } from "../../src/primitives/example_calls.ts";
import { callOn, optionsAtHand } from "../../src/primitives/example_calls.ts";
import type { Result } from "../../src/primitives/primitive.ts";
import { meaningOf } from "./described_arguments.ts";
import type { Called, DescribedStep, Given, Hazard } from "./described_call.ts";
import { intoItself, refused, requireUnchanged, resultsOf, stored, takesInto } from "./described_call.ts";
import { FILL } from "./ranges.ts";
import { requireEqual } from "./require_equal.ts";
import { arrayOf, bytesOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault } from "./verdict.ts";

// A described primitive at hand: on arrays in memory, of which one may be shared, or go away.

/** The array at hand that a call puts its first result in; undefined if there is to be none. */
function intoAtHand(
  called: Called,
  given: Given,
  arrays: Readonly<Record<string, AnyArray>>,
  step: DescribedStep,
): AnyArray | undefined {
  // Reductions at hand return their totals.
  if (called.described.primitive.name === "reduce" || !takesInto(called)) {
    return undefined;
  }
  const input = intoItself(called, given, step);
  if (input || step.into === undefined) {
    return input && arrays[input.operand.name];
  }
  const { type, most } = called.results[0] as Result;
  return arrayOf(type, new Uint8Array(most * type.bytes).fill(FILL));
}

/** The elements of an operand, in an array that starts so many elements behind the start of its memory. */
function behind({ type, bytes, length }: Filled, before: number, hazard: Hazard | undefined): AnyArray {
  const [start, size] = [before * type.bytes, length * type.bytes];
  const Memory = (hazard === "shared" ? SharedArrayBuffer : ArrayBuffer) as new (
    size: number,
    how: object,
  ) => ArrayBuffer;
  const memory = new Memory(start + size, hazard === "shrunk" ? { maxByteLength: start + size } : {});
  new Uint8Array(memory).fill(FILL).set(bytes.subarray(0, size), start);
  return arrayLike(arrayOf(type, new Uint8Array(0)), memory, start, length);
}

/** Lets something become of an array's memory. */
function spoil({ buffer }: AnyArray, hazard: Hazard | undefined): void {
  if (hazard === "detached" || hazard === "transferred") {
    structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
  } else if (hazard === "shrunk") {
    (buffer as unknown as { resize(bytes: number): void }).resize(Math.floor(buffer.byteLength / 2));
  }
}

export async function runAtHand(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { operands, options = given.planned } = given;
  const { primitive } = called.described;
  const exposable = operands.filter(({ operand, length }) => !operand.isWritten && length > 0);
  const exposed = step.hazard && exposable[step.hazard.operand % exposable.length];
  const hazard = exposed && step.hazard?.kind;
  const isSpoiled = hazard !== undefined && hazard !== "shared";
  const title = `${called.title} of ${step.length}${hazard ? `, ${exposed.operand.name} ${hazard}` : ""}`;
  // There is room for all that results have.
  const results = called.results.map((one) => ({ ...one, most: Number.POSITIVE_INFINITY }));
  const meant = meaningOf(called.described, given, results, 0);
  const arrays = Object.fromEntries(
    operands.map((one) => [one.operand.name, behind(one, step.before, one === exposed ? hazard : undefined)]),
  );
  const f16 = given.type.name === "f16" && !("from" in options) ? { type: given.type } : {};
  const into = hazard === undefined ? intoAtHand(called, given, arrays, step) : undefined;
  const room = into && bytesOf(into).slice();
  const spoilIf = (isNow: boolean): void => {
    if (exposed && isNow) {
      spoil(arrays[exposed.operand.name] as AnyArray, hazard);
    }
  };
  spoilIf(hazard === "detached");
  const made = await attempt(title, false, () => {
    const pending = callOn(called.fixture.fold, primitive, arrays, {
      ...optionsAtHand(primitive, options),
      ...f16,
      ...(into && { into }),
    });
    spoilIf(hazard !== "detached");
    return pending;
  });
  if ("refusal" in made) {
    if (isSpoiled && / was transferred or became shorter /.test(made.refusal.message)) {
      return "refused";
    }
    return given.example.isRefusedAtHand && made.refusal instanceof ArgumentError
      ? "passed"
      : refused(called, made.refusal, meant !== undefined);
  }
  if (meant === undefined) {
    throw new Fault(`${title} works, and has no result`);
  }
  if (hazard === "detached") {
    throw new Fault(`${title} works, and that array is gone`);
  }
  const others = operands.filter((one) => one !== exposed || !isSpoiled);
  await requireUnchanged(others, into, ({ operand }) => arrays[operand.name] as AnyArray, arrays, title);
  for (const { operand, type } of operands.filter((one) => one.operand.isWritten)) {
    requireEqual(
      arrays[operand.name],
      arrayOf(type, meant[operand.name] as Uint8Array),
      `${title}: ${operand.name}`,
    );
  }
  for (const [one, result] of resultsOf(called.results, made.result)) {
    const { name, type, isElement, atHand } = one;
    const isInto = into !== undefined && one === called.results[0];
    const elements = meant[name] as Uint8Array;
    const expected = arrayOf(
      type,
      isInto ? stored(room as Uint8Array, one, elements, given).subarray(0, elements.length) : elements,
    );
    const isPart = one.length === "count";
    if (isInto && (isPart ? elements.length > 0 && Object(result).buffer !== into.buffer : result !== into)) {
      throw new Fault(`${title}: into is not what it gives`);
    }
    if (!isElement) {
      requireEqual(result, expected, `${title}: ${name}`);
      continue;
    }
    const element = valuesOf(expected, type)(0);
    if (!isDeepStrictEqual(result, atHand ? atHand(element as never) : element)) {
      throw new Fault(`${title}: ${name} is ${String(result)}, and should be another value`);
    }
  }
  return "passed";
}
