import fc from "fast-check";
import { plannedParams, recordedParams } from "../support/params.ts";
import type { Fixture } from "./fixture.ts";
import { collect } from "./fixture.ts";
import type { PlanSpec, Scale } from "./plans.ts";
import { factsOf, planArbitrary, sizeAround } from "./plans.ts";
import { arrayOf, bytesOf, itemBytes } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault } from "./verdict.ts";

// What is prepared is given back: plans of any size are made, recorded, and destroyed, and no buffer is left.

export interface LifetimeCase {
  readonly family: "lifetime";
  readonly plan: PlanSpec;
  readonly maxLength: number;
  /** Recordings of each plan. */
  readonly records: number;
  /** Whether it is a call at hand. */
  readonly atHand?: boolean;
}

export function lifetimeArbitrary(scale: Scale): fc.Arbitrary<LifetimeCase> {
  return fc.record(
    {
      family: fc.constant("lifetime" as const),
      plan: planArbitrary(scale),
      maxLength: fc.oneof(
        { weight: 2, arbitrary: sizeAround(scale.usualLength) },
        // As large as lengths get, or larger.
        { weight: 2, arbitrary: sizeAround(2 ** 32) },
      ),
      records: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 0, max: 3 }) },
        // More than a single pass numbers.
        { weight: 1, arbitrary: fc.constant(4100) },
      ),
      atHand: fc.boolean(),
    },
    { requiredKeys: ["family", "plan", "maxLength", "records"] },
  );
}

/** The most items that are recorded or handed over. */
const MOST_ITEMS = 9;
/** What is made once a device is left out of account by doing all once before it is counted. */
const CYCLES = 3;

export async function runLifetime(
  { plan, maxLength, records, atHand }: LifetimeCase,
  fixture: Fixture,
): Promise<Verdict> {
  const { fold } = fixture;
  const { device } = fold;
  const facts = factsOf(plan);
  const length = Math.min(maxLength, MOST_ITEMS);
  const data = itemBytes(facts.from, { kind: "small", seed: 1 }, MOST_ITEMS, true);
  const types = { type: facts.type, ...(facts.from !== facts.type && { from: facts.from }) };
  const isCompact = plan.primitive === "compact";
  const bufferOf = (): GPUBuffer =>
    device.createBuffer({
      size: Math.max(256, Math.ceil((MOST_ITEMS * 64) / 4) * 4),
      usage: 0x80 | 0x4 | 0x8,
    });

  const cycle = async (): Promise<boolean> => {
    if (atHand) {
      const call = fold[plan.primitive].bind(fold) as unknown as (
        given: object,
        options: object,
      ) => Promise<unknown>;
      const flags = facts.usesFlags ? { flags: new Uint8Array(length) } : {};
      const made = await attempt(`${facts.title} at hand`, false, () =>
        call(arrayOf(facts.from, data.subarray(0, length * facts.from.bytes)), {
          ...facts.options,
          ...types,
          ...flags,
        }),
      );
      return "result" in made;
    }
    const name = ({ scan: "prepareScan", reduce: "prepareReduce", compact: "prepareCompact" } as const)[
      plan.primitive
    ];
    const prepare = fold[name].bind(fold) as unknown as (
      options: object,
    ) => Promise<{ record(encoder: GPUCommandEncoder, ranges: object): void; destroy(): void }>;
    const made = await attempt(`prepare ${facts.title}`, false, () =>
      prepare({ ...types, ...plannedParams(facts.options), maxLength }),
    );
    if ("refusal" in made) {
      return false;
    }
    const buffers = [bufferOf(), bufferOf(), bufferOf(), bufferOf()] as const;
    const [input, output, flags, count] = buffers;
    device.queue.writeBuffer(
      input,
      0,
      data.slice().buffer,
      0,
      Math.floor(bytesOf(arrayOf(facts.from, data)).length / 4) * 4,
    );
    for (let done = 0; done < records; ) {
      const encoder = device.createCommandEncoder();
      for (let at = 0; at < 100 && done < records; at++, done++) {
        made.result.record(encoder, {
          input,
          output,
          length,
          ...(facts.usesFlags && { flags }),
          ...(isCompact && { count }),
          ...recordedParams(facts.options),
        });
      }
      device.queue.submit([encoder.finish()]);
    }
    await device.queue.onSubmittedWorkDone();
    made.result.destroy();
    for (const buffer of buffers) {
      buffer.destroy();
    }
    return true;
  };
  const title = `${facts.title}${atHand ? " at hand" : ""}`;
  let live = 0;
  for (let done = 0; done < CYCLES; done++) {
    const works = await cycle();
    await fixture.requireNoError(`${title}${maxLength > 2 ** 20 ? " for many items" : ""}`);
    if (!works) {
      return "refused";
    }
    // A spine that was replaced is held weakly, since an encoder may still hold it.
    if (done > 0 && fixture.liveBuffers > live) {
      await collect();
    }
    if (done > 0 && fixture.liveBuffers > live) {
      throw new Fault(
        `${title} leaves buffers: ${fixture.liveBuffers - live} more each time it is made and given back`,
      );
    }
    live = fixture.liveBuffers;
  }
  return "passed";
}
