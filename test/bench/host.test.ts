import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Host } from "../../bench/host.ts";
import { commitOf, headOf, namesOf } from "../../bench/host.ts";
import { fakeSystem } from "../support/fake_system.ts";

const NVIDIA = {
  "/proc/driver/nvidia/gpus/0000:19:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\n",
  "/proc/driver/nvidia/version":
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue Sep 23 10:11:16 UTC 2025\n",
};
const info = (names: Partial<GPUAdapterInfo>): GPUAdapterInfo =>
  ({ vendor: "", architecture: "", device: "", description: "", ...names }) as GPUAdapterInfo;
const namesFor = (names: Partial<GPUAdapterInfo>, files: Record<string, string> = {}, software = false) =>
  namesOf({ adapterInfo: info(names), software }, fakeSystem({ files }));

describe("namesOf", () => {
  it("has the card's name, where the adapter names the driver alone", () => {
    const dawn = { vendor: "nvidia", description: "NVIDIA: 580.159.04 580.159.4.0" };
    expect(namesFor(dawn, NVIDIA)).toEqual({
      name: "NVIDIA H100 80GB HBM3",
      driver: "580.159.04 580.159.4.0",
    });
    expect(namesFor({ ...dawn, device: "nvidia-h100-80gb-hbm3" })).toMatchObject({
      name: "nvidia-h100-80gb-hbm3",
    });
    expect(namesFor(dawn)).toMatchObject({ name: "NVIDIA" });
    const short = { ...dawn, description: "NVIDIA" };
    expect(namesFor(short, NVIDIA)).toMatchObject({ driver: "NVIDIA (580.159.04)" });
  });

  it("leaves a software adapter its own name", () => {
    const swiftShader = {
      vendor: "google",
      device: "swiftshader-device-subzero-",
      description: "SwiftShader driver 5.0.0",
    };
    expect(namesFor(swiftShader, NVIDIA, true)).toEqual({
      name: "swiftshader-device-subzero-",
      driver: "SwiftShader driver 5.0.0",
    });
  });
});

describe("the commit", () => {
  const host = { wavefold: "0.1.0", device: { name: "Some GPU", driver: "1.2", software: false } } as Host;

  it("is left out where there is no checkout: the version says what ran", () => {
    const folder = mkdtempSync(join(tmpdir(), "wavefold-host-"));
    vi.stubEnv("WAVEFOLD_COMMIT", "");
    vi.stubEnv("GIT_CEILING_DIRECTORIES", tmpdir());
    try {
      expect(commitOf(folder)).toBe(undefined);
      expect(commitOf(resolve("."))).toMatch(/^[0-9a-f]{12}(-changed)?$/);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
    expect(headOf(host)).toBe("Some GPU, 1.2; wavefold 0.1.0");
    expect(headOf({ ...host, commit: "abc" })).toBe("Some GPU, 1.2; wavefold 0.1.0, commit abc");
  });
});
