// Breaks lines of the shaders, one at a time, and counts how many of these mutants random cases notice, on simulated machines.
// usage: node build/mutants.js [--count N] [--cases N] [--tries N] [--seed S] [--file TEXT]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import fc from "fast-check";
import { answer } from "./child.ts";
import type { Case, FamilyName } from "./families.ts";
import { caseArbitrary, encodeCase, familyNames } from "./families.ts";
import { simulatedMachines } from "./machines.ts";
import type { Limits, Runner } from "./parent.ts";
import { startRunner } from "./parent.ts";
import { scaleOf } from "./plans.ts";
import type { Ended } from "./run_case.ts";

/** Families whose cases run no kernels of ours, or hardly any. */
const others: readonly FamilyName[] = ["text", "files", "lifetime", "junk"];

/** A change of a line: it returns the changed line, or the same one if it has nothing to change. */
type Operator = (line: string) => string;

const swapped = (a: string, b: string): Operator => {
  const pattern = new RegExp(`(?<= )(${[a, b].map((one) => one.replace(/\W/g, "\\$&")).join("|")})(?= )`);
  return (line) => line.replace(pattern, (found) => (found === a ? b : a));
};

/** The ways to break a line, by name. */
const operators: Readonly<Record<string, Operator>> = {
  "+ and -": swapped("+", "-"),
  "< and <=": swapped("<", "<="),
  "> and >=": swapped(">", ">="),
  "== and !=": swapped("==", "!="),
  "&& and ||": swapped("&&", "||"),
  "<< and >>": swapped("<<", ">>"),
  "& and |": swapped("&", "|"),
  "min and max": (line) => line.replace(/\b(min|max)\(/, (found) => (found === "min(" ? "max(" : "min(")),
  "a number more": (line) => line.replace(/\b(\d+)u\b/, (_, number) => `${Number(number) + 1}u`),
  "no statement": (line) => (/^ +[a-z][\w.[\]]* [-+*|&]?= .*;$|^ +\w+\(.*\);$/.test(line) ? "" : line),
};

/** A line of a shader, changed. */
interface Mutant {
  readonly file: string;
  readonly number: number;
  readonly operator: string;
  readonly from: string;
  readonly to: string;
}

/** All mutants of the files whose names have a text in them. */
function mutantsOf(part: string): readonly Mutant[] {
  const files = readdirSync("shaders", { recursive: true, encoding: "utf8" })
    .map((name) => join("shaders", name).replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".wgsl") && name.includes(part));
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((from, at) =>
        /^\s*\/\/|^\s*$/.test(from)
          ? []
          : Object.entries(operators).flatMap(([operator, change]) => {
              const to = change(from);
              return to === from ? [] : [{ file, number: at + 1, operator, from, to }];
            }),
      ),
  );
}

/** Whether a text has a line, which may be indented otherwise: loops that are written out are. */
const hasLine = (code: string, line: string): boolean => code.includes(line.trim());

/** Runs cases, one after another, with each kernel's text changed before it is compiled. `compiled` sees the texts as they were. */
function runnerWith(
  change: (code: string) => string,
  compiled: (code: string) => void = () => {},
): ReturnType<typeof simulatedMachines> {
  return simulatedMachines(scaleOf("simulated"), (device) => {
    const compile = device.createShaderModule.bind(device);
    Object.defineProperty(device, "createShaderModule", {
      configurable: true,
      value(descriptor: GPUShaderModuleDescriptor) {
        compiled(descriptor.code);
        return compile({ ...descriptor, code: change(descriptor.code) });
      },
    });
  });
}

/** A case that passes, and the texts of its kernels. */
interface KnownCase {
  readonly one: Case;
  readonly codes: ReadonlySet<string>;
}

