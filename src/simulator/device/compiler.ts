import type { Machine, Sites, StorageRange } from "../machine/index.ts";

// What a device needs of the compiler from WGSL to JavaScript.

/** What a shader's text declares. */
export interface ModuleText {
  readonly entryPoints: readonly EntryPointText[];
  /** The names after `enable`. */
  readonly enables: readonly string[];
  /** The names after `requires`. */
  readonly requires: readonly string[];
  /** Makes an entry point ready to run. @throws {TextFault} where the text or a constant is wrong. */
  program(entryPoint: string, constants: Readonly<Record<string, number>>): Runnable;
}

export interface EntryPointText {
  readonly name: string;
  /** What it uses. */
  readonly bindings: readonly BindingText[];
  /** Bytes of work-group memory, each variable's rounded up to 16. */
  readonly workGroupMemory: number;
}

export interface BindingText {
  readonly group: number;
  readonly binding: number;
  readonly type: "storage" | "read-only-storage" | "uniform";
  /** The fewest bytes that the shader takes. */
  readonly minSize: number;
}

/** An entry point that is ready to run. */
export interface Runnable {
  readonly workGroupSize: readonly [number, number, number];
  /** The size of its subgroups, if it asks for one. */
  readonly subgroupSize?: number | undefined;
  /** The places of the text that findings name. */
  readonly sites: Sites;
  /** Runs a dispatch. Ranges have the key `"group,binding"`. */
  run(
    machine: Machine,
    groups: readonly [number, number, number],
    ranges: ReadonlyMap<string, StorageRange>,
  ): void;
}

/** Reads WGSL. @throws {TextFault} where the text is wrong. */
export type ReadModule = (code: string) => ModuleText;
