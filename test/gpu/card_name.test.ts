import { describe, expect, it } from "vitest";
import { cardName } from "../../src/gpu/diagnosis/card_name.ts";
import type { FakeSystem } from "../support/fake_system.ts";
import { fakeSystem } from "../support/fake_system.ts";

/** A device on the PCI bus. A display adapter, if nothing else is said. */
const pci = (address: string, vendor: string, device: string, name = "0x030000") => ({
  [`/sys/bus/pci/devices/${address}/class`]: `${name}\n`,
  [`/sys/bus/pci/devices/${address}/vendor`]: `0x${vendor}\n`,
  [`/sys/bus/pci/devices/${address}/device`]: `0x${device}\n`,
});
/** What NVIDIA's driver says of a card. */
const nvidia = (bus: string, model: string) => ({
  [`/proc/driver/nvidia/gpus/${bus}/information`]: `Model: \t\t ${model}\nIRQ:   \t\t 120\nGPU UUID: \t GPU-0\n`,
});
const PCI_IDS = `# List of PCI ID's
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]
\t\t1002 0e0d  Radeon RX 7900 XTX
\t7480  Navi 33 [Radeon RX 7600/7600 XT]
# 10de comes below
10de  NVIDIA Corporation
\t2330  GH100 [H100 SXM5 80GB]
\t2684  AD102 [GeForce RTX 4090]
8086  Intel Corporation
\t1234  Ethernet Controller
\t4680  AlderLake-S GT1 [UHD Graphics 770]
\t7d55  Meteor Lake-P
C 03  Display controller
`;
const names = { "/usr/share/misc/pci.ids": PCI_IDS };
const nameOn = (fake: FakeSystem, vendor: string, device = ""): string | undefined =>
  cardName({ vendor, device }, fakeSystem(fake));

describe("cardName", () => {
  it("is what NVIDIA's driver says, before PCI's list", () => {
    const files = {
      ...nvidia("0000:19:00.0", "NVIDIA H100 80GB HBM3"),
      ...pci("0000:19:00.0", "10de", "2330"),
      ...names,
    };
    expect(nameOn({ files }, "nvidia")).toBe("NVIDIA H100 80GB HBM3");
    // Another vendor's adapter is no card of NVIDIA's.
    expect(nameOn({ files }, "google", "swiftshader-device-subzero-")).toBe(undefined);
    expect(nameOn({ files }, "intel")).toBe(undefined);
    expect(nameOn({ files, platform: "win32" }, "nvidia")).toBe(undefined);
  });

  it("is that of all cards, if they are alike", () => {
    const files = { ...nvidia("0000:19:00.0", "NVIDIA H200"), ...nvidia("0000:3b:00.0", "NVIDIA H200") };
    expect(nameOn({ files }, "nvidia")).toBe("NVIDIA H200");
  });

  it("is that of the adapter among different cards, and nothing if the adapter does not tell", () => {
    const files = {
      ...nvidia("0000:19:00.0", "NVIDIA GeForce RTX 4090"),
      ...nvidia("0000:3b:00.0", "NVIDIA T400 4GB"),
    };
    expect(nameOn({ files }, "nvidia", "nvidia-t400-4gb")).toBe("NVIDIA T400 4GB");
    expect(nameOn({ files }, "nvidia", "nvidia-h200")).toBe(undefined);
    expect(nameOn({ files }, "nvidia")).toBe(undefined);
  });

  it.each([
    ["nvidia", "10de", "2330", "NVIDIA H100 SXM5 80GB"],
    ["amd", "1002", "744c", "AMD Radeon RX 7900 XT/7900 XTX/7900M"],
    ["intel", "8086", "4680", "Intel UHD Graphics 770"],
    ["intel", "8086", "7d55", "Intel Meteor Lake-P"],
  ])("of %s, is PCI's for the vendor %s and the device %s", (vendor, id, device, expected) => {
    // A network adapter of Intel's, and a display adapter of a server, are other cards.
    const others = {
      ...pci("0000:00:01.0", "8086", "1234", "0x020000"),
      ...pci("0000:00:02.0", "1a03", "2000"),
    };
    const files = { ...others, ...pci("0000:19:00.0", id, device, "0x030200"), ...names };
    expect(nameOn({ files }, vendor)).toBe(expected);
    expect(nameOn({ files: { ...files, "/usr/share/misc/pci.ids": "" } }, vendor)).toBe(undefined);
  });

  it("is nothing for a card that PCI's list lacks, also beside one that it has", () => {
    const lacking = { ...pci("0000:03:00.0", "1002", "ffff"), ...names };
    expect(nameOn({ files: lacking }, "amd")).toBe(undefined);
    const both = { ...lacking, ...pci("0000:04:00.0", "1002", "7480") };
    expect(nameOn({ files: both }, "amd")).toBe(undefined);
    expect(nameOn({ files: both }, "amd", "amd-radeon-rx-7600-7600-xt")).toBe("AMD Radeon RX 7600/7600 XT");
    // The numbers of another vendor's cards are not this vendor's.
    expect(nameOn({ files: { ...pci("0000:03:00.0", "1002", "2684"), ...names } }, "amd")).toBe(undefined);
  });
});
