import type { Fold } from "../../src/index.ts";
import { struct, u32 } from "../../src/index.ts";
import splatsFile from "../shaders/splats.wgsl";
import { beginDrawing } from "./play.ts";

const STORAGE = 0x80;
const UNIFORM = 0x40;
const INDIRECT = 0x100;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;
const VERTEX = 0x1;
const COMPUTE = 0x4;

/** As the shader has them. */
const THREADS = 256;
const GRID_WIDTH = 256;
/** Of the shader's struct. */
export const SPLAT_BYTES = 8;
/** About the area of the tube, in the shader's units. */
const AREA = 39;

/** Translucent splats on a canvas: those in sight, drawn from the farthest to the nearest. */
export interface Splats {
  /** One frame: measures the depths, keeps the splats in sight, sorts them, and draws. */
  frame(options: { readonly seconds: number }): void;
  /** How many the last frame drew. It waits for the GPU, which no frame does. */
  inSight(): Promise<number>;
  /** Whether the last frame drew each splat in sight once, no other, and none before one that is farther. It waits for the GPU. */
  check(): Promise<boolean>;
  destroy(): void;
}

/** What may change from frame to frame. */
export interface SplatsChoice {
  /** How many splats there are, `most` at most. */
  count(): number;
  /** Whether they are sorted. */
  sorts(): boolean;
}

/** Sorts the splats in sight: what the first page shows. */
async function prepareOrder(fold: Fold, maxLength: number) {
  // shown from here
  const Splat = struct({ name: "Splat", fields: { depth: u32, number: u32 } });
  // Once: kernels for your struct, your condition and your key.
  // biome-ignore format: few lines, as the first page shows them
  const cull = await fold.prepareCompact({ type: Splat, maxLength,
    where: "x.depth > 0u", indirect: { draw: { vertexCount: 4 } } });
  // biome-ignore format: few lines, as the first page shows them
  const sort = await fold.prepareSort({ type: Splat, maxLength,
    key: "x.depth", bits: [0, 16], descending: true, lengthOnGpu: true });
  // shown to here
  return { cull, sort };
}

/** Makes room for `most` splats, and compiles what measures, keeps, sorts and draws them. */
export async function makeSplats(
  fold: Fold,
  canvas: HTMLCanvasElement,
  most: number,
  { count: countOf, sorts }: SplatsChoice,
): Promise<Splats> {
  const { device } = fold;
  const context = canvas.getContext("webgpu");
  if (context === null) {
    throw new Error("The canvas has no WebGPU context");
  }
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: "opaque" });

  const { cull, sort } = await prepareOrder(fold, most);
  const owned: { destroy(): void }[] = [cull, sort];
  const buffer = (label: string, size: number, usage: number): GPUBuffer => {
    const one = device.createBuffer({ label: `site splats ${label}`, size, usage });
    owned.push(one);
    return one;
  };
  const [splats, seen, sorted] = ["splats", "seen", "sorted"].map((label) =>
    buffer(label, most * SPLAT_BYTES, STORAGE | COPY_SRC),
  ) as [GPUBuffer, GPUBuffer, GPUBuffer];
  const count = buffer("count", 4, STORAGE | COPY_SRC);
  const indirect = buffer("draw", 16, STORAGE | INDIRECT);
  const view = buffer("view", 48, UNIFORM | COPY_DST);
  const { measure, paint, measureGroup, drawGroupOf } = await pipelinesOf(device, format, view);
  const measured = measureGroup(splats);
  const [drawSeen, drawSorted] = [drawGroupOf(seen), drawGroupOf(sorted)];

  /** What the first page shows of a frame. */
  const order = (pass: GPUComputePassEncoder, length: number): void => {
    // shown from here
    // In each frame: nothing is read back, and nothing waits.
    cull.record(pass, { input: splats, output: seen, length, count, indirect });
    sort.record(pass, { input: seen, output: sorted, length: { buffer: count } });
    // shown to here
  };

  /** What buffers hold after the last frame. */
  const read = async (buffers: readonly GPUBuffer[]): Promise<readonly Uint32Array[]> => {
    const size = buffers.reduce((sum, one) => sum + one.size, 0);
    const staging = device.createBuffer({
      label: "site splats read-back",
      size,
      usage: MAP_READ | COPY_DST,
    });
    try {
      const encoder = device.createCommandEncoder({ label: "site splats read-back" });
      let at = 0;
      const places = buffers.map((one) => {
        encoder.copyBufferToBuffer(one, 0, staging, at, one.size);
        at += one.size;
        return at - one.size;
      });
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const mapped = staging.getMappedRange().slice(0);
      return buffers.map((one, index) => new Uint32Array(mapped, places[index], one.size / 4));
    } finally {
      staging.destroy();
    }
  };

  let time = 0;
  let length = 0;
  let drawn = sorted;
  return {
    frame({ seconds }) {
      time += seconds;
      length = Math.min(most, countOf());
      device.queue.writeBuffer(view, 0, viewOf(canvas, time, length));
      const encoder = device.createCommandEncoder({ label: "site splats" });
      const pass = encoder.beginComputePass({ label: "site splats" });
      const groups = Math.ceil(length / THREADS);
      pass.setPipeline(measure);
      pass.setBindGroup(0, measured);
      pass.dispatchWorkgroups(Math.min(groups, GRID_WIDTH), Math.ceil(groups / GRID_WIDTH));
      order(pass, length);
      pass.end();
      // Those in sight are in no order before the sort.
      drawn = sorts() ? sorted : seen;
      const render = beginDrawing(encoder, context, "site splats draw");
      render.setPipeline(paint);
      render.setBindGroup(0, drawn === sorted ? drawSorted : drawSeen);
      render.drawIndirect(indirect, 0);
      render.end();
      device.queue.submit([encoder.finish()]);
    },
    async inSight() {
      const [words] = await read([count]);
      return words?.[0] ?? 0;
    },
    async check() {
      const measuredNow = length;
      const [all, kept, [many = 0] = []] = await read([splats, drawn, count]);
      const depths = new Map<number, number>();
      for (let at = 0; at < measuredNow; at++) {
        const [depth = 0, number = 0] = [all?.[2 * at], all?.[2 * at + 1]];
        if (depth > 0) {
          depths.set(number, depth);
        }
      }
      let farther = Number.POSITIVE_INFINITY;
      for (let at = 0; at < many; at++) {
        const [depth = 0, number = 0] = [kept?.[2 * at], kept?.[2 * at + 1]];
        if (depth > farther || depths.get(number) !== depth) {
          return false;
        }
        farther = depth;
        depths.delete(number);
      }
      return depths.size === 0;
    },
    destroy() {
      for (const one of owned) {
        one.destroy();
      }
    },
  };
}

