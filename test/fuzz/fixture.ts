import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Fold } from "../../src/node.ts";
import type { Scale } from "./plans.ts";
import { Fault, oneLine } from "./verdict.ts";

/** Prepared plans that are kept for the next case that wants the same. */
const KEPT_PLANS = 64;

/** What a case runs on. */
export interface Fixture {
  readonly fold: Fold;
  readonly scale: Scale;
  /** A prepared plan of this description, from the cache or made now. */
  kept<T extends { destroy(): void }>(key: string, make: () => Promise<T>): Promise<T>;
  /** Buffers of the library's that were made and not destroyed. */
  readonly liveBuffers: number;
  /** @throws {Fault} where the device reported an error that nobody caught, since the last call. */
  requireNoError(title: string): Promise<void>;
  /** Destroys what was prepared, and watches the device no longer. */
  release(): void;
  /** Releases it, and destroys the fold. */
  destroy(): void;
}

/** Whether a fixture's device has a feature of WebGPU, if one is needed. */
export const hasFeature = ({ fold }: Fixture, feature: string | undefined): boolean =>
  feature === undefined || (fold.device.features as unknown as ReadonlySet<string>).has(feature);

/** Watches a fold's device, and keeps what is prepared on it. */
export function fixtureOn(fold: Fold, scale: Scale): Fixture {
  const { device } = fold;
  const errors: string[] = [];
  const report = (event: GPUUncapturedErrorEvent): void => {
    event.preventDefault();
    errors.push(event.error.message);
  };
  device.addEventListener("uncapturederror", report as never);
  let lost: string | undefined;
  let destroyed = false;
  void device.lost.then(({ reason, message }) => {
    lost = destroyed ? undefined : `${reason}: ${message}`;
  });
  const { live, stopCounting } = countBuffers(device);
  const plans = new Map<string, { destroy(): void }>();
  // What calls at the same time prepare, they share.
  const preparing = new Map<string, Promise<{ destroy(): void }>>();
  return {
    fold,
    scale,
    get liveBuffers() {
      return live.size;
    },
    async kept<T extends { destroy(): void }>(key: string, make: () => Promise<T>): Promise<T> {
      if (!plans.has(key)) {
        preparing.set(key, preparing.get(key) ?? make().finally(() => preparing.delete(key)));
      }
      const known = plans.get(key) ?? ((await preparing.get(key)) as T);
      plans.delete(key);
      plans.set(key, known);
      const [oldest] = plans;
      if (plans.size > KEPT_PLANS && oldest !== undefined) {
        plans.delete(oldest[0]);
        oldest[1].destroy();
      }
      return known as T;
    },
    async requireNoError(title) {
      // An error is told once what was submitted before it is done.
      await device.queue.onSubmittedWorkDone().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (lost !== undefined) {
        throw new Fault(`${title}: the device is lost (${oneLine(lost)})`);
      }
      const [first] = errors.splice(0);
      if (first !== undefined) {
        throw new Fault(`${title}: an uncaught error of the device: ${oneLine(first)}`);
      }
    },
    release() {
      destroyed = true;
      device.removeEventListener("uncapturederror", report as never);
      for (const plan of plans.values()) {
        plan.destroy();
      }
      plans.clear();
      stopCounting();
    },
    destroy() {
      this.release();
      fold.destroy();
    },
  };
}

/** Counts the buffers of the library's that a device has, from now on: each has a label that starts with its name. */
function countBuffers(device: GPUDevice): { readonly live: ReadonlySet<number>; stopCounting(): void } {
  const live = new Set<number>();
  // What the collector takes is given back, too.
  const collected = new FinalizationRegistry<number>((own) => live.delete(own));
  const create = device.createBuffer;
  let number = 0;
  Object.defineProperty(device, "createBuffer", {
    configurable: true,
    value(descriptor: GPUBufferDescriptor) {
      const buffer = create.call(device, descriptor);
      if (descriptor.label?.startsWith("wavefold")) {
        const own = number++;
        live.add(own);
        collected.register(buffer, own);
        const destroy = buffer.destroy;
        Object.defineProperty(buffer, "destroy", {
          configurable: true,
          value() {
            live.delete(own);
            return destroy.call(buffer);
          },
        });
      }
      return buffer;
    },
  });
  return {
    live,
    stopCounting: () => Object.defineProperty(device, "createBuffer", { configurable: true, value: create }),
  };
}

/** Lets the collector take all that nobody can reach. */
export async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
