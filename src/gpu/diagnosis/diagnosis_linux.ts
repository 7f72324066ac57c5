import { basename, dirname, join } from "node:path/posix";
import type { Diagnosis, Driver, Finding, Known, KnownGpu } from "./diagnosis_types.ts";
import { stateOfLibrary } from "./libraries.ts";
import type { System } from "./system.ts";
import { textOf } from "./system.ts";

const LOADER = "libvulkan.so.1";
/** The GPU that Windows gives to its Linux. */
const DXG = "/dev/dxg";
const NVIDIA_VERSION = "/proc/driver/nvidia/version";
/** Folders with manifests that some systems have, and where the loader does not look by itself. */
const elsewhere = ["/usr/local/nvidia/share/vulkan/icd.d", "/run/opengl-driver/share/vulkan/icd.d"];

/** A maker's GPUs: what its kernel drivers and its Vulkan drivers are called, and where to get the latter. */
interface Maker {
  readonly name: string;
  /** The vendor's number on the PCI bus. */
  readonly id: string;
  readonly driver: RegExp;
  readonly kernelDriver: string;
}

const makers: readonly Maker[] = [
  { name: "NVIDIA", id: "10de", driver: /nvidia|nouveau/i, kernelDriver: "NVIDIA's driver" },
  { name: "AMD", id: "1002", driver: /radeon|amd/i, kernelDriver: "amdgpu, which is part of Linux," },
  { name: "Intel", id: "8086", driver: /intel/i, kernelDriver: "i915 or xe, which are parts of Linux," },
];

/** Adapters that show pictures: of servers' controllers and of virtual machines, by the vendor on the PCI bus. */
const displays: Readonly<Record<string, string>> = {
  "1013": "Cirrus Logic's display adapter",
  "102b": "Matrox's display adapter",
  "1234": "QEMU's display adapter",
  "126f": "Silicon Motion's display adapter",
  "1414": "Hyper-V's display adapter",
  "15ad": "VMware's display adapter",
  "19e5": "Huawei's display adapter",
  "1a03": "ASPEED's display adapter",
  "1af4": "the display adapter virtio",
  "1b36": "QEMU's display adapter",
  "1d0f": "Amazon's display adapter",
  "80ee": "VirtualBox's display adapter",
};

/** Drivers that compute on the CPU: Mesa's lavapipe, and SwiftShader. */
const SOFTWARE = /lvp|lavapipe|swiftshader/i;

/** What a driver's files are called. The names of their folders may be anything. */
const namesOf = ({ manifest, library = "" }: Pick<Driver, "manifest" | "library">): string =>
  `${basename(manifest)} ${basename(library)}`;

/** Facts that the wording of the findings depends on. */
interface Facts {
  readonly system: System;
  readonly inContainer: boolean;
  /** The version of NVIDIA's kernel driver, if that is loaded. */
  readonly nvidia: string | undefined;
}

/** A driver with what is wrong with it. */
interface Checked extends Driver {
  readonly problem: Finding | undefined;
}

/**
 * Linux gives GPUs through Vulkan: through the loader, the manifests of drivers, their libraries, and the kernel's devices.
 *
 * Source: the Vulkan loader's documentation, LoaderDriverInterface.md, "Driver Discovery on Linux".
 */
