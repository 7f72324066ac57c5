import process from "node:process";
import { hasOwnLoaderAlone, loadLibrary } from "./software_adapter.ts";

let loads: boolean | undefined;

/**
 * Whether GPUs can be looked for. On Linux, they are reached through the system's Vulkan loader; without it, Dawn would only
 * print that. Looked for once in each thread: afterwards, the software adapter's own loader could be taken for it.
 */
export function canFindGpu(): boolean {
  loads ??= process.platform !== "linux" || (!hasOwnLoaderAlone() && loadLibrary("libvulkan.so.1"));
  return loads;
}
