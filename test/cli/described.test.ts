import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { commandOf, flagOf, isFlag, outputOf } from "../../src/cli/primitives.ts";
import { givenAs, keyInObject } from "../../src/plan/ranges.ts";
import { asArray } from "../../src/primitives/example_calls.ts";
import type { ExampleCall } from "../primitives/calls.ts";
import { exampleCalls } from "../primitives/calls.ts";
import { SIMULATED } from "../support/adapter.ts";
import { runIn } from "../support/command.ts";
import { withHelp } from "../support/primitives.ts";

// The command of each primitive that is described, on the arrays of examples.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-described-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Described = (typeof withHelp)[number];

/** Whether a command takes all of a call. */
const isTaken = (
  { primitive, help }: Described,
  { operands, options, isRefusedAtHand }: ExampleCall,
): boolean =>
  !isRefusedAtHand &&
  operands.every(({ operand: { name, inside } }) => !(inside || help.lists?.includes(givenAs(name)))) &&
  Object.keys(options).every((name) => name in help.options || name in (primitive.gpuOptions ?? {}));

/** An option as flags. */
const flagsFor = (name: string, value: unknown): readonly string[] =>
  typeof value === "boolean"
    ? value
      ? [flagOf(name)]
      : []
    : [flagOf(name), String((value as ScalarType).name ?? value)];

/** What the command is called with, once the files of its operands are written. */
function argumentsFor(of: Described, { operands, options }: ExampleCall): readonly string[] {
  const files = operands.map(({ operand, type, ...filled }) => {
    const file = `${operand.name}.npy`;
    const data = asArray({ operand, type, ...filled }) as ScalarArray;
    writeFileSync(join(folder, file), dumpElements({ type: type as ScalarType, data, shape: [data.length] }));
    const key = keyInObject(operand.name);
    const given = key === undefined ? file : `${key}=${file}`;
    return isFlag(of, operand) ? [flagOf(givenAs(operand.name)), given] : [file];
  });
  const [, ...others] = Object.keys(of.help.results ?? {});
  const needed = others.filter((name) => of.help.flags?.[name] === "needed");
  return [
    commandOf(of),
    ...files.flat(),
    ...Object.entries(options).flatMap(([name, value]) =>
      name in of.help.options ? flagsFor(name, value) : [],
    ),
    ...needed.flatMap((name) => [flagOf(outputOf(of, name)), `${name}.out.npy`]),
    ...(of.help.results ? ["-o", "out.npy"] : []),
    ...SIMULATED,
  ];
}

/** The first result of a call, or of one without files, what is printed. */
function meantBy(of: Described, call: ExampleCall): unknown {
  const made = of.reference(...call.referenced());
  if (of.help.prints) {
    const named = of.help.prints.length === 1 ? { [of.help.prints[0] as string]: made } : Object(made);
    return `${of.help.prints.map((name) => named[name]).join(" ")}\n`;
  }
  return Array.from((ArrayBuffer.isView(made) ? made : Object.values(made as object)[0]) as Uint32Array);
}

test.each(withHelp)("wavefold $primitive.name gives what the reference does", (of) => {
  const calls = exampleCalls(of, u32, 9).filter((call) => isTaken(of, call));
  expect(calls.length).toBeGreaterThan(0);
  for (const call of calls.slice(0, 2)) {
    const { status, stdout, stderr } = runIn(folder, [...argumentsFor(of, call)]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const found = of.help.prints
      ? stdout
      : Array.from(parseElements(readFileSync(join(folder, "out.npy")), "out.npy").data as Uint32Array);
    expect(found).toEqual(meantBy(of, call));
  }
});