/** Draws cases, and finds which kernels each compiles on a device of its own. A case that fails without a mutant stops it. */
async function knownCases(count: number, seed: number): Promise<readonly KnownCase[]> {
  const only = familyNames.filter((name) => !others.includes(name));
  const drawn = fc.sample(caseArbitrary(scaleOf("simulated"), only), { numRuns: count, seed });
  const known: KnownCase[] = [];
  for (const one of drawn) {
    const codes = new Set<string>();
    const { fault } = await runnerWith(
      (code) => code,
      (code) => codes.add(code),
    )(one);
    if (fault !== undefined) {
      throw new Error(`a case fails without a mutant: ${fault}\n${encodeCase(one)}`);
    }
    known.push({ one, codes });
  }
  return known;
}

type Fate = "dies" | "lives" | "does not compile" | "is in no kernel of these cases";

/** A mutant, and the cases that have its line. */
interface Trial {
  readonly family: "mutants";
  readonly mutant: Mutant;
  readonly having: readonly Case[];
}

/** Runs cases on a mutant until one fails. */
async function endOfTrial({ mutant: { from, to }, having }: Trial): Promise<Ended> {
  const run = runnerWith((code) => code.replaceAll(from.trim(), () => to.trim()));
  for (const one of having) {
    const { fault } = await run(one);
    if (fault !== undefined) {
      return { fault };
    }
  }
  return { verdict: "passed" };
}

/** A mutant may loop for ever, or fill memory. Its process is ended then: the mutant was noticed. */
const limits: Limits = { caseMs: 120_000, bytes: 4e9, cases: 100 };

/** What becomes of a mutant in cases that have its line. */
async function fateOf(trial: Trial, runner: Runner<Trial>): Promise<Fate> {
  const { verdict, message = "" } = await runner.run(trial);
  if (verdict !== "failed") {
    return "lives";
  }
  return /does not compile|ShaderError|SourceError/.test(message) ? "does not compile" : "dies";
}

const whole = (given: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 1 up.");
  }
  return Number(given);
};

async function main(): Promise<void> {
  const { count, cases, tries, seed, file } = new Command("mutants")
    .description("Breaks lines of the shaders, and counts how many of these mutants random cases notice.")
    .option("--count <n>", "mutants", whole, 100)
    .option("--cases <n>", "cases to draw", whole, 300)
    .option("--tries <n>", "cases that a mutant has to outlive", whole, 12)
    .option("--seed <n>", "of the cases and the mutants", whole, 1)
    .option("--file <text>", "a part of the names of the files to break", "device/")
    .parse()
    .opts<{ count: number; cases: number; tries: number; seed: number; file: string }>();
  const all = mutantsOf(file);
  if (all.length === 0) {
    throw new Error(`no shader whose name has "${file}" has a line to break`);
  }
  const known = await knownCases(cases, seed);
  const fates = new Map<Fate, number>();
  const runner = await startRunner<Trial>(fileURLToPath(import.meta.url), [], limits);
  for (const at of fc.sample(fc.nat(all.length - 1), { numRuns: count, seed })) {
    const mutant = all[at] as Mutant;
    const having = known
      .filter(({ codes }) => [...codes].some((code) => hasLine(code, mutant.from)))
      .slice(0, tries)
      .map(({ one }) => one);
    const fate: Fate =
      having.length === 0
        ? "is in no kernel of these cases"
        : await fateOf({ family: "mutants", mutant, having }, runner);
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
    if (fate === "lives") {
      console.log(`lives: ${mutant.file}:${mutant.number} (${mutant.operator}) ${mutant.from.trim()}`);
    }
  }
  runner.close();
  const numberOf = (fate: Fate): number => fates.get(fate) ?? 0;
  const tried = numberOf("dies") + numberOf("lives");
  const share = tried === 0 ? "none was tried" : `${Math.round((100 * numberOf("dies")) / tried)} %`;
  console.log(`\n${numberOf("dies")} of ${tried} mutants die (${share})`);
  console.log([...fates].map(([fate, number]) => `${fate}: ${number}`).join(", "));
}

if (process.argv[2] === "--child") {
  answer<Trial>({ ready: "Wavefold's simulator", kind: "simulated", run: endOfTrial });
} else {
  await main();
  process.exit();
}
