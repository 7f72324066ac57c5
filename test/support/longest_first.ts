import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import type { Reporter, TestModule, TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { isQuick } from "./tier.ts";

/** About how many seconds each file takes in each tier. Only their order matters. */
type Seconds = Record<"full" | "quick", Record<string, number>>;

const file = new URL("seconds.json", import.meta.url);
const read = (): Seconds => JSON.parse(readFileSync(file, "utf8")) as Seconds;
const tier = (): keyof Seconds => (isQuick() ? "quick" : "full");

/**
 * Starts the files that take longest first, so that no worker is left with one of them at the end. Unknown files come before all.
 * Files that share processes come after those with their own: a shared process ends where one of the others follows.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = read()[tier()];
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      seconds[relative(process.cwd(), moduleId)] ?? Number.MAX_VALUE;
    const isShared = ({ project }: TestSpecification): number => Number(project.config.isolate === false);
    return [...files].sort((a, b) => isShared(a) - isShared(b) || secondsOf(b) - secondsOf(a));
  }
}

/** Writes what each file of this run took where WAVEFOLD_WRITE_SECONDS=1 asks for it. */
export const secondsReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    if (process.env.WAVEFOLD_WRITE_SECONDS !== "1") {
      return;
    }
    const seconds = read();
    for (const module of modules) {
      const { duration, collectDuration, prepareDuration } = module.diagnostic();
      const milliseconds = duration + collectDuration + prepareDuration;
      seconds[tier()][module.relativeModuleId] = Math.round(milliseconds / 100) / 10;
    }
    for (const [name, times] of Object.entries(seconds) as [keyof Seconds, Record<string, number>][]) {
      seconds[name] = Object.fromEntries(Object.entries(times).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    writeFileSync(file, `${JSON.stringify(seconds, null, 2)}\n`);
  },
};
