import { AdapterError, ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";

// This is loaded where nothing can be opened.
export { requireOptions };

export const noGpu = (): AdapterError =>
  new AdapterError(
    "open: there is no navigator.gpu; WebGPU takes a recent browser and a secure context (https or localhost). In Node.js, import wavefold/node",
  );

export const noAdapter = (): AdapterError =>
  new AdapterError("open: the browser has WebGPU, but no adapter: its GPU is not supported, or is blocked");

/** `name` is that of an option, `type` what it takes. */
export const noSuch = (name: string, type: string): ArgumentError =>
  new ArgumentError(`open: ${name} is no ${type}`);

/** `name` is that of an option. */
export const noCount = (name: string, value: unknown): ArgumentError =>
  new ArgumentError(`open: ${name} is ${String(value)}; it takes a whole number from 0 up`);

export const noDevice = (cause: unknown): AdapterError =>
  new AdapterError(
    `open: the adapter gave no device: ${cause instanceof Error ? cause.message : String(cause)}`,
  );