export function diagnoseLinux(system: System, known: Known): Diagnosis {
  const facts: Facts = {
    system,
    inContainer:
      ["/.dockerenv", "/run/.containerenv"].some((path) => system.exists(path)) ||
      Boolean(system.env.container ?? system.env.KUBERNETES_SERVICE_HOST),
    nvidia: /\s(\d+\.\d+(?:\.\d+)?)\s/.exec(textOf(system, NVIDIA_VERSION) ?? "")?.[1],
  };
  const loader = known.loaderLoads ? [] : checkLoader(facts);
  const { manifests, findings: ofVariables } = manifestsOf(facts);
  const checked = manifests.map((manifest) => checkDriver(facts, manifest));
  const gpus = gpusOf(facts);
  const devices = checkDevices(facts);
  // A driver for a GPU that is there comes before the others.
  const fits = (driver: Driver): boolean => gpus.some(({ maker }) => maker?.driver.test(namesOf(driver)));
  const hardware = checked
    .filter(({ software }) => !software)
    .sort((a, b) => Number(fits(b)) - Number(fits(a)));
  const usable = hardware.filter(({ ok }) => ok);
  const ofDrivers = hardware.flatMap(({ problem }) => problem ?? []);
  // Systems with libraries of two kinds have drivers for both.
  const foreign = ofDrivers.filter(({ kind }) => kind === "driver-other-machine");
  const own = ofDrivers.filter(({ kind }) => kind !== "driver-other-machine");
  const ofGpus = gpus.filter(({ computes }) => computes).flatMap((gpu) => checkGpu(facts, gpu, hardware));
  const blamed = [
    ...ofVariables,
    ...own,
    ...(usable.length === 0 && own.length === 0 ? foreign : []),
    ...devices,
    ...ofGpus,
  ];
  const isThere =
    gpus.some(({ computes }) => computes) ||
    facts.nvidia !== undefined ||
    devices.length > 0 ||
    // The library of a driver is there. A manifest or a variable alone is no driver.
    own.some(({ kind }) => !/^(manifest-|driver-missing)/.test(kind)) ||
    system.exists(DXG);
  const findings = [...loader, ...wslOf(facts, hardware), ...blamed];
  return {
    state: isThere ? "broken" : "absent",
    headline: isThere
      ? "no GPU could be opened, though a GPU or a driver of one is there"
      : "no GPU was found",
    findings: [...findings, ...restOf({ findings, checked, usable, gpus, isThere })],
    drivers: checked.map(({ problem: _, ...driver }) => driver),
    gpus: gpus.map(({ maker: _, ...gpu }) => gpu),
  };
}

/** The findings that are added if the others do not explain why there is no GPU. */
function restOf(all: {
  readonly findings: readonly Finding[];
  readonly checked: readonly Checked[];
  readonly usable: readonly Checked[];
  readonly gpus: readonly GpuOfMaker[];
  readonly isThere: boolean;
}): Finding[] {
  const { findings, checked, usable, gpus, isThere } = all;
  const shown = gpus.filter(({ computes }) => !computes).map(({ name }) => name);
  const rest: Finding[] = [];
  if (!isThere && shown.length > 0) {
    rest.push({
      kind: "display-only",
      text: `The kernel knows of ${shown.join(", ")}, which cannot compute.`,
      cure: "",
    });
  } else if (!isThere) {
    rest.push({
      kind: "no-gpu-seen",
      text: "The kernel shows no GPU: there is none below /sys/bus/pci/devices or /sys/class/drm.",
      cure: "A virtual machine or a container has a GPU only if its host gives it one.",
    });
  }
  if (findings.length === 0 && usable.length > 0) {
    const [noun, verb] = usable.length === 1 ? ["driver", "loads, and has"] : ["drivers", "load, and have"];
    rest.push({
      kind: "driver-finds-nothing",
      text: `The Vulkan ${noun} ${usable.map(({ manifest }) => manifest).join(", ")} ${verb} no GPU that WebGPU can use.`,
      cure: "`vulkaninfo --summary` shows what it has. VK_LOADER_DEBUG=error,warn in the environment makes the Vulkan loader say what it does.",
    });
  }
  if (checked.length > 0 && checked.every(({ software }) => software)) {
    rest.push({
      kind: "software-only",
      text: `All Vulkan drivers that are installed compute on the CPU: ${checked.map(({ manifest }) => manifest).join(", ")}.`,
      cure: "",
    });
  }
  return rest;
}

/** What installs a package, by the names that systems have for it. */
function installs({ system }: Facts, names: Partial<Record<Manager, string>>): string {
  const release = textOf(system, "/etc/os-release") ?? "";
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/gm)].flatMap(([, list = ""]) =>
    list.split(" "),
  );
  const manager = ids.map((id) => managers[id]).find((one) => one !== undefined);
  const name = manager === undefined ? undefined : names[manager];
  return manager === undefined || name === undefined ? "" : `${commands[manager]} ${name}`;
}

const commands = {
  apt: "apt-get install",
  dnf: "dnf install",
  pacman: "pacman -S",
  zypper: "zypper install",
} as const;
type Manager = keyof typeof commands;
const managers: Readonly<Record<string, Manager>> = {
  debian: "apt",
  ubuntu: "apt",
  fedora: "dnf",
  rhel: "dnf",
  centos: "dnf",
  arch: "pacman",
  suse: "zypper",
  opensuse: "zypper",
};

