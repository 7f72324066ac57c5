import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { diagnose } from "../../src/gpu/diagnosis/diagnosis.ts";
import type { Diagnosis, FindingKind } from "../../src/gpu/diagnosis/diagnosis_types.ts";
import { stateOfLibrary } from "../../src/gpu/diagnosis/libraries.ts";
import { thisSystem } from "../../src/gpu/diagnosis/this_system.ts";
import type { FakeSystem } from "../support/fake_system.ts";
import { fakeSystem, LIBRARIES } from "../support/fake_system.ts";

// What `wavefold doctor` says of machines that are not there.

const ICD = "/usr/share/vulkan/icd.d";
const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n';
const NVIDIA_VERSION =
  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\n";

const manifest = (library: string): string =>
  JSON.stringify({ file_format_version: "1.0.0", ICD: { library_path: library, api_version: "1.3.0" } });

/** A device on the PCI bus. */
const pci = (address: string, vendor: string, device: string, name = "0x030000") => ({
  [`/sys/bus/pci/devices/${address}/class`]: `${name}\n`,
  [`/sys/bus/pci/devices/${address}/vendor`]: `0x${vendor}\n`,
  [`/sys/bus/pci/devices/${address}/device`]: `0x${device}\n`,
});

const boundTo = (address: string, driver: string) => ({
  [`/sys/bus/pci/devices/${address}/driver`]: `../../../bus/pci/drivers/${driver}`,
});

const renderNode = (node: string, address: string, driver: string) => ({
  [`/sys/class/drm/${node}/device`]: `../../../${address}`,
  [`/sys/class/drm/${node}/device/driver`]: `../../bus/pci/drivers/${driver}`,
});

const linux = {
  "/etc/os-release": DEBIAN,
  [`${LIBRARIES}/libvulkan.so.1`]: "",
};

/** A machine with NVIDIA's GPU, on which nothing is wrong. */
const nvidia = {
  files: {
    ...linux,
    ...pci("0000:19:00.0", "10de", "2335", "0x030200"),
    "/proc/driver/nvidia/version": NVIDIA_VERSION,
    [`${ICD}/nvidia_icd.json`]: manifest("libGLX_nvidia.so.0"),
    [`${LIBRARIES}/libGLX_nvidia.so.580.95.05`]: "",
  },
  links: {
    ...boundTo("0000:19:00.0", "nvidia"),
    [`${LIBRARIES}/libGLX_nvidia.so.0`]: "libGLX_nvidia.so.580.95.05",
  },
  devices: { "/dev/nvidia0": undefined, "/dev/nvidiactl": undefined },
} satisfies FakeSystem;

const RADEON = `${LIBRARIES}/libvulkan_radeon.so`;
/** A machine with AMD's GPU, on which nothing is wrong. */
const amd = {
  files: {
    ...linux,
    ...pci("0000:03:00.0", "1002", "744c"),
    "/etc/group": "root:x:0:\nvideo:x:44:\nrender:x:105:gdm\n",
    [`${ICD}/radeon_icd.x86_64.json`]: manifest(RADEON),
    [RADEON]: "",
  },
  links: { ...boundTo("0000:03:00.0", "amdgpu"), ...renderNode("renderD128", "0000:03:00.0", "amdgpu") },
  devices: { "/dev/dri/renderD128": undefined },
} satisfies FakeSystem;

const without = <T extends object>(files: T, ...names: string[]): Partial<T> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name))) as Partial<T>;

const kindsOf = ({ findings }: Diagnosis): FindingKind[] => findings.map(({ kind }) => kind);
const firstOf = (fake: FakeSystem) => diagnose(fakeSystem(fake)).findings[0];

describe("a machine on which nothing is wrong", () => {
  test.each([
    ["NVIDIA", nvidia],
    ["AMD", amd],
  ])("%s: only that the driver gives no GPU", (_, machine) => {
    const diagnosis = diagnose(fakeSystem(machine));
    expect(kindsOf(diagnosis)).toEqual(["driver-finds-nothing"]);
    expect(diagnosis.state).toBe("broken");
    expect(diagnosis.drivers).toHaveLength(1);
    expect(diagnosis.drivers[0]).toMatchObject({ ok: true, software: false });
    expect(diagnosis.gpus[0]).toMatchObject({ computes: true });
  });
});