/** The uniform of a frame, as the shader has it. */
function viewOf({ width, height }: HTMLCanvasElement, time: number, count: number): ArrayBuffer {
  const narrow = Math.min(width, height);
  const tilt = -0.36 - 0.08 * Math.sin(0.23 * time);
  const words = new ArrayBuffer(48);
  new Float32Array(words, 0, 8).set([
    Math.cos(0.25 * time),
    Math.sin(0.25 * time),
    Math.cos(tilt),
    Math.sin(tilt),
    narrow / width,
    narrow / height,
    // At least about a pixel: smaller ones would fall between the pixels. Few do not cover the tube.
    Math.max(Math.min(1.5 * Math.sqrt((3 * AREA) / count), 0.09), 5 / narrow),
    time,
  ]);
  new Uint32Array(words, 32, 1).set([count]);
  return words;
}

/** What measures and draws the splats, and the bind groups of both over a list. */
async function pipelinesOf(device: GPUDevice, format: GPUTextureFormat, view: GPUBuffer) {
  const layoutOf = (label: string, visibility: number, binding: number, type: GPUBufferBindingType) =>
    device.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility, buffer: { type: "uniform" } },
        { binding, visibility, buffer: { type } },
      ],
    });
  const measureLayout = layoutOf("site splats measure", COMPUTE, 1, "storage");
  const drawLayout = layoutOf("site splats draw", VERTEX, 2, "read-only-storage");
  const groupOf = (layout: GPUBindGroupLayout, binding: number) => (list: GPUBuffer) =>
    device.createBindGroup({
      label: layout.label,
      layout,
      entries: [
        { binding: 0, resource: { buffer: view } },
        { binding, resource: { buffer: list } },
      ],
    });
  const module = device.createShaderModule({ label: "site splats", code: splatsFile });
  // What is in front covers what is behind, as far as it is not translucent.
  const over = { srcFactor: "one", dstFactor: "one-minus-src-alpha", operation: "add" } as const;
  const [measure, paint] = await Promise.all([
    device.createComputePipelineAsync({
      label: "site splats measure",
      layout: device.createPipelineLayout({ bindGroupLayouts: [measureLayout] }),
      compute: { module, entryPoint: "measure" },
    }),
    device.createRenderPipelineAsync({
      label: "site splats draw",
      layout: device.createPipelineLayout({ bindGroupLayouts: [drawLayout] }),
      vertex: { module, entryPoint: "corner" },
      fragment: { module, entryPoint: "paint", targets: [{ format, blend: { color: over, alpha: over } }] },
      primitive: { topology: "triangle-strip" },
    }),
  ]);
  return {
    measure,
    paint,
    measureGroup: groupOf(measureLayout, 1),
    drawGroupOf: groupOf(drawLayout, 2),
  };
}
