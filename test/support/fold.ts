import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Operator } from "../../src/algebra/monoid.ts";
import { AdapterError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { adapter, swiftShaderMissing } from "./adapter.ts";

export { adapter };

/**
 * One fold on the software adapter for a file: opened before its tests, destroyed after them. Where SwiftShader is not built
 * and there is no other adapter, the tests are skipped.
 */
export function useSoftwareFold(): () => Fold {
  let fold: Fold | undefined;
  let missing: string | undefined;
  beforeAll(async () => {
    try {
      fold = await openFold({ adapter });
    } catch (cause) {
      if (swiftShaderMissing === undefined || !(cause instanceof AdapterError)) {
        throw cause;
      }
      missing = cause.message;
    }
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(() => fold?.destroy());
  return () => {
    if (fold === undefined) {
      throw new Error("the fold is opened in beforeAll");
    }
    return fold;
  };
}

/** Plans as on a GPU: a software adapter takes long items one by one, and not as vectors. */
export async function asOnGpus<T>({ device }: Fold, prepare: () => Promise<T>): Promise<T> {
  const restore = planAs({ device }, { software: false });
  try {
    return await prepare();
  } finally {
    restore();
  }
}

/** Has a device taken for another in what is planned from now on. It returns what takes that back. */
export function planAs({ device }: Pick<Fold, "device">, facts: Partial<DeviceFacts>): () => void {
  const context = contextOf(device);
  const { facts: own } = context;
  context.facts = { ...own, ...facts };
  return () => {
    context.facts = own;
  };
}

/** An operator where the type is not known: what it takes is then checked when it runs. */
export const untyped = (op: Operator): Operator<string> => op as Operator<string>;

export const algorithmNames = ["hillis-steele", "blelloch", "subgroup"] as const;