describe("a driver whose library lacks another", () => {
  test('is not "no GPU": each library is named, and its package', () => {
    const lacks = { "libGLX_nvidia.so.0": ["libXext.so.6", "libxcb.so.1"] };
    const { state, headline, findings, drivers } = diagnose(fakeSystem({ ...nvidia, lacks }));
    expect(state).toBe("broken");
    expect(headline).toBe("no GPU could be opened, though a GPU or a driver of one is there");
    expect(findings).toEqual([
      {
        kind: "driver-lacks-library",
        text: `The Vulkan driver ${ICD}/nvidia_icd.json cannot be loaded: its library libGLX_nvidia.so.0 needs libXext.so.6 and libxcb.so.1, which are not installed.`,
        cure: "Install the packages that have them: apt-get install libxext6 libxcb1.",
      },
    ]);
    expect(drivers).toMatchObject([{ path: `${LIBRARIES}/libGLX_nvidia.so.0`, ok: false }]);
  });

  test("packages are called as Debian does, where that is known", () => {
    const cureFor = (...names: string[]): string | undefined =>
      firstOf({ ...amd, lacks: { [RADEON]: names } })?.cure;
    expect(cureFor("libdrm_amdgpu.so.1", "libxcb-dri3.so.0")).toBe(
      "Install the packages that have them: apt-get install libdrm-amdgpu1 libxcb-dri3-0.",
    );
    expect(cureFor("libSPIRV-Tools.so")).toBe("Install the package that has it.");
  });

  test('without any GPU that the kernel shows, it is still no "no GPU"', () => {
    const machine = {
      files: {
        ...linux,
        [`${ICD}/intel_icd.json`]: manifest("libvulkan_intel.so"),
        [`${LIBRARIES}/libvulkan_intel.so`]: "",
      },
      lacks: { "libvulkan_intel.so": ["libc.so.6"] },
    };
    const diagnosis = diagnose(fakeSystem(machine), { loaderLoads: true });
    expect(diagnosis.state).toBe("broken");
    expect(kindsOf(diagnosis)).toEqual(["driver-lacks-library"]);
  });

  test.each<[string, FindingKind, string]>([
    [
      "libGLX_nvidia.so.0: version `GLIBC_2.38' not found (required by it)\n and more",
      "driver-does-not-load",
      "The dynamic linker says: libGLX_nvidia.so.0: version `GLIBC_2.38' not found (required by it).",
    ],
    // musl, which lists nothing.
    [
      "Error loading shared library libz.so.1: No such file or directory (needed by libGLX_nvidia.so.0)",
      "driver-lacks-library",
      "needs libz.so.1, which is not installed",
    ],
    [
      "Error loading shared library libGLX_nvidia.so.0: No such file or directory",
      "driver-missing",
      "its library libGLX_nvidia.so.0 is not installed",
    ],
    [
      "libGLX_nvidia.so.0: cannot read file data: Is a directory",
      "driver-missing",
      "is no library, or cannot be read",
    ],
    [
      "Error relocating libGLX_nvidia.so.0: Exec format error",
      "driver-other-machine",
      "is built for another processor than x64",
    ],
    [
      "libGLX_nvidia.so.0: cannot open shared object file: Permission denied",
      "driver-missing",
      "is no library, or cannot be read",
    ],
  ])("the dynamic linker says: %s", (said, kind, text) => {
    const found = firstOf({ ...nvidia, says: { "libGLX_nvidia.so.0": said } });
    expect(found).toMatchObject({ kind, text: expect.stringContaining(text) });
  });
});

