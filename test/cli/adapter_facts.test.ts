import { expect, it } from "vitest";
import { factsOf } from "../../src/cli/adapter_facts.ts";
import type { Fold } from "../../src/gpu/fold.ts";

it("names the card before what WebGPU tells, which may be the driver alone", () => {
  const adapterInfo = { vendor: "nvidia", architecture: "", device: "", description: "NVIDIA: 580.159.04" };
  const fold = {
    adapterInfo,
    software: false,
    device: { limits: {}, features: new Set() },
  } as unknown as Fold;
  expect(factsOf(fold, "NVIDIA H200").name).toBe("NVIDIA H200, NVIDIA: 580.159.04, nvidia");
  expect(factsOf(fold).name).toBe("NVIDIA: 580.159.04, nvidia");
});