const asCommand = (command: string): string => (command === "" ? "" : `: ${command}`);

function checkLoader(facts: Facts): Finding[] {
  const { system } = facts;
  const loader = stateOfLibrary(system, LOADER);
  switch (loader.state) {
    case "loads":
      return [];
    case "lacks":
      return [
        {
          kind: "loader-lacks-library",
          text: `The Vulkan loader ${LOADER} cannot be loaded: it needs ${notInstalled(loader.missing)}.`,
          cure: cureOf(facts, loader.missing),
        },
      ];
    case "absent":
    case "other-machine": {
      const command = installs(facts, {
        apt: "libvulkan1",
        dnf: "vulkan-loader",
        pacman: "vulkan-icd-loader",
        zypper: "libvulkan1",
      });
      return [
        {
          kind: "no-loader",
          text: `The Vulkan loader, ${LOADER}, through which Linux gives GPUs, is not installed.`,
          cure: `Install it${asCommand(command)}.`,
        },
      ];
    }
    case "unreadable":
    case "refused":
      return [
        {
          kind: "loader-does-not-load",
          text: `The Vulkan loader ${LOADER} cannot be loaded. ${linkerSays(loader.said)}`,
          cure: "Install the loader that is made for this version of the system.",
        },
      ];
    default:
      return loader satisfies never;
  }
}

const linkerSays = (line: string): string => `The dynamic linker says: ${line}.`;

const notInstalled = (missing: readonly string[]): string =>
  missing.length === 1
    ? `${missing[0]}, which is not installed`
    : `${missing.slice(0, -1).join(", ")} and ${missing.at(-1)}, which are not installed`;

/** Libraries whose packages Debian calls by other names. */
const debianPackages: readonly (readonly [RegExp, string])[] = [
  [/^lib(?:c|m|dl|rt|pthread|resolv|util)\.so\.\d+$/, "libc6"],
  [/^libz\.so\.1$/, "zlib1g"],
  [/^libGLdispatch\.so\.0$/, "libglvnd0"],
  [/^libglapi\.so\.0$/, "libglapi-mesa"],
  [/^libxml2\.so\.2$/, "libxml2"],
  [/^lib(?:crypto|ssl)\.so\.(\d+)$/, "libssl$1"],
  [/^libicu[a-z]+\.so\.(\d+)$/, "libicu$1"],
  // From version 19 on, the library is called as its package is: libLLVM.so.19.1 is in libllvm19.
  [/^libLLVM(?:-|\.so\.)(\d+)(?:\.so\.1|\.\d+)?$/, "libllvm$1"],
];

/** Debian calls most packages by their libraries: libXext.so.6 is in libxext6, libxcb-dri3.so.0 in libxcb-dri3-0. */
function packageOf(name: string): string | undefined {
  const known = debianPackages.find(([pattern]) => pattern.test(name));
  if (known !== undefined) {
    return name.replace(...(known as [RegExp, string]));
  }
  const [, stem, version] = /^(lib[A-Za-z][\w+-]*)\.so\.(\d+)$/.exec(name) ?? [];
  return stem === undefined || /^lib(nvidia|cuda)/.test(stem)
    ? undefined
    : `${stem.toLowerCase().replaceAll("_", "-")}${/\d$/.test(stem) ? "-" : ""}${version}`;
}

function cureOf(facts: Facts, names: readonly string[]): string {
  if (names.some((name) => /nvidia|cuda/i.test(name))) {
    return nvidiaCure(facts);
  }
  const packages = names.map(packageOf);
  const known = packages.every((one) => one !== undefined);
  const command = installs(facts, {
    ...(known && { apt: packages.join(" ") }),
    dnf: names.map((name) => `'${name}()(64bit)'`).join(" "),
  });
  return `Install ${names.length === 1 ? "the package that has it" : "the packages that have them"}${asCommand(command)}.`;
}

