import { adapterOf, requireTuning, tunedRowOf } from "../plan/adapter_tuning.ts";
import type { Context } from "./context.ts";
import { contextOf } from "./device.ts";
import type { Fold } from "./fold.ts";
import { testSinglePass } from "./look_back_test.ts";
import { tuneNow } from "./tune_adapter.ts";
import type { OpenStore, TuningStore } from "./tuning_store.ts";

const TITLE = "openFold";

/**
 * Does what the options of `openFold` ask for once the device is there: it tunes, and then it tests. The fold is destroyed if
 * that throws.
 *
 * For the tuning `"auto"`, it takes the one that the store has for the adapter; or it tunes the adapter now, and the store
 * keeps the result.
 *
 * @throws {ArgumentError} for anything but a tuning of this version and this adapter.
 * @throws {DeviceLostError}
 */
export async function measured(
  fold: Fold,
  { tuning, testSinglePass: isTested }: { readonly tuning?: unknown; readonly testSinglePass?: boolean },
  openStore: OpenStore = async () => (await import("./tuning_store.ts")).browserStore(),
): Promise<void> {
  const context = contextOf(fold.device);
  try {
    if (tuning !== undefined) {
      const given = tuning === "auto" ? await automatic(fold, context, await openStore()) : tuning;
      const own = requireTuning(given, adapterOf(context.device.adapterInfo), TITLE);
      const { facts } = context;
      context.facts = { ...facts, tuned: tunedRowOf(own), lookBack: own.singlePass ?? facts.lookBack };
    }
    if (isTested) {
      await testSinglePass(context);
    }
  } catch (cause) {
    fold.destroy();
    throw cause;
  }
}

async function automatic(fold: Fold, { device, facts }: Context, store: TuningStore): Promise<unknown> {
  const adapter = adapterOf(device.adapterInfo);
  // A browser that updates itself may have another compiler. In Node.js, the description of most adapters has the driver's version.
  const agent = (globalThis.navigator as Navigator | undefined)?.userAgent ?? "";
  const limits = [
    facts.limits.maxComputeInvocationsPerWorkgroup,
    facts.limits.maxComputeWorkgroupStorageSize,
  ];
  const key = JSON.stringify([...Object.values(adapter), ...limits, [...facts.features].sort(), agent]);
  const kept = await store.get(key);
  try {
    return requireTuning(kept, adapter, TITLE);
  } catch {
    // There is none yet, or one of another version.
    const tuning = await tuneNow(fold);
    await store.set(key, tuning);
    return tuning;
  }
}
