import { DeviceLostError } from "../../errors.ts";
import type { AdapterTuning, TunedAdapter } from "../../plan/adapter_tuning.ts";
import { adapterOf, requireTuning, tunedRowsOf, verdictFor } from "../../plan/adapter_tuning.ts";
import type { Context } from "../device/context.ts";
import { trim } from "../device/kept_pipelines.ts";
import { Fold } from "../fold.ts";
import { runOnFold } from "./litmus.ts";
import { testSinglePass } from "./probe_single_pass.ts";
import { tuneNow } from "./tune_adapter.ts";
import type { OpenStore, TuningStore } from "./tuning_store.ts";
import { browserStore } from "./tuning_store.ts";

export { runOnFold, tuneNow };

const TITLE = "openFold";

/**
 * Does what the options `tuning` and `testSinglePass` of `openFold` ask for, on the device that was opened: it tunes, and then it tests. If
 * that throws, it destroys the fold.
 *
 * For the tuning `"auto"`, it takes the one that the store has for the adapter; or it tunes the adapter now, and the store
 * keeps the result. If the adapter cannot be tuned, there is no tuning.
 *
 * @throws {ArgumentError} for anything but a tuning of this version and this adapter.
 * @throws {DeviceLostError}
 */
export async function measured(
  fold: Fold,
  { tuning, testSinglePass: isTested }: { readonly tuning?: unknown; readonly testSinglePass?: boolean },
  openStore: OpenStore = async () => browserStore(),
): Promise<void> {
  const context = Fold.contextOf(fold);
  const before = context.singlePassTest;
  try {
    if (tuning !== undefined) {
      const adapter = adapterOf(context.device.adapterInfo);
      const own =
        tuning === "auto"
          ? await automatic(fold, context, adapter, await openStore())
          : requireTuning(tuning, adapter, TITLE);
      if (own !== undefined) {
        // Plans that were kept for later calls have other sizes.
        trim(context);
        const { facts, singlePassTest } = context;
        // A test on this device counts more than the verdict of a file.
        const verdict = singlePassTest?.passed ?? verdictFor(own, adapter);
        context.facts = { ...facts, tuned: tunedRowsOf(own), lookBack: verdict ?? facts.lookBack };
        const lengths = context.cpu?.lengths;
        if (lengths) {
          context.cpu = { ...context.cpu, lengths: { ...lengths, ...own.cpuLengths } };
        }
      }
    }
    if (isTested && context.singlePassTest === before) {
      await testSinglePass(context);
    }
  } catch (cause) {
    fold.destroy();
    throw cause;
  }
}

/** The tunings that are under way. Two at once on a device would time each other. */
const underWay = new WeakMap<GPUDevice, Promise<AdapterTuning>>();

async function automatic(
  fold: Fold,
  { device, facts }: Context,
  adapter: TunedAdapter,
  store: TuningStore,
): Promise<AdapterTuning | undefined> {
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
  }
  const tuning = underWay.get(device) ?? tuneNow(fold);
  underWay.set(device, tuning);
  try {
    const own = await tuning;
    // If there was no time for one row, there may be another time.
    if (own.rows.length > 0) {
      await store.set(key, own);
    }
    return own;
  } catch (cause) {
    if (cause instanceof DeviceLostError) {
      throw cause;
    }
    return undefined;
  } finally {
    underWay.delete(device);
  }
}
