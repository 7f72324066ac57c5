import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ArgumentError } from "../src/errors.ts";
import type { BenchPrimitive } from "./suite.ts";
import type { Work } from "./timer.ts";

/** What a peer is asked to do, on buffers that are filled. */
export interface PeerTask {
  readonly device: GPUDevice;
  readonly primitive: BenchPrimitive;
  /** `u32`, `f32` and so on. */
  readonly type: string;
  /** `add` and so on, of a scan or a reduction. A compaction keeps what `where` is true for, and sorts ascend. */
  readonly op: string;
  /** WGSL over an element `x`. */
  readonly where: string;
  /** Scans are exclusive. */
  readonly length: number;
  readonly input: GPUBuffer;
  /** Of a scan, a compaction or a sort, as long as the input. */
  readonly output: GPUBuffer;
  /** The value of a reduction, or the number that a compaction kept. */
  readonly result: GPUBuffer;
  /** Of pairs: values of the keys, as u32, and where they go, in the order of the sorted keys. Equal keys keep their order. */
  readonly values?: GPUBuffer;
  readonly reordered?: GPUBuffer;
}

/** A task that a peer is ready to carry out, any number of times. See `Work` for how it is timed. */
export type PeerRun = Work & { destroy(): void };

/** Somebody else's scan, reduction, compaction or sort on WebGPU: what a file of bench/peers/ exports as `peer`. */
export interface Peer {
  /** Its name and version. */
  readonly name: string;
  /** Compiles a task; nothing where the peer has no such thing. */
  prepare(task: PeerTask): Promise<PeerRun | undefined>;
}

/** What lies in a folder of peers. */
export interface Peers {
  readonly webgpu: readonly Peer[];
  /** CUDA sources and programs built from them: peers with a process of their own. */
  readonly cuda: readonly string[];
}

/** @throws {ArgumentError} where there is no such folder, or a module in it is no peer. */
export async function loadPeers(folder: string): Promise<Peers> {
  if (!existsSync(folder)) {
    throw new ArgumentError(
      `peers: there is no folder ${folder}; peers are built by "npm run bench" in a checkout, or name a folder of modules that each export a peer`,
    );
  }
  const names = readdirSync(folder).sort();
  const webgpu: Peer[] = [];
  for (const name of names.filter((one) => /\.m?js$/.test(one))) {
    const { peer } = (await import(pathToFileURL(join(folder, name)).href)) as { readonly peer?: Peer };
    if (typeof peer?.name !== "string" || typeof peer.prepare !== "function") {
      throw new ArgumentError(
        `peers: ${join(folder, name)} exports no peer; it takes { name, prepare(task) } under that name`,
      );
    }
    webgpu.push(peer);
  }
  return {
    webgpu,
    cuda: names.filter((one) => one.endsWith(".cu")).map((one) => join(folder, one)),
  };
}
