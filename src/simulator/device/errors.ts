import { WavefoldError } from "../../errors.ts";

/** What an error scope filters by. */
export type ErrorKind = "validation" | "out-of-memory" | "internal";

abstract class SimulatedError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

// They have WebGPU's names, which programs print.
class GPUValidationError extends SimulatedError {}
class GPUOutOfMemoryError extends SimulatedError {}
class GPUInternalError extends SimulatedError {}

class GPUPipelineError extends DOMException {
  readonly reason: GPUPipelineErrorReason;

  constructor(message: string, { reason }: GPUPipelineErrorInit) {
    super(message, "GPUPipelineError");
    this.reason = reason;
  }
}

const classes = {
  validation: { name: "GPUValidationError", made: GPUValidationError },
  "out-of-memory": { name: "GPUOutOfMemoryError", made: GPUOutOfMemoryError },
  internal: { name: "GPUInternalError", made: GPUInternalError },
} as const satisfies Record<ErrorKind, { name: string; made: new (message: string) => SimulatedError }>;

/** The global class of this name, if there is one: `instanceof` tells a browser's errors by it. */
const globalClass = <T>(name: string): T | undefined => (globalThis as unknown as Record<string, T>)[name];

/** An error as `popErrorScope` and `uncapturederror` give it. */
export function deviceError(kind: ErrorKind, message: string): GPUError {
  const { name, made } = classes[kind];
  const Known = globalClass<new (message: string) => GPUError>(name) ?? made;
  return new Known(message);
}

/** The error that `createComputePipelineAsync` rejects with. */
export function pipelineError(message: string, reason: GPUPipelineErrorReason): Error {
  const Known =
    globalClass<new (message: string, init: GPUPipelineErrorInit) => Error>("GPUPipelineError") ??
    GPUPipelineError;
  return new Known(message, { reason });
}

export const operationError = (message: string): DOMException => new DOMException(message, "OperationError");

export const abortError = (message: string): DOMException => new DOMException(message, "AbortError");

/** Refuses a part of WebGPU that is not there. */
export function unsupported(name: string): never {
  throw new WavefoldError(`simulatedGpu has no ${name}: it is for compute alone`);
}
