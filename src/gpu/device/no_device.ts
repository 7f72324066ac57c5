import { AdapterError } from "../../errors.ts";
import { withoutStack } from "./without_stack.ts";

// The errors of what has no GPU.

/** The error for a browser that has no WebGPU, or no adapter. */
export const noAdapterError = (gpu: GPU | undefined): AdapterError =>
  new AdapterError(
    gpu === undefined
      ? "openFold: there is no navigator.gpu; WebGPU needs a recent browser and a secure context. In Node.js, import wavefold/node"
      : "openFold: there is WebGPU, but no adapter: the GPU may be blocked",
  );

/** The error for an adapter that gives no device. */
export const noDeviceError = (cause: unknown): AdapterError =>
  new AdapterError(
    `openFold: the adapter gave no device: ${withoutStack(String((cause as Error)?.message ?? cause))}`,
  );