// As Debian 12 has them; `apt-cache policy` says so.
test.each([
  ["libXext.so.6", "libxext6"],
  ["libX11-xcb.so.1", "libx11-xcb1"],
  ["libxcb-dri3.so.0", "libxcb-dri3-0"],
  ["libdrm_amdgpu.so.1", "libdrm-amdgpu1"],
  ["libwayland-client.so.0", "libwayland-client0"],
  ["libexpat.so.1", "libexpat1"],
  ["libgcc_s.so.1", "libgcc-s1"],
  ["libstdc++.so.6", "libstdc++6"],
  ["libz.so.1", "zlib1g"],
  ["libm.so.6", "libc6"],
  ["libGLdispatch.so.0", "libglvnd0"],
  ["libglapi.so.0", "libglapi-mesa"],
  ["libxml2.so.2", "libxml2"],
  ["libcrypto.so.3", "libssl3"],
  ["libicuuc.so.72", "libicu72"],
  ["libLLVM-15.so.1", "libllvm15"],
  ["libLLVM.so.19.1", "libllvm19"],
])("Debian has %s in %s", (library, name) => {
  const { findings } = diagnose(fakeSystem({ ...amd, lacks: { [RADEON]: [library] } }));
  expect(findings[0]?.cure).toBe(`Install the package that has it: apt-get install ${name}.`);
});

describe("the Vulkan loader", () => {
  const bare = without(amd.files, `${LIBRARIES}/libvulkan.so.1`);
  test.each([
    [DEBIAN, "Install it: apt-get install libvulkan1."],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', "Install it: dnf install vulkan-loader."],
    ["ID=arch\n", "Install it: pacman -S vulkan-icd-loader."],
    ["ID=own\n", "Install it."],
  ])("is missing, on %j", (release, cure) => {
    const { state, findings } = diagnose(
      fakeSystem({ ...amd, files: { ...bare, "/etc/os-release": release } } as FakeSystem),
    );
    expect(state).toBe("broken");
    expect(findings).toEqual([
      {
        kind: "no-loader",
        text: "The Vulkan loader, libvulkan.so.1, through which Linux gives GPUs, is not installed.",
        cure,
      },
    ]);
  });

  test("lacks a library, or does not load; and is not looked for where it is known to load", () => {
    const name = "libvulkan.so.1";
    expect(firstOf({ ...amd, lacks: { [name]: ["libdl.so.2"] } })).toMatchObject({
      kind: "loader-lacks-library",
      text: "The Vulkan loader libvulkan.so.1 cannot be loaded: it needs libdl.so.2, which is not installed.",
    });
    const says = { [name]: `${name}: version \`GLIBC_2.38' not found\n and more` };
    expect(firstOf({ ...amd, says })).toEqual({
      kind: "loader-does-not-load",
      text: "The Vulkan loader libvulkan.so.1 cannot be loaded. The dynamic linker says: libvulkan.so.1: version `GLIBC_2.38' not found.",
      cure: "Install the loader that is made for this version of the system.",
    });
    expect(firstOf({ ...amd, says: { [name]: `${name}: file too short` } })?.text).toContain(
      "The dynamic linker says: libvulkan.so.1: file too short.",
    );
    expect(kindsOf(diagnose(fakeSystem({ ...amd, says }), { loaderLoads: true }))).toEqual([
      "driver-finds-nothing",
    ]);
    expect(
      kindsOf(diagnose(fakeSystem({ ...amd, files: bare } as FakeSystem), { loaderLoads: true })),
    ).toEqual(["driver-finds-nothing"]);
  });
});

