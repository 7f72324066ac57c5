import type { LitmusName } from "../../kernels/litmus.ts";

/** Options of {@link runLitmusTests}. */
export interface LitmusOptions {
  /** The tests to run. The default is all of them. */
  readonly only?: readonly LitmusName[];
  /** Is called with the name of each test before it runs. */
  readonly onTest?: (name: LitmusName) => void;
}

/** What became of a litmus test: what was seen in all its iterations. See {@link runLitmusTests}. */
export interface LitmusResult {
  /** The test. */
  readonly name: LitmusName;
  /**
   * `"failed"` if something was seen that WebGPU forbids and that Wavefold relies on. `"note"` if the test did not run to its end, or
   * if nothing relies on what was seen. `"ok"` otherwise.
   */
  readonly verdict: "ok" | "note" | "failed";
  /** What was seen, in words. */
  readonly detail: string;
  /** How often the test ran. */
  readonly instances: number;
  /** How many outcomes WebGPU forbids. */
  readonly forbidden: number;
  /** How many outcomes WebGPU allows that look as if memory went out of order. */
  readonly weak: number;
  /** Why the test did not run to its end, if it did not. */
  readonly error: string | null;
  /** How long the test took, with the time to compile its kernel. */
  readonly milliseconds: number;
}
