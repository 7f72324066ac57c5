/** What every error of this library is; its subclasses name the cause. */
export class WavefoldError extends Error {
  override name = "WavefoldError";
}

/** An argument does not mean anything: an operator that does not fit its type, a length that does not fit its buffer, ranges that overlap. */
export class ArgumentError extends WavefoldError {
  override name = "ArgumentError";
}

/** The device's limits are too low for what was asked. Open it with higher ones, or ask for less. */
export class LimitError extends WavefoldError {
  override name = "LimitError";
}

/** The device lacks a feature. Open it with the feature, where the adapter has it. */
export class FeatureError extends WavefoldError {
  override name = "FeatureError";
}

/** WGSL that the caller wrote (a predicate, an operator, a kernel) does not compile. */
export class SourceError extends WavefoldError {
  override name = "SourceError";
  /** The caller's text, whole. */
  readonly source: string;
  /** The line in that text, counted from 1. */
  readonly line: number;
  /** The column in that line, counted from 1; 0 where the compiler names none. */
  readonly column: number;

  /** @internal */
  constructor(message: string, source: string, line: number, column: number) {
    super(message);
    this.source = source;
    this.line = line;
    this.column = column;
  }
}

/** A shader of ours does not compile: a defect of this library. The message holds the linked source. */
export class ShaderError extends WavefoldError {
  override name = "ShaderError";
}

/** There is no WebGPU, or no adapter of the kind that was asked for. */
export class AdapterError extends WavefoldError {
  override name = "AdapterError";
}

/** A package that is needed here, and only here, is not installed. The message names it. */
export class MissingPackageError extends WavefoldError {
  override name = "MissingPackageError";
}

/** The device was lost or destroyed. What was pending is rejected; open a new one. */
export class DeviceLostError extends WavefoldError {
  override name = "DeviceLostError";
}

/** The device has no room for a buffer. */
export class OutOfMemoryError extends WavefoldError {
  override name = "OutOfMemoryError";
}

/** Throws the error for an argument that does not mean anything: what is wrong with it, and what it takes. */
export function refuse(caller: string, problem: string, takes: string): never {
  throw new ArgumentError(`${caller}: ${problem}; it takes ${takes}`);
}

/** Refuses what is left of options when those that there are have been taken. One that is undefined is as one that is left out. */
export function refuseOthers(caller: string, others: object): void {
  for (const name in others) {
    if (others[name as never] !== undefined) {
      throw new ArgumentError(`${caller} takes no option ${name}`);
    }
  }
}
