import type { ReadyKernel } from "../setup.ts";
import { deviceWide } from "./device_wide.ts";
import { faulty } from "./faulty.ts";
import { inKernel } from "./in_kernel.ts";

/** The kernels that the page offers, made from Wavefold's own texts. The site's build calls this, and the page loads the result. */
export const readyKernels = async (): Promise<readonly ReadyKernel[]> => [
  ...inKernel(),
  ...(await deviceWide()),
  ...faulty,
];
