import fc from "fast-check";
import type { Case, FamilyName } from "./families.ts";
import { caseArbitrary, encodeCase, familyNames } from "./families.ts";
import type { Ended, Runner } from "./parent.ts";
import { scaleOf } from "./plans.ts";

/** What a session is asked for. */
export interface SessionOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly cases: number;
  readonly only: readonly FamilyName[];
  readonly keepGoing: boolean;
  readonly shrinkSeconds: number;
}

/** Something that was found, as short as it got. */
export interface Found {
  readonly message: string;
  readonly one: Case;
  /** Whether it shows in a process of its own. */
  readonly repeats: boolean;
  /** The number of the case that found it, counted from 1. */
  readonly at: number;
}

/** What a session saw. */
export interface Report {
  readonly passed: number;
  readonly refused: number;
  readonly families: ReadonlyMap<FamilyName, number>;
  readonly found: readonly Found[];
}

/** The most that is found before a session that keeps going ends. */
const MOST_FOUND = 20;
/** How often a candidate is tried, where the first one failed in some of its runs alone. */
const FLAKY_TRIES = 4;

/** What tells two findings apart: the message without its numbers, and without what is computed. */
export const shapeOf = (message: string): string =>
  message
    .replace(/"(?:[^"\\]|\\.)*"/g, "#")
    .replace(/0x[0-9a-f]+/g, "#")
    .replace(/\b(scan|reduce|compact)<[^>]*>/g, "$1")
    .replace(/(?:scan|reduce|compact)(?:, (?:scan|reduce|compact))*:/, "plans:")
    .replace(/-?\d[\d.e+-]*/g, "#")
    .replace(/ of \([^)]*\)/, "")
    .replace(/\bthe bytes \S+ and the CPU \S+/, "#")
    .slice(0, 80);

/** A seed for a batch. */
const seedOf = (seed: number, batch: number): number => (Math.imul(batch + 1, 0x9e3779b1) ^ seed) | 0;

/**
 * Draws cases and runs them until the time is over, as many as are asked for have run, or one fails: which is then made
 * as short as the time for it allows.
 */
export async function runSession(
  options: SessionOptions,
  runner: Runner,
  progress: (report: Report) => void,
): Promise<Report> {
  const end = Date.now() + options.seconds * 1000;
  const families = new Map<FamilyName, number>(familyNames.map((name) => [name, 0]));
  const found: Found[] = [];
  const shapes = new Set<string>();
  const report = { passed: 0, refused: 0, families, found };
  const scale = scaleOf(runner.kind);
  const { batchSize } = scale;
  let ran = 0;
  const isOver = (): boolean => Date.now() >= end || ran >= options.cases;

  for (let batch = 0; !isOver(); batch++) {
    const arbitrary = caseArbitrary(scale, options.only);
    let failure: { ended: Ended; shrink: Shrink; at: number } | undefined;
    const property = fc.asyncProperty(arbitrary, async (one) => {
      if (failure !== undefined) {
        return !(await failure.shrink.fails(one));
      }
      if (isOver()) {
        return true;
      }
      ran++;
      families.set(one.family, (families.get(one.family) ?? 0) + 1);
      const ended = await runner.run(one);
      progress(report);
      if (ended.verdict !== "failed") {
        report[ended.verdict]++;
        return true;
      }
      if (shapes.has(shapeOf(ended.message ?? ""))) {
        return true;
      }
      const shrink = await startShrink(one, ended, runner, options.shrinkSeconds);
      failure = { ended, shrink, at: ran };
      return false;
    });
    const seed = seedOf(options.seed, batch);
    // Where one failed, the rest of the batch is drawn once more, and goes on behind it.
    for (let from = 0; from < batchSize; ) {
      failure = undefined;
      const details = await fc.check(property, {
        seed,
        numRuns: batchSize - from,
        ...(from > 0 && { path: String(from) }),
      });
      const caught = failure as { ended: Ended; shrink: Shrink; at: number } | undefined;
      if (caught === undefined) {
        break;
      }
      const { shrink, at } = caught;
      found.push({ message: shrink.message, one: shrink.shortest, repeats: shrink.repeats, at });
      shapes.add(shapeOf(caught.ended.message ?? ""));
      if (!options.keepGoing || found.length >= MOST_FOUND) {
        return report;
      }
      from += details.numRuns;
    }
  }
  return report;
}

/** A failure on its way to the shortest case that shows it. */
interface Shrink {
  /** Whether a candidate shows it too; none does when the time is over. */
  fails(one: Case): Promise<boolean>;
  readonly shortest: Case;
  readonly message: string;
  readonly repeats: boolean;
}

async function startShrink(one: Case, ended: Ended, runner: Runner, seconds: number): Promise<Shrink> {
  const end = Date.now() + seconds * 1000;
  let shortest = one;
  let message = ended.message ?? "";
  const shape = shapeOf(message);
  let tries = 1;
  let repeats = false;
  for (let attempt = 0; attempt < FLAKY_TRIES && !repeats; attempt++) {
    const again = await runner.runAlone(one);
    repeats = again.verdict === "failed" && shapeOf(again.message ?? "") === shape;
    tries = attempt === 0 && repeats ? 1 : FLAKY_TRIES;
  }
  return {
    async fails(candidate) {
      for (let attempt = 0; repeats && attempt < tries && Date.now() < end; attempt++) {
        const again = await runner.run(candidate);
        // What fails in another way is another finding.
        if (again.verdict === "failed" && shapeOf(again.message ?? "") === shape) {
          shortest = candidate;
          message = again.message ?? message;
          return true;
        }
      }
      return false;
    },
    get shortest() {
      return shortest;
    },
    get message() {
      return message;
    },
    repeats,
  };
}

/** The command that repeats a case. */
export const repeatLine = (adapter: string, one: Case, settings = ""): string =>
  `npm run fuzz -- --adapter ${adapter}${settings} --repeat '${encodeCase(one)}'`;
