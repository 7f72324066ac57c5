/** Something that keeps a GPU from being found, or that is worth knowing of it. */
export interface Finding {
  /** What kind of thing it is: a name that stays the same, for programs. */
  readonly kind: FindingKind;
  /** A sentence that says what is missing or wrong. */
  readonly text: string;
  /** Sentences that say what would mend it. Empty if nothing would. */
  readonly cure: string;
}

export type FindingKind =
  | "no-build"
  | "no-loader"
  | "loader-lacks-library"
  | "loader-does-not-load"
  | "variable-names-nothing"
  | "manifest-elsewhere"
  | "manifest-unreadable"
  | "manifest-invalid"
  | "driver-filtered-out"
  | "driver-missing"
  | "driver-lacks-library"
  | "driver-other-machine"
  | "driver-does-not-load"
  | "driver-other-version"
  | "driver-finds-nothing"
  | "software-only"
  | "no-driver-for-gpu"
  | "no-kernel-driver"
  | "gpu-given-away"
  | "no-device"
  | "device-denied"
  | "wsl"
  | "display-only"
  | "no-gpu-seen"
  | "no-metal"
  | "no-direct3d"
  | "no-direct3d-gpu";

/** A Vulkan driver that a manifest names. */
export interface Driver {
  readonly manifest: string;
  /** As the manifest has it. Undefined if it has none. */
  readonly library: string | undefined;
  /** The library's path, if it was found. */
  readonly path: string | undefined;
  /** Whether it computes on the CPU, as Mesa's lavapipe does. */
  readonly software: boolean;
  /** Whether nothing is known to be wrong with it. */
  readonly ok: boolean;
}

/** A GPU that the kernel knows of. */
export interface KnownGpu {
  readonly name: string;
  /** The kernel's driver, if one has taken it. */
  readonly kernelDriver: string | undefined;
  /** False for adapters that only show pictures, such as those of servers and virtual machines. */
  readonly computes: boolean;
}

/** Why no GPU was found on a machine. */
export interface Diagnosis {
  /** `broken` if a GPU or a driver is there, and something about it is wrong; `absent` if nothing of a GPU is there. */
  readonly state: "broken" | "absent";
  /** The result in a few words, without a full stop. */
  readonly headline: string;
  /** The most important first. */
  readonly findings: readonly Finding[];
  readonly drivers: readonly Driver[];
  readonly gpus: readonly KnownGpu[];
}

/** What is known of the machine before the diagnosis. */
export interface Known {
  /** Whether the Vulkan loader was loaded by its name. */
  readonly loaderLoads?: boolean;
}
