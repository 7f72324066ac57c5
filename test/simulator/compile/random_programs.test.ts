import process from "node:process";
import { describe, expect, test } from "vitest";
import type { SimulatorOptions } from "../../../src/simulator/options.ts";
import { adapter, skipAll, swiftShaderMissing } from "../../support/adapter.ts";
import { compileKernel } from "../../support/buffers.ts";
import { useSoftwareFold } from "../../support/fold.ts";
import { randomBits } from "../../support/random.ts";
import { runProgram } from "../run_program.ts";
import { INPUTS, randomModule, THREADS } from "./random_programs.ts";

skipAll(swiftShaderMissing ?? (adapter === "gpu" ? "results are compared with SwiftShader's" : undefined));
const fold = useSoftwareFold();

/** `WAVEFOLD_RANDOM_PROGRAMS=5000 npx vitest run FILE` compares so many programs. */
const count = Number(process.env.WAVEFOLD_RANDOM_PROGRAMS ?? 40);
const IN_MODULE = 20;
const GROUPS = 3;

/** A GPU. Which it is makes no difference to the programs. */
function randomOptions(next: () => number): SimulatorOptions {
  const of = <Item>(items: readonly Item[]): Item => items[next() % items.length] as Item;
  return {
    subgroupSize: of([1, 4, 8, 32]),
    lanes: of(["natural", "reversed", "permuted"]),
    schedule: of(["in order", "reversed", "random", "priorities", "starve"]),
    residentGroups: of([1, 2, 3]),
    seed: next(),
  };
}

/** The first program that has another result, and the text of it and all that it calls. */
function told(code: string, program: number, thread: number, words: readonly (number | undefined)[]): string {
  const [ours, theirs] = words.map((word) => (word ?? 0) >>> 0);
  return `program${program} gives thread ${thread} ${ours} here, ${theirs} on SwiftShader:\n${code}`;
}

describe("random programs give what they give on SwiftShader", () => {
  const modules = Array.from({ length: Math.ceil(count / IN_MODULE) }, (_, at) => at);
  test.each(modules)("module %i", async (at) => {
    const code = randomModule(randomBits(`program ${at}`), IN_MODULE);
    const next = randomBits(`input ${at}`);
    const input = Uint32Array.from({ length: INPUTS }, () => (next() % 3 === 0 ? next() % 16 : next()));
    const threads = THREADS * GROUPS;
    const poison = new Uint32Array(threads * IN_MODULE).fill(0xdeadbeef);
    const run = await compileKernel(fold().device, code);
    const theirs = await run([poison, input, new Uint32Array(threads)], GROUPS);
    const buffers = [new Int32Array(poison), new Int32Array(input), threads];
    const { words, findings } = runProgram(code, buffers, [GROUPS, 1, 1], randomOptions(next));
    // Threads exchange values with themselves alone, wherever they are.
    expect(findings.filter(({ kind }) => kind !== "divergence")).toEqual([]);
    const [ours] = words;
    const wrong = ours?.findIndex((word, index) => word >>> 0 !== theirs[0]?.[index]) ?? 0;
    if (wrong >= 0) {
      const pair = [ours?.[wrong], theirs[0]?.[wrong]];
      expect.fail(told(code, wrong % IN_MODULE, Math.floor(wrong / IN_MODULE), pair));
    }
    expect([...(words[2] ?? [])].map((word) => word >>> 0)).toEqual([...(theirs[2] ?? [])]);
  });
});