describe("manifests", () => {
  const path = `${ICD}/radeon_icd.x86_64.json`;
  const says = { "/etc/group": "/etc/group: invalid ELF header" };
  const of = (text: string) => firstOf({ ...amd, files: { ...amd.files, [path]: text }, says });
  test.each([
    ["{ ICD", "manifest-invalid", "it is no JSON"],
    ["null", "manifest-invalid", "it has no ICD.library_path"],
    ['{ "ICD": { "library_path": 7 } }', "manifest-invalid", "it has no ICD.library_path"],
    [manifest("libgone.so"), "driver-missing", "its library libgone.so is not installed"],
    [manifest("../../own/gone.so"), "driver-missing", "its library /usr/share/own/gone.so is not installed"],
    [manifest("/etc/group"), "driver-missing", "its library /etc/group is no library, or cannot be read"],
  ])("%s", (text, kind, part) => {
    expect(of(text)?.kind).toBe(kind);
    expect(of(text)?.text).toContain(part);
    expect(of(text)?.text).toContain(path);
  });

  test("a library that is relative to its manifest", () => {
    const files = {
      ...amd.files,
      [path]: manifest("../../own/radeon.so"),
      "/usr/share/own/radeon.so": "",
    };
    expect(kindsOf(diagnose(fakeSystem({ ...amd, files })))).toEqual(["driver-finds-nothing"]);
  });

  test("in a folder that is called as another driver is one of its own kind", () => {
    const away = "/opt/lavapipe/nvidia/libvulkan_radeon.so";
    const files = {
      ...without(amd.files, RADEON),
      [path]: manifest(away),
      [away]: "",
    };
    const { drivers, findings } = diagnose(fakeSystem({ ...amd, files } as FakeSystem));
    expect(drivers).toMatchObject([{ software: false, ok: true }]);
    expect(findings.map(({ kind }) => kind)).toEqual(["driver-finds-nothing"]);
    // It is no driver for NVIDIA's GPU.
    const both = {
      ...nvidia,
      files: {
        ...without(nvidia.files, `${ICD}/nvidia_icd.json`),
        [path]: manifest(away),
        [away]: "",
      },
    };
    expect(firstOf(both as FakeSystem)?.kind).toBe("no-driver-for-gpu");
  });

  test("a driver for another processor counts only where there is no other", () => {
    const library = "/usr/lib/i386/libvulkan_radeon.so";
    const i686 = { [`${ICD}/radeon_icd.i686.json`]: manifest(library), [library]: "" };
    const says = { [library]: `${library}: wrong ELF class: ELFCLASS32` };
    expect(kindsOf(diagnose(fakeSystem({ ...amd, files: { ...amd.files, ...i686 }, says })))).toEqual([
      "driver-finds-nothing",
    ]);
    const alone = { ...without(amd.files, path), ...i686 };
    // glibc passes over a library with words of the same length.
    const absent = { [library]: `${library}: cannot open shared object file: No such file or directory` };
    for (const refused of [says, absent]) {
      const { findings } = diagnose(fakeSystem({ ...amd, files: alone, says: refused } as FakeSystem));
      expect(findings.map(({ kind }) => kind)).toEqual(["driver-other-machine"]);
    }
  });

  test.each([
    [{ XDG_CONFIG_HOME: "/c" }, "/c/vulkan/icd.d"],
    [{ HOME: "/home/a" }, "/home/a/.config/vulkan/icd.d"],
    [{ XDG_CONFIG_DIRS: "/x:/y" }, "/y/vulkan/icd.d"],
    [{}, "/etc/vulkan/icd.d"],
    [{ XDG_DATA_HOME: "/d" }, "/d/vulkan/icd.d"],
    [{ HOME: "/home/a" }, "/home/a/.local/share/vulkan/icd.d"],
    [{ XDG_DATA_DIRS: "/e:/f" }, "/f/vulkan/icd.d"],
    [{}, "/usr/local/share/vulkan/icd.d"],
    [{ VK_ADD_DRIVER_FILES: "/g" }, "/g"],
    [{ VK_DRIVER_FILES: "/h/a.json", VK_ICD_FILENAMES: "/nowhere" }, "/h"],
    [{ VK_ICD_FILENAMES: "/i" }, "/i"],
  ])("are found with %j in %s", (env, folder) => {
    const files = { ...without(amd.files, path), [`${folder}/a.json`]: amd.files[path] };
    const { drivers } = diagnose(fakeSystem({ ...amd, files, env } as FakeSystem));
    expect(drivers.map((one) => one.manifest)).toEqual([`${folder}/a.json`]);
    const lost = diagnose(
      fakeSystem({ ...amd, files: without(files, `${folder}/a.json`), env } as FakeSystem),
    );
    expect(lost.drivers).toEqual([]);
  });

  test("a variable that names nothing, and one that leaves the driver out", () => {
    const named = firstOf({ ...amd, env: { VK_ICD_FILENAMES: "/old/nvidia.json" } });
    expect(named?.text).toBe(
      "The environment variable VK_ICD_FILENAMES names /old/nvidia.json, which does not exist. The Vulkan loader looks for no other driver then.",
    );
    expect(named?.cure).toMatch(/^Unset VK_ICD_FILENAMES/);
    const filtered = (env: Record<string, string>) => firstOf({ ...amd, env })?.kind;
    expect(filtered({ VK_LOADER_DRIVERS_DISABLE: "*RADEON*" })).toBe("driver-filtered-out");
    expect(filtered({ VK_LOADER_DRIVERS_DISABLE: "~all~" })).toBe("driver-filtered-out");
    expect(filtered({ VK_LOADER_DRIVERS_SELECT: "nvidia*,intel*" })).toBe("driver-filtered-out");
    expect(
      filtered({ VK_LOADER_DRIVERS_SELECT: "radeon_icd.x86_64.json", VK_LOADER_DRIVERS_DISABLE: "~all~" }),
    ).toBe("driver-finds-nothing");
    expect(filtered({ VK_LOADER_DRIVERS_DISABLE: "radeon" })).toBe("driver-finds-nothing");
  });

  test("one that lies where the loader does not look", () => {
    const away = "/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json";
    const files = {
      ...without(nvidia.files, `${ICD}/nvidia_icd.json`),
      [away]: manifest("libGLX_nvidia.so.0"),
    };
    expect(firstOf({ ...nvidia, files } as FakeSystem)?.cure).toBe(
      `Set VK_DRIVER_FILES=${away} in the environment.`,
    );
  });
});

