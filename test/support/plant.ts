import { vi } from "vitest";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";

/** A change of a shader's text. */
export interface Change {
  readonly from: string | RegExp;
  readonly to: string;
}

/** Compiles every shader with some changes from now on. It returns what takes them back, and how many shaders each of them changed. */
export function plant(fold: Fold, ...changes: readonly Change[]): () => readonly number[] {
  const { device } = fold;
  const compile = device.createShaderModule;
  const changed = changes.map(() => 0);
  // Pipelines are kept by the text before the change.
  fold.trim();
  const spy = vi.spyOn(device, "createShaderModule").mockImplementation((descriptor) => {
    let { code } = descriptor;
    for (const [at, { from, to }] of changes.entries()) {
      const before = code;
      code = code.replace(from, to);
      changed[at] = (changed[at] as number) + (code === before ? 0 : 1);
    }
    return compile.call(device, { ...descriptor, code });
  });
  return () => {
    spy.mockRestore();
    fold.trim();
    return changed;
  };
}

/** Tiles whose items arrived in a wrong order keep their ranks, and tiles of keys alone the places of their keys. */
export const keepsRanks: Change = {
  from: "workgroupUniformLoad(&ranks_again) != 0u",
  to: "workgroupUniformLoad(&ranks_again) > 1u",
};
export const keepsKeys: Change = {
  from: "workgroupUniformLoad(&sorts_again) != 0u",
  to: "workgroupUniformLoad(&sorts_again) > 1u",
};

/** Whether items are known to arrive at counters in order, which WGSL does not promise: on SwiftShader and on NVIDIA's GPUs. */
export function arriveInOrder({ device }: Fold): boolean {
  const { software, vendor } = contextOf(device).facts;
  return software || vendor === "nvidia";
}
