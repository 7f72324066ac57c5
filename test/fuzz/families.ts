import fc from "fast-check";
import { described } from "../support/primitives.ts";
import type { AtHandCase } from "./at_hand.ts";
import { atHandArbitrary, runAtHand } from "./at_hand.ts";
import type { CpuSpec } from "./cpu.ts";
import { cpuArbitrary, withCpu } from "./cpu.ts";
import type { DescribedCase } from "./described.ts";
import { describedArbitrary, runDescribed } from "./described.ts";
import type { FilesCase } from "./files.ts";
import { filesArbitrary, runFiles } from "./files.ts";
import type { Fixture } from "./fixture.ts";
import type { InKernelCase } from "./in_kernel.ts";
import { inKernelArbitrary, runInKernel } from "./in_kernel.ts";
import type { JunkCase } from "./junk.ts";
import { junkArbitrary, runJunk } from "./junk.ts";
import type { LifetimeCase } from "./lifetime.ts";
import { lifetimeArbitrary, runLifetime } from "./lifetime.ts";
import type { MachineSpec } from "./machine_spec.ts";
import { machineArbitrary } from "./machine_spec.ts";
import type { NumbersCase } from "./numbers.ts";
import { numbersArbitrary, runNumbers } from "./numbers.ts";
import type { Scale } from "./plans.ts";
import type { RecordedCase } from "./recorded.ts";
import { recordedArbitrary, runRecorded } from "./recorded.ts";
import type { SortCase } from "./sort.ts";
import { runSort, sortArbitrary } from "./sort.ts";
import type { StreamsCase } from "./streams.ts";
import { runStreams, streamsArbitrary } from "./streams.ts";
import type { TextCase } from "./text.ts";
import { runText, textArbitrary } from "./text.ts";
import type { Verdict } from "./verdict.ts";
import type { WindowsCase } from "./windows.ts";
import { runWindows, windowsArbitrary } from "./windows.ts";

/** What a case of a family does. */
type FamilyCase =
  | RecordedCase
  | AtHandCase
  | JunkCase
  | InKernelCase
  | TextCase
  | NumbersCase
  | FilesCase
  | LifetimeCase
  | SortCase
  | DescribedCase
  | WindowsCase
  | StreamsCase;
/** A case: plain data, which a line of text holds. */
export type Case = FamilyCase & {
  /** The simulated machine that it runs on. */
  readonly machine?: MachineSpec;
  /** Which calls at hand the CPU takes; none where it is left out. */
  readonly cpu?: CpuSpec;
};
export type FamilyName = FamilyCase["family"];

interface Family<C extends FamilyCase> {
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  arbitrary(scale: Scale): fc.Arbitrary<C>;
  run(one: C, fixture: Fixture): Promise<Verdict>;
}

const families: { readonly [Name in FamilyName]: Family<Extract<FamilyCase, { family: Name }>> } = {
  recorded: { weight: 12, arbitrary: recordedArbitrary, run: runRecorded },
  "at-hand": { weight: 8, arbitrary: atHandArbitrary, run: runAtHand },
  "in-kernel": { weight: 8, arbitrary: inKernelArbitrary, run: runInKernel },
  // Each primitive is drawn as often.
  described: { weight: Math.ceil(2.5 * described.length), arbitrary: describedArbitrary, run: runDescribed },
  sort: { weight: 4, arbitrary: sortArbitrary, run: runSort },
  windows: { weight: 3, arbitrary: windowsArbitrary, run: runWindows },
  streams: { weight: 4, arbitrary: streamsArbitrary, run: runStreams },
  text: { weight: 2, arbitrary: textArbitrary, run: runText },
  numbers: { weight: 4, arbitrary: numbersArbitrary, run: runNumbers },
  files: { weight: 1, arbitrary: filesArbitrary, run: runFiles },
  lifetime: { weight: 1, arbitrary: lifetimeArbitrary, run: runLifetime },
  junk: { weight: 2, arbitrary: junkArbitrary, run: runJunk },
};

export const familyNames = Object.keys(families) as FamilyName[];

/** Cases of some families, all of them where none is named. */
export function caseArbitrary(scale: Scale, only: readonly FamilyName[] = familyNames): fc.Arbitrary<Case> {
  const cases = fc.oneof(
    ...only.map((name) => ({
      weight: families[name].weight,
      arbitrary: families[name].arbitrary(scale) as fc.Arbitrary<FamilyCase>,
    })),
  );
  const machines: fc.Arbitrary<Pick<Case, "machine">> = scale.hasMachines
    ? machineArbitrary().map((machine) => ({ machine }))
    : fc.constant({});
  return fc
    .tuple(cases, machines, cpuArbitrary())
    .map(([one, machine, cpu]) => ({ ...one, ...machine, ...(cpu && { cpu }) }));
}

/**
 * Runs a case.
 *
 * @throws {Fault} what it found.
 */
export const runCase = (one: Case, fixture: Fixture): Promise<Verdict> =>
  withCpu(one.cpu, fixture, (own) => (families[one.family] as Family<FamilyCase>).run(one, own));

/** A case as a shell takes it in single quotes. */
export const encodeCase = (one: Case): string =>
  JSON.stringify(one).replace(
    /['\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** @throws where the text is no case. */
export function decodeCase(text: string): Case {
  const one = JSON.parse(text) as Case | null;
  if (typeof one !== "object" || one === null || !Object.hasOwn(families, one.family)) {
    throw new Error(`it is no case of ${familyNames.join(", ")}`);
  }
  return one;
}
