import type { Fold } from "../../src/index.ts";
import { u32 } from "../../src/index.ts";
import splatsFile from "../shaders/splats.wgsl";
import { beginDrawing } from "./play.ts";

const STORAGE = 0x80;
const UNIFORM = 0x40;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;
const VERTEX = 0x1;
const COMPUTE = 0x4;

/** As the shader has them. */
const THREADS = 256;
const GRID_WIDTH = 256;
const DEPTH_BITS = 16;
/** About the area of the tube that they cover, in the shader's units. */
const AREA = 52;

/** Translucent splats on a canvas, drawn from the farthest to the nearest. */
export interface Splats {
  /** One frame: measures the depths, sorts by them, and draws. */
  frame(options: { readonly seconds: number }): void;
  /** Whether the last frame drew each splat once, and none before one that is farther. It waits for the GPU. */
  check(): Promise<boolean>;
  destroy(): void;
}

/** Makes `count` splats, and compiles what measures, sorts and draws them. */
export async function makeSplats(
  fold: Fold,
  canvas: HTMLCanvasElement,
  count: number,
  sorts: () => boolean,
): Promise<Splats> {
  const { device } = fold;
  const context = canvas.getContext("webgpu");
  if (context === null) {
    throw new Error("The canvas has no WebGPU context");
  }
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: "opaque" });

  const byDepth = await fold.prepareSort({
    type: u32,
    values: u32,
    descending: true,
    bits: [0, DEPTH_BITS],
    maxLength: count,
  });
  const owned: { destroy(): void }[] = [byDepth];
  const buffer = (label: string, size: number, usage: number): GPUBuffer => {
    const one = device.createBuffer({ label: `site splats ${label}`, size, usage });
    owned.push(one);
    return one;
  };
  const depths = buffer("depths", 4 * count, STORAGE | COPY_SRC);
  const numbers = buffer("numbers", 4 * count, STORAGE | COPY_SRC);
  const view = buffer("view", 32, UNIFORM | COPY_DST);

  const uniform = { binding: 0, visibility: COMPUTE | VERTEX, buffer: { type: "uniform" } } as const;
  const storage = (binding: number): GPUBindGroupLayoutEntry => ({
    binding,
    visibility: COMPUTE,
    buffer: { type: "storage" },
  });
  const measureLayout = device.createBindGroupLayout({
    label: "site splats measure",
    entries: [uniform, storage(1), storage(2)],
  });
  const drawLayout = device.createBindGroupLayout({
    label: "site splats draw",
    entries: [uniform, { binding: 3, visibility: VERTEX, buffer: { type: "read-only-storage" } }],
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
  const measureGroup = device.createBindGroup({
    label: "site splats measure",
    layout: measureLayout,
    entries: [view, depths, numbers].map((one, binding) => ({ binding, resource: { buffer: one } })),
  });
  const drawGroup = device.createBindGroup({
    label: "site splats draw",
    layout: drawLayout,
    entries: [
      { binding: 0, resource: { buffer: view } },
      { binding: 3, resource: { buffer: numbers } },
    ],
  });

  let time = 0;
  return {
    frame({ seconds }) {
      time += seconds;
      const { width, height } = canvas;
      const narrow = Math.min(width, height);
      const tilt = 0.75 + 0.25 * Math.sin(0.23 * time);
      const words = new ArrayBuffer(32);
      new Float32Array(words, 0, 7).set([
        Math.cos(0.4 * time),
        Math.sin(0.4 * time),
        Math.cos(tilt),
        Math.sin(tilt),
        narrow / width,
        narrow / height,
        // At least about a pixel: smaller ones would fall between the pixels.
        Math.max(1.25 * Math.sqrt(AREA / count), 7 / narrow),
      ]);
      new Uint32Array(words, 28, 1).set([count]);
      device.queue.writeBuffer(view, 0, words);

      const encoder = device.createCommandEncoder({ label: "site splats" });
      const pass = encoder.beginComputePass({ label: "site splats" });
      const groups = Math.ceil(count / THREADS);
      pass.setPipeline(measure);
      pass.setBindGroup(0, measureGroup);
      pass.dispatchWorkgroups(Math.min(groups, GRID_WIDTH), Math.ceil(groups / GRID_WIDTH));
      if (sorts()) {
        byDepth.record(pass, {
          input: depths,
          output: depths,
          values: numbers,
          reordered: numbers,
          length: count,
        });
      }
      pass.end();
      const render = beginDrawing(encoder, context, "site splats draw");
      render.setPipeline(paint);
      render.setBindGroup(0, drawGroup);
      render.draw(4, count);
      render.end();
      device.queue.submit([encoder.finish()]);
    },
    async check() {
      const bytes = 4 * count;
      const staging = device.createBuffer({
        label: "site splats read-back",
        size: 2 * bytes,
        usage: MAP_READ | COPY_DST,
      });
      try {
        const encoder = device.createCommandEncoder({ label: "site splats check" });
        encoder.copyBufferToBuffer(depths, 0, staging, 0, bytes);
        encoder.copyBufferToBuffer(numbers, 0, staging, bytes, bytes);
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(MAP_READ);
        const words = new Uint32Array(staging.getMappedRange());
        const drawn = new Uint8Array(count);
        let farther = 2 ** DEPTH_BITS;
        for (let at = 0; at < count; at++) {
          const [depth = 0, number = 0] = [words[at], words[count + at]];
          if (depth > farther || number >= count || drawn[number] === 1) {
            return false;
          }
          farther = depth;
          drawn[number] = 1;
        }
        return true;
      } finally {
        staging.destroy();
      }
    },
    destroy() {
      for (const one of owned) {
        one.destroy();
      }
    },
  };
}
