import type { Core } from "./core.ts";
import { dictionaryOf } from "./idl.ts";

/** What all objects of a device have: https://www.w3.org/TR/webgpu/#gpuobjectbase. */
export abstract class DeviceObject {
  label: string;
  readonly #core: Core;
  /** An invalid object makes everything invalid that is made with it. */
  isValid = true;

  constructor(core: Core, descriptor: GPUObjectDescriptorBase | undefined) {
    this.#core = core;
    this.label = String(descriptor?.label ?? "");
  }

  /** What it shares with its device. */
  get core(): Core {
    return this.#core;
  }

  /** WebGPU's name of the class. */
  abstract get [Symbol.toStringTag](): string;
}

/** An object, as messages name it. */
export const nameOf = (object: DeviceObject): string =>
  object.label === ""
    ? `a ${object[Symbol.toStringTag]} without a label`
    : `the ${object[Symbol.toStringTag]} "${object.label}"`;

/** Why a device does not take an object; undefined if it does. */
export function useProblem(core: Core, object: DeviceObject): string | undefined {
  if (object.core !== core) {
    return `${nameOf(object)} is of another device`;
  }
  return object.isValid ? undefined : `${nameOf(object)} is invalid, as an earlier error says`;
}

/** The first of some problems. */
export function firstOf(problems: Iterable<string | undefined>): string | undefined {
  for (const problem of problems) {
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

/** An object as it was made. If there is a problem, the object is invalid and the problem is reported. */
export function checked<T extends DeviceObject>(
  object: T,
  caller: string,
  problems: Iterable<string | undefined>,
): T {
  const problem = object.core.isLost ? "the device is lost" : firstOf(problems);
  if (problem !== undefined) {
    object.isValid = false;
    object.core.report("validation", `${caller}: ${problem}`);
  }
  return object;
}

/** A descriptor that must be there. */
export const descriptorOf = <T extends object>(descriptor: T, caller: string): T =>
  dictionaryOf(descriptor, `${caller}: the descriptor`);
