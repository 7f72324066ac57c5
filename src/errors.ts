// Fields are only declared, as constructors set them: a bundle is smaller without their definitions.

/** The class of every error of this library. Its subclasses name the cause. */
export class WavefoldError extends Error {
  override name = "WavefoldError";
}

/** An argument has no meaning: an operator does not fit its type, a length does not fit its buffer, or ranges overlap. */
export class ArgumentError extends WavefoldError {
  override name = "ArgumentError";
  /**
   * The name of the option, argument or range that is at fault, such as `"workGroupSize"`, `"where"`, `"data"` or `"output"`;
   * also the name of an option that does not exist. If several are at fault together, it is the first one that the message
   * names. It is undefined if none is, as after `destroy()`.
   */
  declare readonly option: string | undefined;

  /** @internal */
  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}

/** The device's limits are too low for the call. Open the device with higher limits, or ask for less. */
export class LimitError extends WavefoldError {
  override name = "LimitError";
  /**
   * The name of the option, argument or range that asks for too much, such as `"maxLength"`; of a call at hand, `"data"`. It is
   * undefined if the call names none.
   */
  declare readonly option: string | undefined;
  /** What the call needs, in the unit of the message: bytes, items, threads or work-groups. */
  declare readonly needed: number;
  /** What the device has at most, in the same unit. */
  declare readonly limit: number;

  /** @internal */
  constructor(message: string, needed: number, limit: number, option?: string) {
    super(message);
    this.option = option;
    this.needed = needed;
    this.limit = limit;
  }
}

/** The device lacks a feature. Open the device with the feature, if the adapter has it. */
export class FeatureError extends WavefoldError {
  override name = "FeatureError";
  /** The feature, as WebGPU calls it: `"shader-f16"` or `"subgroups"`. */
  declare readonly feature: string;

  /** @internal */
  constructor(message: string, feature: string) {
    super(message);
    this.feature = feature;
  }
}

/** WGSL that you wrote (a condition, a map, an operator or a kernel) does not compile. */
export class SourceError extends WavefoldError {
  override name = "SourceError";
  /** Your whole text. */
  declare readonly source: string;
  /** The line in that text, counted from 1. */
  declare readonly line: number;
  /** The column in that line, counted from 1. It is 0 if the compiler names none. */
  declare readonly column: number;

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
  /** The linked source, as the compiler got it. */
  declare readonly source: string;
}

/** There is no WebGPU, or no adapter of the kind that you asked for. */
export class AdapterError extends WavefoldError {
  override name = "AdapterError";
  /** The package that WebGPU comes from, if it is installed and cannot be loaded. */
  declare readonly package?: string;
}

/** The call needs a GPU, and the fold was opened without one. The message says why there is none, and so does `cause`. */
export class NoGpuError extends WavefoldError {
  override name = "NoGpuError";
}

/** An optional package that this call needs is not installed. The message names it. */
export class MissingPackageError extends WavefoldError {
  override name = "MissingPackageError";
  /** The package, as `npm install` takes it. */
  declare readonly package: string;

  /** @internal */
  constructor(message: string, name: string) {
    super(message);
    this.package = name;
  }
}

/** The device was lost or destroyed. Pending calls are rejected. Open a new device. */
export class DeviceLostError extends WavefoldError {
  override name = "DeviceLostError";
  /** What WebGPU says of the loss: `"destroyed"` if `destroy()` was called, else `"unknown"`. */
  declare readonly reason: GPUDeviceLostReason;
}

/** The device has no room for a buffer. */
export class OutOfMemoryError extends WavefoldError {
  override name = "OutOfMemoryError";
  /** The size of the buffer in bytes. */
  declare readonly needed: number;

  /** @internal */
  constructor(message: string, needed: number) {
    super(message);
    this.needed = needed;
  }
}

/** A value of any kind, as a message shows it. Its type shows, too: text is in quotes, and a bigint ends in n. */
export const shown = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(shown).join(", ")}]`
    : typeof value === "string"
      ? JSON.stringify(value)
      : typeof value === "bigint"
        ? `${value}n`
        : String(value);

/** Throws an {@link ArgumentError} that says what an option or an argument is, and what the caller takes instead. `given` is text for the message. */
export function refuse(caller: string, option: string, given: unknown, takes: string): never {
  throw new ArgumentError(`${caller}: ${option} is ${String(given)}; it takes ${takes}`, option);
}

/** Throws an {@link ArgumentError} for the first of these leftover options that is not undefined. `takes` lists those that there are. */
export function refuseOthers(caller: string, others: object, takes: string): void {
  for (const name in others) {
    if (others[name as never] !== undefined) {
      refuse(caller, name, "no option", takes);
    }
  }
}

/**
 * A part of the package that is loaded when it is needed. Each `import()` of one stands in this. Builds in one file that
 * wait at their top level have not run a part yet: there it is undefined.
 *
 * @throws {WavefoldError} if it cannot be loaded.
 */
export const part = <T>(loading: Promise<T>): Promise<T> => {
  const notLoaded = (cause?: Error): never => {
    // A part that is joined with others is read from them, and so before it is given here.
    const isEarly = cause === undefined || /undefined/.test(cause.message);
    throw new WavefoldError(
      `a part of Wavefold was not loaded: ${isEarly ? "import wavefold/whole" : cause.message}`,
    );
  };
  return loading.then((loaded) => loaded ?? notLoaded(), notLoaded);
};

/** Loads a part when it is first asked for. Later calls need not wait: even for what is there, `import()` takes a while. */
export function once<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    part(load()).then((made) => {
      loaded = made;
      return made;
    });
}
