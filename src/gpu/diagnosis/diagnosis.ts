import { diagnoseLinux } from "./diagnosis_linux.ts";
import type { Diagnosis, Finding, Known } from "./diagnosis_types.ts";
import type { System } from "./system.ts";

/** The systems that the package `webgpu` is built for. */
const builds: Readonly<Record<string, readonly string[]>> = {
  darwin: ["arm64", "x64"],
  linux: ["arm64", "x64"],
  win32: ["arm64", "x64"],
};

/** Finds out why no GPU was found: it looks at drivers, their files and the devices. It calls no WebGPU. */
export function diagnose(system: System, known: Known = {}): Diagnosis {
  const { platform, arch } = system;
  if (builds[platform]?.includes(arch) !== true) {
    return absent({
      kind: "no-build",
      text: `The npm package webgpu has no build for ${platform} ${arch}.`,
      cure: "It has builds for Linux, macOS and Windows, each on x64 and arm64.",
    });
  }
  switch (platform) {
    case "linux":
      return diagnoseLinux(system, known);
    case "darwin":
      return absent({
        kind: "no-metal",
        text: "Metal, through which macOS gives GPUs, has none. Metal is a part of macOS: there is no driver to install.",
        cure: "`system_profiler SPDisplaysDataType` lists the GPUs, and says which of them support Metal. A virtual machine has one only if its host gives it one.",
      });
    default:
      return diagnoseWindows(system);
  }
}

const absent = (finding: Finding): Diagnosis => ({
  state: "absent",
  headline: "no GPU was found",
  findings: [finding],
  drivers: [],
  gpus: [],
});

function diagnoseWindows(system: System): Diagnosis {
  const { SystemRoot = "C:\\Windows" } = system.env;
  const library = `${SystemRoot}\\System32\\d3d12.dll`;
  if (!system.exists(library)) {
    return absent({
      kind: "no-direct3d",
      text: `Direct3D 12, through which Windows gives GPUs, is not there: ${library} does not exist.`,
      cure: "Windows has it from Windows 10 on. Some images for containers leave it out: take one with graphics, such as mcr.microsoft.com/windows.",
    });
  }
  return absent({
    kind: "no-direct3d-gpu",
    text: "Direct3D 12 has no GPU here, but at most WARP, Windows' software adapter.",
    cure: 'Install the driver of the GPU\'s maker, and restart. `dxdiag` shows the adapters: "Microsoft Basic Render Driver" is WARP. A virtual machine, a container or a remote session has a GPU only if its host gives it one.',
  });
}
