/** The class of every error of this library. Its subclasses name the cause. */
export class WavefoldError extends Error {
  override name = "WavefoldError";
}

/** An argument has no meaning: an operator does not fit its type, a length does not fit its buffer, or ranges overlap. */
export class ArgumentError extends WavefoldError {
  override name = "ArgumentError";
}

/** The device's limits are too low for the call. Open the device with higher limits, or ask for less. */
export class LimitError extends WavefoldError {
  override name = "LimitError";
}

/** The device lacks a feature. Open the device with the feature, if the adapter has it. */
export class FeatureError extends WavefoldError {
  override name = "FeatureError";
}

/** WGSL that you wrote (a predicate, a map, an operator or a kernel) does not compile. */
export class SourceError extends WavefoldError {
  override name = "SourceError";
  /** Your whole text. */
  readonly source: string;
  /** The line in that text, counted from 1. */
  readonly line: number;
  /** The column in that line, counted from 1. It is 0 if the compiler names none. */
  readonly column: number;

  /** @internal */
  constructor(message: string, source: string, line: number, column: number) {
    super(message);
    this.source = source;
    this.line = line;
    this.column = column;
  }
}

/** One of Wavefold's own shaders does not compile. This is a defect of the library: please report the message, which has the linked source. */
export class ShaderError extends WavefoldError {
  override name = "ShaderError";
}

/** There is no WebGPU, or no adapter of the kind that you asked for. */
export class AdapterError extends WavefoldError {
  override name = "AdapterError";
}

/** An optional package that this call needs is not installed. The message names it. */
export class MissingPackageError extends WavefoldError {
  override name = "MissingPackageError";
}

/** The device was lost or destroyed. Pending calls are rejected. Open a new device. */
export class DeviceLostError extends WavefoldError {
  override name = "DeviceLostError";
}

/** The device has no room for a buffer. */
export class OutOfMemoryError extends WavefoldError {
  override name = "OutOfMemoryError";
}

/** Throws an {@link ArgumentError} that says what is wrong with an argument, and what the caller takes instead. */
export function refuse(caller: string, problem: string, takes: string): never {
  throw new ArgumentError(`${caller}: ${problem}; it takes ${takes}`);
}

/** Throws an {@link ArgumentError} for the first of these leftover options that is not undefined. */
export function refuseOthers(caller: string, others: object): void {
  for (const name in others) {
    if (others[name as never] !== undefined) {
      throw new ArgumentError(`${caller} takes no option ${name}`);
    }
  }
}
