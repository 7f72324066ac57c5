import { refuse, shown } from "../../errors.ts";
import type { Finding } from "../findings.ts";
import { Machine } from "../machine/index.ts";
import type { SimulatorOptions } from "../options.ts";
import { reportedSizes, requireSimulatorOptions } from "../options.ts";
import type { AdapterOptions } from "./adapter.ts";
import { CORE_FEATURE, SimulatedAdapter } from "./adapter.ts";
import type { ReadModule } from "./compiler.ts";
import { unsupported } from "./errors.ts";
import { dictionaryOf } from "./idl.ts";
import { languageFeatures } from "./language_features.ts";
import { adapterLimits, commonLimits } from "./limits.ts";

const CALLER = "simulatedGpu";

/** The features that an adapter has, unless the options name others. */
const commonFeatures: readonly string[] = [CORE_FEATURE, "shader-f16", "subgroups", "timestamp-query"];
/** All that there are. */
const allFeatures: readonly string[] = [...commonFeatures, "subgroup-size-control"];

/** A GPU of plain JavaScript. */
export class SimulatedGpuObject implements GPU {
  declare readonly __brand: "GPU";
  readonly wgslLanguageFeatures: WGSLLanguageFeatures = new Set<string>(languageFeatures);
  readonly #options: AdapterOptions;

  /** @throws {ArgumentError} */
  constructor(options: SimulatorOptions, readModule: ReadModule) {
    requireSimulatorOptions(CALLER, options);
    this.#options = {
      readModule,
      subgroupSizes: reportedSizes(options),
      machine: new Machine(options),
      info: infoOf(options),
      features: featuresOf(options),
      limits: adapterLimits(options.limits),
      mostBytes: options.memoryLimit ?? Number.POSITIVE_INFINITY,
    };
  }

  get [Symbol.toStringTag](): string {
    return "GPU";
  }

  /** What was found on all its devices. */
  get findings(): readonly Finding[] {
    return this.#options.machine.findings;
  }

  /**
   * Runs what its devices dispatch by other options from now on, as a new GPU would, and forgets what was found. What the devices
   * report stays, so `options` name the same subgroups. @internal
   *
   * @throws {ArgumentError}
   */
  restart(options: SimulatorOptions): void {
    requireSimulatorOptions("restart", options);
    const { machine } = this.#options;
    const { subgroupSize } = machine.options;
    if ((options.subgroupSize ?? 32) !== subgroupSize) {
      refuse("restart", "subgroupSize", shown(options.subgroupSize), `${subgroupSize}, as its devices have`);
    }
    machine.restart(options);
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpu-requestadapter */
  async requestAdapter(given?: GPURequestAdapterOptions): Promise<GPUAdapter | null> {
    return hasLevel(given) ? new SimulatedAdapter(this.#options) : null;
  }

  /** The same, with no features and limits that another adapter lacks. @internal */
  async adapterWithin(other: GPUAdapter, given?: GPURequestAdapterOptions): Promise<GPUAdapter | null> {
    const options = this.#options;
    const features = new Set([...options.features].filter((name) => other.features.has(name)));
    const limits = commonLimits(options.limits, other.limits);
    return hasLevel(given) ? new SimulatedAdapter({ ...options, features, limits }) : null;
  }

  getPreferredCanvasFormat(): never {
    unsupported("getPreferredCanvasFormat");
  }
}

/** Whether there is an adapter of the level that is asked for. */
function hasLevel(given: GPURequestAdapterOptions | undefined): boolean {
  const { featureLevel = "core" } = dictionaryOf(given, "requestAdapter: options");
  return featureLevel === "core" || featureLevel === "compatibility";
}

/** It is a fallback adapter, as all that compute on the CPU, unless it stands for another vendor's. */
function infoOf(options: SimulatorOptions): GPUAdapterInfo {
  const { subgroupSize = 32, vendor } = options;
  const { least, most } = reportedSizes(options);
  return {
    vendor: vendor ?? "wavefold",
    architecture: "simulator",
    device: "",
    description: `Wavefold's simulator, with subgroups of ${subgroupSize} lanes`,
    subgroupMinSize: least,
    subgroupMaxSize: most,
    isFallbackAdapter: vendor === undefined,
  } as GPUAdapterInfo;
}

function featuresOf({ features = commonFeatures }: SimulatorOptions): ReadonlySet<string> {
  const unknown = features.find((name) => !allFeatures.some((known) => known === name));
  if (unknown !== undefined) {
    refuse(CALLER, "features", shown(unknown), allFeatures.map((name) => `"${name}"`).join(", "));
  }
  return new Set([CORE_FEATURE, ...features]);
}
