import { describe, expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import type { DescribedCase } from "../fuzz/described.ts";
import { runDescribed } from "../fuzz/described.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import { Fault } from "../fuzz/verdict.ts";
import { adapter, allowFindings } from "./fold.ts";
import type { Change } from "./plant.ts";
import { arriveInOrder, plant } from "./plant.ts";

// Rules of a primitive are broken in the shaders' texts, one at a time. A call that is right must then be wrong.

/** What a call gives, and what it should give. */
type Outcome = readonly [found: unknown, expected: unknown];
/** Calls, each of which is made only once it is asked for: the first wrong one is enough. */
export type Subject = (fold: Fold) => AsyncIterable<Outcome>;

/** What a rule's text is replaced by, and what else there is to know of it. */
type Mutation = readonly [from: Change["from"], to: string, more?: MutationDetails];

interface MutationDetails {
  /** What else is changed, since the mutation would not show without it. Alone, it leaves all results right. */
  readonly besides?: Change & {
    /** Whether that takes an adapter on which items arrive in order, which WGSL does not promise. */
    readonly needsOrder?: boolean;
  };
  /** Why it does not show on GPUs, if it does not. */
  readonly unseenOnGpus?: string;
}

/** Mutations, by the calls that show them and by what is wrong then. */
export type Mutations<Name extends string> = {
  readonly [name in Name]?: Readonly<Record<string, Mutation>>;
};

/**
 * The examples of a primitive that is described, on arrays in buffers with other bytes around them: with their lengths on the GPU, and recorded.
 */
export const examplesOf = (
  primitive: string,
  {
    examples = [0, 1, 2],
    type = "u32",
  }: { readonly examples?: readonly number[]; readonly type?: DescribedCase["call"]["type"] } = {},
): Subject =>
  async function* (fold) {
    // Plans that it keeps have the kernels of this mutation.
    const fixture = fixtureOn(fold, scaleOf("simulated"));
    const data = { kind: "bits", seed: 5 } as const;
    const options = { workGroupSize: 16, itemsPerThread: 4 };
    try {
      for (const example of examples) {
        const call = { primitive, type, maxLength: 301, example, seed: 5, options } as const;
        for (const place of ["counted", "recorded"] as const) {
          // Items that share words do not fill the last one.
          const step = { place, length: type === "u32" ? 300 : 299, data, before: 4, firstIndex: 7 };
          yield [await runDescribed({ family: "described", call, steps: [step] }, fixture), "passed"];
        }
      }
    } finally {
      fixture.release();
    }
  };

/** Tests that calls are right, and that each mutation makes them wrong. */
export function testMutations<Name extends string>(
  fold: () => Fold,
  subjects: Readonly<Record<Name, Subject>>,
  mutations: Mutations<Name>,
): void {
  describe("without a mutation, all is right", () => {
    test.for(Object.keys(subjects) as Name[])("%s", async (name) => {
      for await (const [found, expected] of subjects[name](fold())) {
        expect(found).toEqual(expected);
      }
    });
  });

  const rows = (Object.keys(mutations) as Name[]).flatMap((shownBy) =>
    Object.entries(mutations[shownBy] ?? {}).map(([title, [from, to, more = {}]]) => ({
      title,
      shownBy,
      change: { from, to },
      ...more,
    })),
  );
  test.for(rows)("caught: $title", async ({ shownBy, change, besides, unseenOnGpus }, { skip }) => {
    allowFindings();
    skip(adapter === "gpu" && unseenOnGpus !== undefined, unseenOnGpus);
    skip(besides?.needsOrder === true && !arriveInOrder(fold()), "items may arrive in any order here");
    const runWith = async (...changes: readonly Change[]): Promise<boolean> => {
      const takeBack = plant(fold(), ...changes);
      let isRight = true;
      let changed: readonly number[] = [];
      try {
        for await (const [found, expected] of subjects[shownBy](fold())) {
          isRight = isSame(found, expected);
          if (!isRight) {
            break;
          }
        }
      } catch (cause) {
        // What the fuzz finds.
        if (!(cause instanceof Fault)) {
          throw cause;
        }
        isRight = false;
      } finally {
        changed = takeBack();
      }
      // In software there is one for each. Which kernels a GPU takes depends on its vendor and its limits.
      skip(
        adapter === "gpu" && changed.includes(0),
        "no kernel that the plans choose on this GPU has the text",
      );
      expect(Math.min(...changed), "no shader has the text").toBeGreaterThan(0);
      return isRight;
    };
    if (besides) {
      expect(await runWith(besides), "what is changed besides leaves results right").toBe(true);
    }
    expect(await runWith(...(besides ? [besides] : []), change), "every result is right all the same").toBe(
      false,
    );
  });
}

function isSame(found: unknown, expected: unknown): boolean {
  try {
    expect(found).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}