describe("devices", () => {
  const node = "/dev/dri/renderD128";
  test("no permission: the group is named", () => {
    const machine = { ...amd, devices: { [node]: "EACCES" }, groups: { [node]: 105 } };
    expect(firstOf(machine)).toEqual({
      kind: "device-denied",
      text: "The GPU's device /dev/dri/renderD128 may not be opened (EACCES).",
      cure: 'It belongs to the group render: run `sudo usermod -aG render "$USER"`, and log in again.',
    });
    const files = { ...amd.files, "/.dockerenv": "" };
    expect(firstOf({ ...machine, files })?.cure).toContain("`--group-add 105`");
    expect(firstOf({ ...machine, groups: {} })?.cure).toContain("administrator");
    expect(firstOf({ ...machine, devices: { [node]: "EPERM" }, files })?.cure).toContain("--device /dev/dri");
    expect(firstOf({ ...machine, devices: { [node]: "ENODEV" } })?.text).toContain("(ENODEV)");
  });

  test("a container without them", () => {
    const files = { ...amd.files, "/run/.containerenv": "" };
    expect(firstOf({ ...amd, files, devices: {} })).toEqual({
      kind: "no-device",
      text: "The kernel has a GPU, but its device /dev/dri/renderD128 is not there: this container was not given it.",
      cure: "Start the container with `--device /dev/dri`.",
    });
    const found = diagnose(
      fakeSystem({ ...nvidia, devices: {}, env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } }),
    );
    expect(kindsOf(found)).toEqual(["no-device"]);
    expect(found.findings[0]?.cure).toContain("--gpus all -e NVIDIA_DRIVER_CAPABILITIES=all");
    expect(firstOf({ ...nvidia, devices: {} })?.cure).toContain("nvidia-smi");
    expect(firstOf({ ...nvidia, devices: { ...nvidia.devices, "/dev/nvidiactl": "EPERM" } })?.text).toContain(
      "/dev/nvidiactl",
    );
  });
});

