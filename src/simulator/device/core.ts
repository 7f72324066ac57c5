import type { Machine } from "../machine/index.ts";
import type { ReadModule } from "./compiler.ts";
import { ErrorScopes } from "./error_scopes.ts";
import type { ErrorKind } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { Timeline } from "./timeline.ts";

/** The sizes of subgroups that the adapter reports. */
export interface SubgroupSizes {
  readonly least: number;
  readonly most: number;
}

/** What a device is made of. */
export interface CoreOptions {
  readonly readModule: ReadModule;
  /** It runs what is dispatched. */
  readonly machine: Machine;
  readonly features: ReadonlySet<string>;
  readonly limits: Limits;
  readonly subgroupSizes: SubgroupSizes;
  /** The most bytes of all buffers together. */
  readonly mostBytes: number;
}

/** What a device and its objects share. */
export class Core {
  readonly readModule: ReadModule;
  readonly machine: Machine;
  readonly features: ReadonlySet<string>;
  readonly limits: Limits;
  readonly subgroupSizes: SubgroupSizes;
  readonly errors: ErrorScopes;
  readonly timeline: Timeline;
  /** Resolves when the device is lost. */
  readonly lost: Promise<GPUDeviceLostInfo>;
  /** The buffers that are mapped, or are about to be. */
  readonly mapped = new Set<{ unmap(): void }>();
  /** Told of each error, before a scope gets it. */
  onReport?: (kind: ErrorKind, message: string) => void;
  isLost = false;
  #resolveLost: (info: GPUDeviceLostInfo) => void = () => {};
  readonly #mostBytes: number;
  #bytes = 0;
  #lastTimestamp = 0n;

  constructor(
    { readModule, machine, features, limits, subgroupSizes, mostBytes }: CoreOptions,
    onUncaptured: (error: GPUError) => void,
  ) {
    this.readModule = readModule;
    this.machine = machine;
    this.features = features;
    this.limits = limits;
    this.subgroupSizes = subgroupSizes;
    this.#mostBytes = mostBytes;
    this.errors = new ErrorScopes(onUncaptured);
    this.timeline = new Timeline((cause) =>
      this.lose("unknown", `the simulator failed: ${cause instanceof Error ? cause.stack : String(cause)}`),
    );
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve;
    });
  }

  /** A device that is lost reports no errors. */
  report(kind: ErrorKind, message: string): void {
    if (!this.isLost) {
      this.onReport?.(kind, message);
      this.errors.report(kind, message);
    }
  }

  /** From now on, nothing runs, and no error is reported. */
  lose(reason: GPUDeviceLostReason, message: string): void {
    if (this.isLost) {
      return;
    }
    this.isLost = true;
    for (const buffer of [...this.mapped]) {
      buffer.unmap();
    }
    this.timeline.add(() => this.#resolveLost({ reason, message } as GPUDeviceLostInfo));
  }

  /** Takes bytes for a buffer, and says whether there are as many. */
  take(bytes: number): boolean {
    const isRoom = this.#bytes + bytes <= this.#mostBytes;
    this.#bytes += isRoom ? bytes : 0;
    return isRoom;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** The clock that timestamps are of, in nanoseconds. It never goes back. */
  timestamp(): bigint {
    const now = BigInt(Math.round(performance.now() * 1e6));
    this.#lastTimestamp = now > this.#lastTimestamp ? now : this.#lastTimestamp;
    return this.#lastTimestamp;
  }
}
