import type { Fold } from "../../src/gpu/fold.ts";
import { openFold } from "../../src/gpu/open.ts";
import type { AdapterTuningRow } from "../../src/plan/adapter_tuning.ts";
import { adapterOf, tuningOf } from "../../src/plan/adapter_tuning.ts";
import type { ReadModule } from "../../src/simulator/device/compiler.ts";
import { SimulatedGpuObject } from "../../src/simulator/device/gpu.ts";
import { moduleText } from "../../src/simulator/kept_texts.ts";
import type { SimulatorOptions } from "../../src/simulator/options.ts";
import type { TraceEvent } from "../../src/simulator/trace_event.ts";

/** A dispatch as it was about to run. */
export interface Dispatch {
  readonly code: string;
  readonly entryPoint: string;
  readonly groups: readonly [number, number, number];
  /** The words of each binding, by the variable's place: "group,binding". */
  readonly words: ReadonlyMap<string, readonly number[]>;
  /** How many words of each variable it used, from the start on. */
  readonly reach: ReadonlyMap<string, number>;
}

/** What Wavefold dispatches on a simulated GPU while it does something. `rows` are sizes that its calls do not take as options. */
export async function dispatchesOf(
  options: SimulatorOptions,
  rows: readonly AdapterTuningRow[],
  work: (fold: Fold, device: GPUDevice) => Promise<void>,
): Promise<readonly Dispatch[]> {
  const dispatches: Dispatch[] = [];
  const reach = new Map<string, number>();
  const trace = ({ variable, index, values }: TraceEvent): void => {
    reach.set(variable, Math.max(reach.get(variable) ?? 0, index + values.length));
  };
  const gpu = new SimulatedGpuObject({ ...options, trace }, capturing(dispatches, reach));
  const adapter = await gpu.requestAdapter();
  const device = await adapter?.requestDevice({ requiredFeatures: options.features as GPUFeatureName[] });
  if (device === undefined) {
    throw new Error("the simulated GPU gives no device");
  }
  const tuning = tuningOf(adapterOf(device.adapterInfo), undefined, rows);
  const fold = await openFold({ device, ...(rows.length > 0 && { tuning }) });
  await work(fold, device);
  fold.destroy();
  return dispatches;
}

/** Reads modules whose dispatches are noted. */
const capturing =
  (dispatches: Dispatch[], reach: Map<string, number>): ReadModule =>
  (code) => {
    const text = moduleText(code);
    return {
      ...text,
      program(entryPoint, constants) {
        const program = text.program(entryPoint, constants);
        const { workGroupSize, sites } = program;
        return {
          workGroupSize,
          sites,
          run(machine, groups, ranges) {
            const words = new Map([...ranges].map(([key, range]) => [key, Array.from(range.words)]));
            reach.clear();
            program.run(machine, groups, ranges);
            dispatches.push({ code, entryPoint, groups, words, reach: new Map(reach) });
          },
        };
      },
    };
  };