describe("a GPU", () => {
  test("without a kernel driver, or kept for virtual machines", () => {
    const address = "0000:19:00.0";
    const files = without(nvidia.files, "/proc/driver/nvidia/version");
    const links = without(nvidia.links, `/sys/bus/pci/devices/${address}/driver`);
    const found = firstOf({ ...nvidia, files, links, devices: {} } as FakeSystem);
    expect(found).toEqual({
      kind: "no-kernel-driver",
      text: "NVIDIA's GPU 10de:2335 at 0000:19:00.0 has no kernel driver.",
      cure: "Install or load NVIDIA's driver and restart.",
    });
    const given = firstOf({
      ...nvidia,
      files,
      links: { ...links, ...boundTo(address, "vfio-pci") },
      devices: {},
    } as FakeSystem);
    expect(given?.kind).toBe("gpu-given-away");
  });

  test("with a kernel driver and no Vulkan driver", () => {
    const of = (machine: FakeSystem, icd: string) =>
      firstOf({ ...machine, files: without(machine.files ?? {}, `${ICD}/${icd}`) } as FakeSystem);
    expect(of(amd, "radeon_icd.x86_64.json")).toEqual({
      kind: "no-driver-for-gpu",
      text: "AMD's GPU 1002:744c at 0000:03:00.0 has the kernel driver amdgpu, but no Vulkan driver for it is installed.",
      cure: "Install Mesa's Vulkan drivers: apt-get install mesa-vulkan-drivers.",
    });
    expect(of(nvidia, "nvidia_icd.json")?.cure).toContain("libnvidia-gl-580");
    // Another maker's driver does not help.
    const intel = {
      [`${ICD}/intel_icd.json`]: manifest("libvulkan_intel.so"),
      [`${LIBRARIES}/libvulkan_intel.so`]: "",
    };
    expect(of({ ...amd, files: { ...amd.files, ...intel } }, "radeon_icd.x86_64.json")?.kind).toBe(
      "no-driver-for-gpu",
    );
    const board = {
      files: linux,
      links: renderNode("renderD128", "soc", "panfrost"),
      devices: { "/dev/dri/renderD128": undefined },
    };
    expect(firstOf(board)?.text).toBe(
      "The GPU of renderD128 has the kernel driver panfrost, but no Vulkan driver for it is installed.",
    );
  });

  test("whose library and kernel driver are of two versions", () => {
    const files = {
      ...nvidia.files,
      "/proc/driver/nvidia/version": NVIDIA_VERSION.replace("580.95.05", "570.10.01"),
    };
    expect(firstOf({ ...nvidia, files })).toMatchObject({
      kind: "driver-other-version",
      text: "NVIDIA's library is of version 580.95.05, and the kernel's part of the driver is of version 570.10.01: they do not work together.",
    });
  });
});

describe("nothing of a GPU", () => {
  test("at all", () => {
    const diagnosis = diagnose(fakeSystem({ files: linux }));
    expect(diagnosis).toMatchObject({ state: "absent", headline: "no GPU was found", drivers: [], gpus: [] });
    expect(kindsOf(diagnosis)).toEqual(["no-gpu-seen"]);
    expect(kindsOf(diagnose(fakeSystem({})))).toEqual(["no-loader", "no-gpu-seen"]);
  });

  test("but a driver that computes on the CPU, and an adapter that shows pictures", () => {
    const files = {
      ...linux,
      ...pci("0000:00:02.0", "1234", "1111"),
      [`${ICD}/lvp_icd.x86_64.json`]: manifest("libvulkan_lvp.so"),
      [`${LIBRARIES}/libvulkan_lvp.so`]: "",
    };
    const diagnosis = diagnose(fakeSystem({ files, lacks: { "libvulkan_lvp.so": ["libLLVM.so.19.1"] } }));
    expect(diagnosis.state).toBe("absent");
    expect(kindsOf(diagnosis)).toEqual(["display-only", "software-only"]);
    expect(diagnosis.findings[0]?.text).toContain("QEMU's display adapter 1234:1111 at 0000:00:02.0");
    expect(diagnosis.drivers[0]).toMatchObject({ software: true, ok: false });
  });

  test("in Windows' Linux", () => {
    const release = "5.15.167.4-microsoft-standard-WSL2";
    expect(firstOf({ files: linux, release })?.cure).toContain("wsl --update");
    const there = { files: linux, release, devices: { "/dev/dxg": undefined } };
    expect(firstOf(there)?.text).toContain("dzn");
    expect(diagnose(fakeSystem(there)).state).toBe("broken");
    const dzn = {
      [`${ICD}/dzn_icd.json`]: manifest("libvulkan_dzn.so"),
      [`${LIBRARIES}/libvulkan_dzn.so`]: "",
    };
    expect(firstOf({ ...there, files: { ...linux, ...dzn } })?.kind).toBe("driver-finds-nothing");
  });
});

