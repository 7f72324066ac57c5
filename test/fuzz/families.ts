import fc from "fast-check";
import { described } from "../support/primitives.ts";
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
import type { StreamsCase } from "./streams.ts";
import { runStreams, streamsArbitrary } from "./streams.ts";
import type { TextCase } from "./text.ts";
import { runText, textArbitrary } from "./text.ts";
import type { Verdict } from "./verdict.ts";
import { inShortBindings } from "./windows.ts";

/** What a case of a family does. */
type FamilyCase =
  | RecordedCase
  | JunkCase
  | InKernelCase
  | TextCase
  | NumbersCase
  | FilesCase
  | LifetimeCase
  | DescribedCase
  | StreamsCase;
/** A case: plain data, which a line of text holds. */
export type Case = FamilyCase & {
  /** The simulated machine that it runs on. */
  readonly machine?: MachineSpec;
  /** Which calls at hand the CPU takes; none where it is left out. */
  readonly cpu?: CpuSpec;
  /** Whether the device is taken for one whose bindings are short, so that ranges go in windows. */
  readonly windows?: boolean;
};
export type FamilyName = FamilyCase["family"];

interface Family<C extends FamilyCase> {
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  /** How often its cases go in windows. They are drawn for longer data. */
  readonly inWindows?: number;
  arbitrary(scale: Scale, inWindows?: boolean): fc.Arbitrary<C>;
  run(one: C, fixture: Fixture): Promise<Verdict>;
}

const families: { readonly [Name in FamilyName]: Family<Extract<FamilyCase, { family: Name }>> } = {
  recorded: { weight: 12, inWindows: 3, arbitrary: recordedArbitrary, run: runRecorded },
  "in-kernel": { weight: 8, arbitrary: inKernelArbitrary, run: runInKernel },
  // Each primitive is drawn as often.
  described: {
    weight: Math.ceil(2.5 * described.length),
    inWindows: 7,
    arbitrary: describedArbitrary,
    run: runDescribed,
  },
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
  const long = { ...scale, usualLength: scale.inWindows, rareLength: 2.5 * scale.inWindows };
  const cases = fc.oneof(
    ...only.flatMap((name) => {
      const { weight, inWindows = 0, arbitrary } = families[name] as Family<FamilyCase>;
      const windows = arbitrary(long, true).map((one) => ({ ...one, windows: true }));
      return [
        { weight, arbitrary: arbitrary(scale) },
        ...(inWindows > 0 ? [{ weight: inWindows, arbitrary: windows }] : []),
      ];
    }),
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
  withCpu(one.cpu, fixture, (own) => {
    const run = (on: Fixture): Promise<Verdict> => (families[one.family] as Family<FamilyCase>).run(one, on);
    return one.windows ? inShortBindings(own, run) : run(own);
  });

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
