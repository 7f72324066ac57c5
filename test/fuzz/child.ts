import process from "node:process";
import { openFold } from "../../src/node.ts";
import type { Case } from "./families.ts";
import { fixtureOn } from "./fixture.ts";
import { simulatedMachines } from "./machines.ts";
import type { AdapterKind } from "./plans.ts";
import { scaleOf } from "./plans.ts";
import type { Ended } from "./run_case.ts";
import { endOf } from "./run_case.ts";
import { shuffleSubgroups } from "./subgroup_order.ts";
import { oneLine } from "./verdict.ts";

/** How a case ended, as the process that runs it tells it. */
export interface Answer extends Ended {
  readonly number: number;
  /** The most memory that the process has had, in bytes. */
  readonly peakBytes: number;
}

/** What the process is asked: to run a case, or what else its stage runs. */
export interface Question<T = Case> {
  readonly number: number;
  readonly one: T;
}

/** What it says once it has a device. */
export interface Ready {
  readonly ready: string;
  readonly kind: AdapterKind;
}

/** What it says where there is none. */
export interface NoDevice {
  readonly noDevice: string;
}

/** What runs cases. */
export interface Stage<T = Case> extends Ready {
  run(one: T): Promise<Ended>;
}

async function stageOn(adapter: AdapterKind, shufflesSubgroups: boolean): Promise<Stage> {
  if (adapter === "simulated") {
    return {
      ready: "Wavefold's simulator",
      kind: adapter,
      run: simulatedMachines(scaleOf(adapter)),
    };
  }
  const fold = await openFold({ adapter });
  if (shufflesSubgroups && fold.software) {
    shuffleSubgroups(fold.device);
  }
  const { vendor, architecture, device, description } = fold.adapterInfo;
  const kind = fold.software ? "software" : "gpu";
  const fixture = fixtureOn(fold, scaleOf(kind));
  return {
    ready: [description, vendor, architecture, device].filter((text) => text !== "").join(" "),
    kind,
    run: (one) => endOf(one, fixture),
  };
}

/** Opens a device, and runs the cases that the parent sends, one after another. */
export async function serve(adapter: AdapterKind, shufflesSubgroups: boolean): Promise<void> {
  const stage = await stageOn(adapter, shufflesSubgroups).catch((cause) => {
    const refused: NoDevice = { noDevice: oneLine(cause) };
    process.send?.(refused);
    process.exitCode = 1;
    process.disconnect();
  });
  if (stage !== undefined) {
    answer(stage);
  }
}

/** Runs what the parent sends, one after another. */
export function answer<T>(stage: Stage<T>): void {
  const stray: string[] = [];
  process.on("unhandledRejection", (cause) =>
    stray.push(`a rejection that nobody handles: ${oneLine(cause)}`),
  );
  process.on("uncaughtException", (cause) =>
    stray.push(`an exception that nobody catches: ${oneLine(cause)}`),
  );
  process.on("disconnect", () => process.exit(0));
  process.on("message", async ({ number, one }: Question<T>) => {
    const ended = await stage.run(one);
    const told: Answer = {
      number,
      ...(stray.length > 0 ? { fault: stray.splice(0).join("; ") } : ended),
      peakBytes: process.resourceUsage().maxRSS * 1024,
    };
    process.send?.(told);
  });
  const ready: Ready = { ready: stage.ready, kind: stage.kind };
  process.send?.(ready);
}
