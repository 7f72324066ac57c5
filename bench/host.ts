import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cardName } from "../src/gpu/diagnosis/card_name.ts";
import type { System } from "../src/gpu/diagnosis/system.ts";
import { textOf } from "../src/gpu/diagnosis/system.ts";
import { thisSystem } from "../src/gpu/diagnosis/this_system.ts";
import type { Fold } from "../src/gpu/fold.ts";

/** What a record of a run says about where it ran. */
export interface Host {
  readonly wavefold: string;
  /** With `-changed` where files differ from it. A package outside of a checkout has none. */
  readonly commit?: string;
  readonly date: string;
  readonly device: {
    readonly name: string;
    readonly vendor: string;
    readonly architecture: string;
    readonly driver: string;
    readonly software: boolean;
    readonly features: readonly string[];
    readonly subgroupSizes: readonly [number, number] | undefined;
  };
  readonly node: string;
  readonly cpu: string;
}

/** The folder that holds the package: this module, or the bundle it is in, lies below it. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return folder;
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

/** The commit that the package is built from, if that is known. `WAVEFOLD_COMMIT` names it where there is no checkout. */
export function commitOf(folder: string): string | undefined {
  if (process.env.WAVEFOLD_COMMIT) {
    return process.env.WAVEFOLD_COMMIT;
  }
  try {
    // A package installed in somebody else's checkout has another root.
    if (realpathSync(git(folder, "rev-parse", "--show-toplevel")) === realpathSync(folder)) {
      const changed = git(folder, "status", "--porcelain", "--untracked-files=no") !== "";
      return `${git(folder, "rev-parse", "--short=12", "HEAD")}${changed ? "-changed" : ""}`;
    }
  } catch {
    // No git, or no checkout.
  }
  return undefined;
}

/** NVIDIA's driver says its version here. */
const NVIDIA_VERSION = "/proc/driver/nvidia/version";

/** What a GPU and its driver are called. Dawn's description is "NVIDIA: 580.159.04 580.159.4.0", or names the driver alone. */
export function namesOf(
  { adapterInfo, software }: Pick<Fold, "adapterInfo" | "software">,
  system: System = thisSystem(),
): { readonly name: string; readonly driver: string } {
  const { vendor, device, description } = adapterInfo;
  const card = software ? undefined : cardName(adapterInfo, system);
  const [, before, after] = /^([^:]+): (.+)$/.exec(description) ?? [];
  const name = card || device || before || description || vendor || "an adapter without a name";
  const driver = after || description || "driver not told";
  const version =
    vendor === "nvidia"
      ? /\s(\d+\.\d+(\.\d+)?)\s/.exec(textOf(system, NVIDIA_VERSION) ?? "")?.[1]
      : undefined;
  return {
    name,
    driver: version === undefined || driver.includes(version) ? driver : `${driver} (${version})`,
  };
}

/** Where a run takes place. */
export function hostOf(fold: Fold): Host {
  const { adapterInfo, device, software } = fold;
  const folder = packageFolder();
  const commit = commitOf(folder);
  const { vendor, architecture, subgroupMinSize, subgroupMaxSize } = adapterInfo;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return {
    wavefold: version,
    ...(commit !== undefined && { commit }),
    date: new Date().toISOString(),
    device: {
      ...namesOf(fold),
      vendor,
      architecture,
      software,
      features: [...(device.features as ReadonlySet<string>)].sort(),
      subgroupSizes: subgroupMinSize === undefined ? undefined : [subgroupMinSize, subgroupMaxSize],
    },
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
  };
}

/** Where a run took place, in a line. */
export const headOf = ({ device, wavefold, commit }: Host): string =>
  `${device.name}, ${device.driver}${device.software ? " (software)" : ""}; wavefold ${wavefold}${commit === undefined ? "" : `, commit ${commit}`}`;
