import { openFold } from "../../src/node.ts";
import type { SimulatedGpuObject } from "../../src/simulator/device/gpu.ts";
import type { Finding } from "../../src/simulator/findings.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import type { Case } from "./families.ts";
import type { Fixture } from "./fixture.ts";
import { fixtureOn } from "./fixture.ts";
import type { Subgroups } from "./machine_spec.ts";
import { simplestMachine } from "./machine_spec.ts";
import type { Scale } from "./plans.ts";
import type { Ended } from "./run_case.ts";
import { endOf } from "./run_case.ts";
import { oneLine } from "./verdict.ts";

/** Devices that are open at a time. */
const MOST_OPEN = 3;
/** Of a device: those of a batch of cases. */
const MOST_PIPELINES = 500;
/** Of the buffers of a device. */
const MOST_BYTES = 2 ** 30;
/** Faults of a case that are told. */
const MOST_FAULTS = 3;

/** A device on a simulated GPU. */
interface Open {
  readonly gpu: SimulatedGpuObject;
  readonly fixture: Fixture;
}

async function openOn(subgroups: Subgroups, scale: Scale): Promise<Open> {
  const gpu = simulatedGpu({ ...subgroups, memoryLimit: MOST_BYTES }) as SimulatedGpuObject;
  const adapter = (await gpu.requestAdapter()) as GPUAdapter;
  return { gpu, fixture: fixtureOn(await openFold({ adapter, maxPipelines: MOST_PIPELINES }), scale) };
}

/** A finding in one line. What tells it from others comes first. */
const textOf = ({ kind, file, entryPoint, message }: Finding): string =>
  oneLine(`${kind} in ${entryPoint}: ${message} (${file || "no label"})`, 600);

/** Opens simulated devices for cases, and keeps those that were used last. `prepare` is called with each device. */
export function simulatedMachines(
  scale: Scale,
  prepare: (device: GPUDevice) => void = () => {},
): (one: Case) => Promise<Ended> {
  const open = new Map<string, Open>();
  const close = (key: string): void => {
    open.get(key)?.fixture.destroy();
    open.delete(key);
  };
  const use = async (key: string, subgroups: Subgroups): Promise<Open> => {
    const known = open.get(key);
    const used = known ?? (await openOn(subgroups, scale));
    if (known === undefined) {
      prepare(used.fixture.fold.device);
    }
    open.delete(key);
    open.set(key, used);
    const [oldest] = open.keys();
    if (open.size > MOST_OPEN && oldest !== undefined) {
      close(oldest);
    }
    return used;
  };
  return async (one) => {
    const { machine = simplestMachine } = one;
    const { subgroupSize, subgroupMinSize, subgroupMaxSize } = machine;
    const key = `${subgroupSize} ${subgroupMinSize} ${subgroupMaxSize}`;
    const { gpu, fixture } = await use(key, { subgroupSize, subgroupMinSize, subgroupMaxSize });
    gpu.restart(machine);
    const ended = await endOf(one, fixture);
    const faults = [...gpu.findings.map(textOf), ...(ended.fault === undefined ? [] : [ended.fault])];
    if (faults.length === 0) {
      return ended;
    }
    // What a failure leaves behind is not the next case's.
    close(key);
    return { fault: faults.slice(0, MOST_FAULTS).join("; ") };
  };
}
