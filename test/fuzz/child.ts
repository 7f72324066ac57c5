import process from "node:process";
import { openFold } from "../../src/node.ts";
import type { Case } from "./families.ts";
import { runCase } from "./families.ts";
import type { Fixture } from "./fixture.ts";
import { fixtureOn } from "./fixture.ts";
import { scaleOf } from "./plans.ts";
import { shuffleSubgroups } from "./subgroup_order.ts";
import type { Verdict } from "./verdict.ts";
import { Fault, oneLine } from "./verdict.ts";

/** How a case ended, as the process that runs it tells it. */
export interface Answer {
  readonly number: number;
  readonly verdict?: Verdict;
  /** What it found. */
  readonly fault?: string;
  /** The most memory that the process has had, in bytes. */
  readonly peakBytes: number;
}

/** What the process is asked. */
export interface Question {
  readonly number: number;
  readonly one: Case;
}

/** What it says once it has a device. */
export interface Ready {
  readonly ready: string;
  readonly software: boolean;
}

/** What it says where there is none. */
export interface NoDevice {
  readonly noDevice: string;
}

/** Opens a device, and runs the cases that the parent sends, one after another. */
export async function serve(adapter: "gpu" | "software", shufflesSubgroups: boolean): Promise<void> {
  const fold = await openFold({ adapter }).catch((cause) => {
    const refused: NoDevice = { noDevice: oneLine(cause) };
    process.send?.(refused);
    process.exitCode = 1;
    process.disconnect();
  });
  if (fold === undefined) {
    return;
  }
  if (shufflesSubgroups && fold.software) {
    shuffleSubgroups(fold.device);
  }
  const { vendor, architecture, device, description } = fold.adapterInfo;
  const fixture: Fixture = fixtureOn(fold, scaleOf(fold.software));
  const stray: string[] = [];
  process.on("unhandledRejection", (cause) =>
    stray.push(`a rejection that nobody handles: ${oneLine(cause)}`),
  );
  process.on("uncaughtException", (cause) =>
    stray.push(`an exception that nobody catches: ${oneLine(cause)}`),
  );
  process.on("disconnect", () => process.exit(0));
  process.on("message", async ({ number, one }: Question) => {
    const ended = await run(one, fixture);
    const answer: Answer = {
      number,
      ...(stray.length > 0 ? { fault: stray.splice(0).join("; ") } : ended),
      peakBytes: process.resourceUsage().maxRSS * 1024,
    };
    process.send?.(answer);
  });
  const ready: Ready = {
    ready: [description, vendor, architecture, device].filter((text) => text !== "").join(" "),
    software: fold.software,
  };
  process.send?.(ready);
}

async function run(one: Case, fixture: Fixture): Promise<Pick<Answer, "verdict" | "fault">> {
  try {
    return { verdict: await runCase(one, fixture) };
  } catch (cause) {
    // What is left of the case belongs to it, and not to the next one.
    await fixture.requireNoError("").catch(() => undefined);
    return {
      fault:
        cause instanceof Fault
          ? cause.message
          : `the fuzzer itself failed: ${(cause as Error)?.stack ?? String(cause)}`,
    };
  }
}