/** NVIDIA's driver comes in parts. Vulkan is in the part for graphics, which servers and containers often leave out. */
function nvidiaCure({ inContainer, nvidia }: Facts): string {
  return inContainer
    ? "Start the container with `--gpus all -e NVIDIA_DRIVER_CAPABILITIES=all`: left out, NVIDIA's toolkit brings in only what CUDA needs, and no Vulkan."
    : `Install the part of NVIDIA's driver for graphics${nvidia === undefined ? "" : `, of version ${nvidia}`}: on Ubuntu libnvidia-gl-${nvidia?.split(".")[0] ?? "VERSION"}. The headless packages leave it out.`;
}

function mesaCure(facts: Facts, maker: Maker | undefined): string {
  const name = { AMD: "radeon", Intel: "intel" }[maker?.name ?? ""];
  const command = installs(facts, {
    apt: "mesa-vulkan-drivers",
    dnf: "mesa-vulkan-drivers",
    ...(name && { pacman: `vulkan-${name}`, zypper: `libvulkan_${name}` }),
  });
  return `Install Mesa's Vulkan drivers${asCommand(command)}.`;
}

/** The manifests that the loader reads, in its order; and what is wrong with the variables that name them. */
function manifestsOf(facts: Facts): { manifests: readonly string[]; findings: readonly Finding[] } {
  const { system } = facts;
  const { env } = system;
  const findings: Finding[] = [];
  const paths = (list: string | undefined): string[] => (list ?? "").split(":").filter((one) => one !== "");
  const inFolder = (folder: string): string[] =>
    system
      .list(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  /** What a variable names: manifests, and folders of manifests. */
  const named = (variable: string, only: boolean): string[] =>
    paths(env[variable]).flatMap((path) => {
      if (!system.exists(path)) {
        findings.push({
          kind: "variable-names-nothing",
          text: `The environment variable ${variable} names ${path}, which does not exist.${only ? " The Vulkan loader looks for no other driver then." : ""}`,
          cure: `Unset ${variable}, or let it name a driver's manifest.`,
        });
        return [];
      }
      return path.endsWith(".json") ? [path] : inFolder(path);
    });
  const overriding = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].find((name) => env[name]);
  if (overriding !== undefined) {
    const manifests = [...new Set(named(overriding, true))];
    return { manifests: filtered(facts, manifests, findings), findings };
  }
  const inHome = (variable: string, folder: string): string[] =>
    env[variable] ? [env[variable]] : env.HOME ? [join(env.HOME, folder)] : [];
  const folders = [
    ...inHome("XDG_CONFIG_HOME", ".config"),
    ...paths(env.XDG_CONFIG_DIRS || "/etc/xdg"),
    "/etc",
    ...inHome("XDG_DATA_HOME", ".local/share"),
    ...paths(env.XDG_DATA_DIRS || "/usr/local/share:/usr/share"),
  ].map((folder) => join(folder, "vulkan", "icd.d"));
  const manifests = [...new Set([...named("VK_ADD_DRIVER_FILES", false), ...folders.flatMap(inFolder)])];
  const others = elsewhere.flatMap(inFolder).filter((path) => !manifests.includes(path));
  if (others[0] !== undefined && manifests.every((path) => SOFTWARE.test(basename(path)))) {
    findings.push({
      kind: "manifest-elsewhere",
      text: `The Vulkan driver ${others[0]} lies where the Vulkan loader does not look.`,
      cure: `Set VK_DRIVER_FILES=${others[0]} in the environment.`,
    });
  }
  return { manifests: filtered(facts, manifests, findings), findings };
}

/** The manifests that the loader's filters leave. A filter is a list of globs that a manifest's name is compared with. */
function filtered(
  { system: { env } }: Facts,
  manifests: readonly string[],
  findings: Finding[],
): readonly string[] {
  const matches = (list: string, path: string): boolean =>
    list.split(",").some((glob) => {
      const parts = glob.trim().split("*");
      const pattern = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*");
      return glob.trim() === "~all~" || new RegExp(`^${pattern}$`, "i").test(basename(path));
    });
  const { VK_LOADER_DRIVERS_SELECT: select, VK_LOADER_DRIVERS_DISABLE: disable } = env;
  return manifests.filter((path) => {
    const isSelected = select ? matches(select, path) : undefined;
    const isDisabled = isSelected !== true && Boolean(disable) && matches(disable ?? "", path);
    if (isSelected === false || isDisabled) {
      const variable = isDisabled ? "VK_LOADER_DRIVERS_DISABLE" : "VK_LOADER_DRIVERS_SELECT";
      if (!SOFTWARE.test(basename(path))) {
        findings.push({
          kind: "driver-filtered-out",
          text: `The environment variable ${variable}, ${env[variable]}, leaves out the Vulkan driver ${path}.`,
          cure: `Unset ${variable}.`,
        });
      }
      return false;
    }
    return true;
  });
}

