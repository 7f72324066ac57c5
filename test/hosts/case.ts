import type { Fold } from "../../src/gpu/fold.ts";
import type { OpenOptions } from "../../src/gpu/open.ts";

/** What the suite needs of the host that it runs on. */
export interface Host {
  open(options?: OpenOptions): Promise<Fold>;
  requestAdapter(options?: GPURequestAdapterOptions): Promise<GPUAdapter | null>;
}

/** What a case is run with. */
export interface Bench {
  readonly host: Host;
  /** Opened once for all cases, so that their pipelines are compiled once. */
  readonly fold: Fold;
  /** Ends the case where the condition holds: not run, for this reason. */
  skip(condition: boolean, reason: string): void;
}

export interface Case {
  readonly name: string;
  /** Short: run in a worker too, and, if it says so, in a second tab. There, all is as in the first tab but which device answers. */
  readonly quick?: "in a worker" | "everywhere";
  /**
   * What it sees depends on the compiler of WGSL, and on no other part of the host: hosts with the same compiler share such cases, since software
   * adapters compile a case's kernels for seconds.
   */
  readonly ofCompiler?: true;
  run(bench: Bench): Promise<void>;
}