describe("other systems", () => {
  test.each<[FakeSystem, FindingKind, RegExp]>([
    [{ platform: "darwin", arch: "arm64" }, "no-metal", /Metal.*no driver to install/],
    [
      { platform: "win32", env: { SystemRoot: "D:\\Win" } },
      "no-direct3d",
      /D:\\Win\\System32\\d3d12\.dll does not exist/,
    ],
    [
      { platform: "win32", files: { "C:\\Windows\\System32\\d3d12.dll": "" } },
      "no-direct3d-gpu",
      /at most WARP/,
    ],
    [{ platform: "freebsd" }, "no-build", /no build for freebsd x64/],
    [{ platform: "linux", arch: "riscv64" }, "no-build", /no build for linux riscv64/],
  ])("%j", (machine, kind, text) => {
    const { state, findings } = diagnose(fakeSystem(machine));
    expect(state).toBe("absent");
    expect(findings).toHaveLength(1);
    expect(findings[0]?.kind).toBe(kind);
    expect(findings[0]?.text).toMatch(text);
    expect(findings[0]?.cure).not.toBe("");
  });
});

describe("this machine", () => {
  test("can be diagnosed, whatever it is", () => {
    const { findings } = diagnose(thisSystem());
    expect(findings.length).toBeGreaterThan(0);
  });

  test("a driver that lacks libraries, whose names the dynamic linker tells", ({ skip }) => {
    const { path: libm } = process.platform === "linux" ? thisSystem().linkedWith("libm.so.6") : {};
    if (libm === undefined) {
      return skip("it takes Linux with glibc");
    }
    const folder = mkdtempSync(join(tmpdir(), "wavefold-driver-"));
    try {
      const system = { ...thisSystem(), env: { VK_DRIVER_FILES: join(folder, "icd.json") } };
      const [driver, other] = [join(folder, "driver.so"), join(folder, "other.so")];
      const library = readFileSync(libm);
      // The table of names has it once.
      library.write("libq.so.6", library.indexOf("\0libc.so.6\0") + 1);
      writeFileSync(driver, library);
      writeFileSync(join(folder, "icd.json"), manifest("./driver.so"));
      const [finding] = diagnose(system, { loaderLoads: true }).findings;
      expect(finding?.text).toContain(`its library ${driver} needs libq.so.6, which is not installed`);
      expect(system.linkedWith(driver)).toEqual({ path: undefined, missing: ["libq.so.6"] });
      // Another processor's: the number 183 is AArch64, and 62 x86-64.
      const foreign = readFileSync(libm);
      foreign.writeUInt16LE(process.arch === "x64" ? 183 : 62, 18);
      writeFileSync(other, foreign);
      expect(stateOfLibrary(system, other)).toEqual({ state: "other-machine" });
      writeFileSync(other, "text");
      expect(stateOfLibrary(system, other)).toMatchObject({ state: "unreadable" });
      expect(stateOfLibrary(system, "libnowhere.so.1")).toEqual({ state: "absent" });
      expect(stateOfLibrary(system, join(folder, "a: b", "none.so"))).toEqual({ state: "absent" });
      expect(stateOfLibrary(system, "libm.so.6")).toEqual({ state: "loads" });
      expect(system.openProblem("/dev/null")).toBeUndefined();
      expect(system.openProblem(join(folder, "none"))).toBe("ENOENT");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