/** A driver, by what is known of its files, and what is wrong with it. */
const checkedDriver = (
  { manifest, library, path }: Partial<Driver> & Pick<Driver, "manifest">,
  problem?: Finding,
): Checked => ({
  manifest,
  library,
  path,
  software: SOFTWARE.test(namesOf({ manifest, library })),
  ok: problem === undefined,
  problem,
});

function checkDriver(facts: Facts, manifest: string): Checked {
  const { system } = facts;
  const text = textOf(system, manifest);
  if (text === undefined) {
    return checkedDriver(
      { manifest },
      {
        kind: "manifest-unreadable",
        text: `The Vulkan driver's manifest ${manifest} cannot be read.`,
        cure: "Make it readable for your user, or mend the link.",
      },
    );
  }
  const { library, wrong } = libraryIn(text);
  if (library === undefined) {
    return checkedDriver(
      { manifest },
      {
        kind: "manifest-invalid",
        text: `The Vulkan driver's manifest ${manifest} is broken: ${wrong}. The Vulkan loader skips it.`,
        cure: "Install the driver again.",
      },
    );
  }
  // A name alone is looked for as libraries are. Other paths are relative to the manifest.
  const isRelative = library.includes("/") && !library.startsWith("/");
  const name = isRelative ? join(dirname(manifest), library) : library;
  const found = name.includes("/") ? system.exists(name) && name : system.linkedWith(name).path;
  const driver = { manifest, library, name, path: found || undefined };
  return checkedDriver(driver, problemOf(facts, driver));
}

/** A driver by its manifest, and the library that this names. */
interface NamedDriver extends Pick<Driver, "manifest" | "path"> {
  /** The library as it is looked for: a name alone, or a path. */
  readonly name: string;
}

/** What is wrong with a driver; undefined if nothing is known to be. */
function problemOf(facts: Facts, driver: NamedDriver): Finding | undefined {
  const { system } = facts;
  const { manifest, name, path } = driver;
  const isNvidia = /nvidia/i.test(basename(name));
  const cannotLoad = `The Vulkan driver ${manifest} cannot be loaded`;
  const isMissing = (why: string): Finding => ({
    kind: "driver-missing",
    text: `${cannotLoad}: its library ${name} ${why}.`,
    cure: isNvidia ? nvidiaCure(facts) : "Install the driver again.",
  });
  const library = stateOfLibrary(system, name);
  switch (library.state) {
    case "loads":
      return isNvidia && path !== undefined ? problemOfVersion(facts, path) : undefined;
    case "absent":
      return isMissing("is not installed");
    case "unreadable":
      return isMissing("is no library, or cannot be read");
    case "other-machine":
      return {
        kind: "driver-other-machine",
        text: `${cannotLoad}: its library ${name} is built for another processor than ${system.arch}.`,
        cure: `Install the driver for ${system.arch}.`,
      };
    case "lacks":
      return {
        kind: "driver-lacks-library",
        text: `${cannotLoad}: its library ${name} needs ${notInstalled(library.missing)}.`,
        cure: cureOf(facts, library.missing),
      };
    case "refused":
      return {
        kind: "driver-does-not-load",
        text: `${cannotLoad}. ${linkerSays(library.said)}`,
        cure: "Install the driver that is made for this version of the system.",
      };
    default:
      return library satisfies never;
  }
}

function problemOfVersion({ system, nvidia }: Facts, path: string): Finding | undefined {
  const version = versionOf(system, path);
  return version === undefined || nvidia === undefined || version === nvidia
    ? undefined
    : {
        kind: "driver-other-version",
        text: `NVIDIA's library is of version ${version}, and the kernel's part of the driver is of version ${nvidia}: they do not work together.`,
        cure: "Restart the machine, which loads the new part; in a container, take the library of the host's version.",
      };
}

