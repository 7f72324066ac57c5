import { runKernel } from "./playground/run_kernel.ts";
import type { Setup } from "./playground/setup.ts";

// The simulator works here, so that a kernel that takes long does not keep the page from answering.

addEventListener("message", async ({ data }: MessageEvent<Setup>) => {
  postMessage(await runKernel(data));
});
