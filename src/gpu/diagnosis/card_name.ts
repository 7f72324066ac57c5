import type { System } from "./system.ts";
import { textOf } from "./system.ts";

/** What an adapter says of itself, as far as cards are told apart by it. */
type AdapterNames = Pick<GPUAdapterInfo, "vendor" | "device">;

const NVIDIA_CARDS = "/proc/driver/nvidia/gpus";
const PCI_DEVICES = "/sys/bus/pci/devices";
/** Where systems have the list of names by PCI's numbers. */
const PCI_NAMES = ["/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids", "/usr/share/pci.ids"];
/** The list has about 1.5 MB. */
const MOST_NAMES = 2 ** 24;

/** Vendors, by their names in WebGPU: as people write them, and their numbers on the PCI bus. */
const makers: Readonly<Record<string, { readonly name: string; readonly id: string }>> = {
  nvidia: { name: "NVIDIA", id: "10de" },
  amd: { name: "AMD", id: "1002" },
  intel: { name: "Intel", id: "8086" },
};

/** A name as Dawn writes it in `device`: `NVIDIA H100 80GB HBM3` becomes `nvidia-h100-80gb-hbm3`. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/**
 * The card's name, as its driver or PCI's list has it: `NVIDIA H100 80GB HBM3`. It is undefined if no file has it, and if there are several
 * cards and it is not known which one the adapter is.
 */
export function cardName(adapter: AdapterNames, system: System): string | undefined {
  if (system.platform !== "linux") {
    return undefined;
  }
  const driven = adapter.vendor === "nvidia" ? nvidiaCards(system) : [];
  const names = new Set(driven.length > 0 ? driven : pciCards(adapter.vendor, system));
  const [name] =
    names.size === 1 ? names : [...names].filter((one) => slugOf(one) === slugOf(adapter.device));
  return name || undefined;
}

/** The cards that NVIDIA's driver runs. */
const nvidiaCards = (system: System): string[] =>
  system.list(NVIDIA_CARDS).flatMap((bus) => {
    const text = textOf(system, `${NVIDIA_CARDS}/${bus}/information`) ?? "";
    return /^Model:\s*(\S.*?)\s*$/m.exec(text)?.[1] ?? [];
  });

/** A vendor's cards on the PCI bus, by the list's names. The name of a card that the list lacks is empty. */
function pciCards(vendor: string, system: System): string[] {
  const maker = makers[vendor];
  if (maker === undefined) {
    return [];
  }
  const numberIn = (device: string, file: string): string =>
    (textOf(system, `${PCI_DEVICES}/${device}/${file}`) ?? "").trim().replace(/^0x/, "");
  const cards = system
    .list(PCI_DEVICES)
    // Display adapters have classes from 0x030000 to 0x03ffff.
    .filter((one) => numberIn(one, "class").startsWith("03") && numberIn(one, "vendor") === maker.id)
    .map((one) => numberIn(one, "device"));
  const path = cards.length === 0 ? undefined : PCI_NAMES.find(system.exists);
  const list = path === undefined ? undefined : system.read(path, MOST_NAMES);
  // A vendor's line starts with its number. Its cards' lines follow, each after a tab, and comments.
  const lines = new RegExp(`^${maker.id}  .*\n((?:[\\t#].*\n?)*)`, "m").exec(
    new TextDecoder().decode(list),
  )?.[1];
  return cards.map((card) => {
    const name = new RegExp(`^\\t${card}  (.*)$`, "m").exec(lines ?? "")?.[1];
    // "GH100 [H100 SXM5 80GB]": the chip, and what it is sold as.
    return name === undefined ? "" : `${maker.name} ${/\[(.+)\]$/.exec(name)?.[1] ?? name}`;
  });
}