/** NVIDIA's libraries have their version in their names: libGLX_nvidia.so.0 is a link to libGLX_nvidia.so.580.95.05. */
const versionOf = (system: System, path: string): string | undefined =>
  /\.so\.(\d+\.\d+(?:\.\d+)?)$/.exec(system.linkOf(path) ?? path)?.[1];

/** The library that a manifest names, or what is wrong with the manifest. */
function libraryIn(text: string): { library?: string; wrong?: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { wrong: "it is no JSON" };
  }
  const library = (parsed as { ICD?: { library_path?: unknown } } | null)?.ICD?.library_path;
  return typeof library === "string" && library !== ""
    ? { library }
    : { wrong: "it has no ICD.library_path" };
}

interface GpuOfMaker extends KnownGpu {
  readonly maker: Maker | undefined;
}

/** What the kernel knows of: display controllers on the PCI bus, and what else has a render node. */
function gpusOf({ system }: Facts): readonly GpuOfMaker[] {
  const PCI = "/sys/bus/pci/devices";
  const hex = (path: string): string => (textOf(system, path) ?? "").trim().replace(/^0x/, "");
  const driverOf = (folder: string): string | undefined => {
    const link = system.linkOf(join(folder, "driver"));
    return link === undefined ? undefined : basename(link);
  };
  const onPci = system.list(PCI).flatMap((address): (GpuOfMaker & { address: string })[] => {
    const folder = join(PCI, address);
    // Base class 3: display controllers.
    if (!hex(join(folder, "class")).startsWith("03")) {
      return [];
    }
    const vendor = hex(join(folder, "vendor"));
    const maker = makers.find(({ id }) => id === vendor);
    const name = maker === undefined ? (displays[vendor] ?? "a display adapter") : `${maker.name}'s GPU`;
    return [
      {
        address,
        name: `${name} ${vendor}:${hex(join(folder, "device"))} at ${address}`,
        kernelDriver: driverOf(folder),
        computes: displays[vendor] === undefined,
        maker,
      },
    ];
  });
  const others = system
    .list("/sys/class/drm")
    .filter((name) => /^renderD\d+$/.test(name))
    .flatMap((node): GpuOfMaker[] => {
      const device = join("/sys/class/drm", node, "device");
      const link = system.linkOf(device) ?? "";
      const driver = driverOf(device);
      return onPci.some(({ address }) => address === basename(link)) ||
        driver === "virtio_gpu" ||
        driver === "vgem"
        ? []
        : [
            {
              name: `the GPU of ${node}`,
              kernelDriver: driver,
              computes: true,
              maker: undefined,
            },
          ];
    });
  return [...onPci.map(({ address: _, ...gpu }) => gpu), ...others];
}

/** What a GPU of a known maker lacks: a kernel driver, or a Vulkan driver. */
function checkGpu(
  facts: Facts,
  { name, kernelDriver, maker }: GpuOfMaker,
  drivers: readonly Driver[],
): Finding[] {
  const gpu = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  if (kernelDriver === "vfio-pci" || kernelDriver === "pci-stub") {
    return [
      {
        kind: "gpu-given-away",
        text: `${gpu} is kept for virtual machines: its kernel driver is ${kernelDriver}.`,
        cure: "Use it in the virtual machine that it is for, or give it back to its own driver.",
      },
    ];
  }
  if (kernelDriver === undefined) {
    return [
      {
        kind: "no-kernel-driver",
        text: `${gpu} has no kernel driver.`,
        cure: `Install or load ${maker?.kernelDriver ?? "its maker's driver"} ${facts.inContainer ? "on the host" : "and restart"}.`,
      },
    ];
  }
  // NVIDIA's own driver and Linux's nouveau have different Vulkan drivers. Of other makers, any driver may be the right one.
  const driver = { nvidia: /nvidia/i, nouveau: /nouveau/i }[kernelDriver] ?? maker?.driver ?? /./;
  if (drivers.some((one) => driver.test(namesOf(one)))) {
    return [];
  }
  const nouveau = "Install NVIDIA's driver, or Mesa's Vulkan drivers with NVK.";
  return [
    {
      kind: "no-driver-for-gpu",
      text: `${gpu} has the kernel driver ${kernelDriver}, but no Vulkan driver for it is installed.`,
      cure: { nvidia: nvidiaCure(facts), nouveau }[kernelDriver] ?? mesaCure(facts, maker),
    },
  ];
}

/** The devices that drivers open: whether they are there, and whether this user may open them. */
function checkDevices(facts: Facts): Finding[] {
  const { system, inContainer, nvidia } = facts;
  const nodes = new Set(
    [...system.list("/sys/class/drm"), ...system.list("/dev/dri")].filter((name) =>
      /^renderD\d+$/.test(name),
    ),
  );
  const findings: Finding[] = [];
  for (const node of nodes) {
    const path = `/dev/dri/${node}`;
    const kernelDriver = basename(system.linkOf(`/sys/class/drm/${node}/device/driver`) ?? "");
    // NVIDIA's driver opens devices of its own.
    if (kernelDriver !== "nvidia") {
      findings.push(...checkDevice(facts, path, "Start the container with `--device /dev/dri`."));
    }
  }
  if (nvidia !== undefined) {
    const own = system.list("/dev").filter((name) => /^nvidia\d+$/.test(name));
    if (own.length === 0) {
      findings.push({
        kind: "no-device",
        text: `NVIDIA's kernel driver ${nvidia} is loaded, but its devices /dev/nvidia0 and on are not there.`,
        cure: inContainer ? nvidiaCure(facts) : "Run `nvidia-smi` as root once, which makes them.",
      });
    }
    for (const name of own.length === 0 ? [] : ["nvidiactl", ...own]) {
      findings.push(...checkDevice(facts, `/dev/${name}`, nvidiaCure(facts)));
    }
  }
  return findings;
}

function checkDevice({ system, inContainer }: Facts, path: string, containerCure: string): Finding[] {
  if (!system.exists(path)) {
    return [
      {
        kind: "no-device",
        text: `The kernel has a GPU, but its device ${path} is not there${inContainer ? ": this container was not given it" : ""}.`,
        cure: inContainer ? containerCure : "Restart the machine, or the service udev.",
      },
    ];
  }
  const problem = system.openProblem(path);
  if (problem === undefined) {
    return [];
  }
  const text = `The GPU's device ${path} may not be opened (${problem}).`;
  if (problem === "EPERM") {
    return [{ kind: "device-denied", text, cure: `The rules of this container forbid it. ${containerCure}` }];
  }
  if (problem !== "EACCES") {
    return [{ kind: "device-denied", text, cure: "`dmesg` may say why the driver refuses it." }];
  }
  const id = system.groupOf(path);
  const group = (textOf(system, "/etc/group") ?? "").match(new RegExp(`^([^:\\n]+):[^:]*:${id}:`, "m"))?.[1];
  const cure =
    id === undefined || id === 0
      ? "Let the administrator give your user the right to read and write it."
      : inContainer
        ? `It belongs to the group ${group ?? id}: start the container with \`--group-add ${id}\`.`
        : `It belongs to the group ${group ?? id}: run \`sudo usermod -aG ${group ?? id} "$USER"\`, and log in again.`;
  return [{ kind: "device-denied", text, cure }];
}

/** Windows' Linux has the host's GPU as /dev/dxg, which is no render node. */
function wslOf({ system }: Facts, drivers: readonly Driver[]): Finding[] {
  if (!/microsoft/i.test(system.release)) {
    return [];
  }
  const inWindows = "In Windows' own Node.js, Wavefold reaches the GPU through Direct3D 12.";
  if (!system.exists(DXG)) {
    return [
      {
        kind: "wsl",
        text: "This is Windows' Linux (WSL), and the host's GPU, /dev/dxg, is not there.",
        cure: `Run \`wsl --update\` in Windows, and update the GPU's driver there. ${inWindows}`,
      },
    ];
  }
  return drivers.some(({ manifest }) => /dzn/i.test(manifest))
    ? []
    : [
        {
          kind: "wsl",
          text: "This is Windows' Linux (WSL): the host's GPU, /dev/dxg, takes Mesa's Vulkan driver dzn, which is not installed.",
          cure: `Install Mesa's Vulkan drivers, of a version with dzn. ${inWindows}`,
        },
      ];
}
