import type { Fold, PreparedCompact } from "../../src/index.ts";
import { f32, struct, u32 } from "../../src/index.ts";
import drawFile from "../shaders/particles_draw.wgsl";
import stepFile from "../shaders/particles_step.wgsl";
import { beginDrawing } from "./play.ts";

const STORAGE = 0x80;
const UNIFORM = 0x40;
const INDIRECT = 0x100;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;
const VERTEX = 0x1;
const COMPUTE = 0x4;

/** As the shaders have it. */
export const Particle = struct({
  name: "Particle",
  fields: { x: f32, y: f32, vx: f32, vy: f32, life: f32, span: f32, hue: f32, seed: u32 },
});

/** The mean of a particle's span in seconds: as many as die of old age are born again. */
const MEAN_SPAN = 3.75;
const THREADS = 256;
const GRID_WIDTH = 256;

/** Particles on a canvas. */
export interface Particles {
  /** One frame: births, movement, compaction, and the draw of those that are left. */
  frame(options: { readonly seconds: number; readonly births: boolean }): void;
  /** How many live. It waits for the GPU, which no frame does. */
  count(): Promise<number>;
  destroy(): void;
}

/**
 * Where particles are born after `time` seconds, on a canvas that is `aspect` times as wide as high. The narrower side goes from -1
 * to 1. Of a canvas that is no wider than high, the particles around the place would be cut off if it went as far to the sides.
 */
export const sourceAt = (time: number, aspect: number): readonly [x: number, y: number] => [
  Math.min(0.8, 0.45 * Math.max(1, aspect)) * Math.cos(0.45 * time),
  0.45 * Math.sin(0.71 * time),
];

/** Makes room for `capacity` particles, and compiles what moves, compacts and draws them. */
export async function makeParticles(
  fold: Fold,
  canvas: HTMLCanvasElement,
  capacity: number,
): Promise<Particles> {
  const { device } = fold;
  const context = canvas.getContext("webgpu");
  if (context === null) {
    throw new Error("The canvas has no WebGPU context");
  }
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: "opaque" });

  const compact: PreparedCompact = await fold.prepareCompact({
    type: Particle,
    where: "x.life > 0.0",
    maxLength: capacity,
    lengthOnGpu: true,
    indirect: { draw: { vertexCount: 4 } },
    // A software adapter takes its time to compile: small tiles, and no look-back.
    ...(fold.software && ({ itemsPerThread: 4, passes: "reduce-then-scan" } as const)),
  });

  const owned: { destroy(): void }[] = [compact];
  const buffer = (label: string, size: number, usage: number): GPUBuffer => {
    const one = device.createBuffer({ label: `site particles ${label}`, size, usage });
    owned.push(one);
    return one;
  };
  // Two sides: a frame moves the particles of one, and leaves the living in the other.
  const lists = [0, 1].map((side) => buffer(`list ${side}`, capacity * Particle.bytes, STORAGE));
  const counts = [0, 1].map((side) => buffer(`count ${side}`, 4, STORAGE | COPY_SRC));
  const draws = buffer("draw", 16, STORAGE | INDIRECT);
  const frameUniform = buffer("frame", 32, UNIFORM | COPY_DST);
  const viewUniform = buffer("view", 32, UNIFORM | COPY_DST);

  const stepLayout = device.createBindGroupLayout({
    label: "site particles step",
    entries: [
      { binding: 0, visibility: COMPUTE, buffer: { type: "uniform" } },
      { binding: 1, visibility: COMPUTE, buffer: { type: "storage" } },
      { binding: 2, visibility: COMPUTE, buffer: { type: "storage" } },
    ],
  });
  const drawLayout = device.createBindGroupLayout({
    label: "site particles draw",
    entries: [
      { binding: 0, visibility: VERTEX, buffer: { type: "uniform" } },
      { binding: 1, visibility: VERTEX, buffer: { type: "read-only-storage" } },
    ],
  });
  const stepModule = device.createShaderModule({ label: "site particles step", code: stepFile });
  const stepPipeline = (entryPoint: string): Promise<GPUComputePipeline> =>
    device.createComputePipelineAsync({
      label: `site particles ${entryPoint}`,
      layout: device.createPipelineLayout({ bindGroupLayouts: [stepLayout] }),
      compute: { module: stepModule, entryPoint },
    });
  const drawModule = device.createShaderModule({ label: "site particles draw", code: drawFile });
  const over = { srcFactor: "one", dstFactor: "one", operation: "add" } as const;
  const [giveBirth, countBirths, move, paint] = await Promise.all([
    stepPipeline("give_birth"),
    stepPipeline("count_births"),
    stepPipeline("move_on"),
    device.createRenderPipelineAsync({
      label: "site particles draw",
      layout: device.createPipelineLayout({ bindGroupLayouts: [drawLayout] }),
      vertex: { module: drawModule, entryPoint: "corner" },
      fragment: {
        module: drawModule,
        entryPoint: "paint",
        targets: [{ format, blend: { color: over, alpha: over } }],
      },
      primitive: { topology: "triangle-strip" },
    }),
  ]);
  const stepGroups = lists.map((list, side) =>
    device.createBindGroup({
      label: "site particles step",
      layout: stepLayout,
      entries: [
        { binding: 0, resource: { buffer: frameUniform } },
        { binding: 1, resource: { buffer: list } },
        { binding: 2, resource: { buffer: counts[side] as GPUBuffer } },
      ],
    }),
  );
  const drawGroups = lists.map((list) =>
    device.createBindGroup({
      label: "site particles draw",
      layout: drawLayout,
      entries: [
        { binding: 0, resource: { buffer: viewUniform } },
        { binding: 1, resource: { buffer: list } },
      ],
    }),
  );

  let side = 0;
  let time = 0;
  let owing = 0;
  let frames = 0;
  const dispatch = (pass: GPUComputePassEncoder, pipeline: GPUComputePipeline, threads: number): void => {
    const groups = Math.ceil(threads / THREADS);
    pass.setPipeline(pipeline);
    pass.dispatchWorkgroups(Math.min(groups, GRID_WIDTH), Math.max(1, Math.ceil(groups / GRID_WIDTH)));
  };

  return {
    frame({ seconds, births }) {
      const other = 1 - side;
      time += seconds;
      owing = births ? owing + (seconds * capacity) / MEAN_SPAN : 0;
      // A third at once, so that there is something to see.
      const born = frames === 0 ? Math.floor(capacity / 3) : Math.min(capacity, Math.floor(owing));
      owing -= Math.min(owing, born);
      frames++;

      const { width, height } = canvas;
      const words = new ArrayBuffer(32);
      new Float32Array(words, 0, 2).set([seconds, time]);
      new Uint32Array(words, 8, 2).set([born, capacity]);
      new Float32Array(words, 16, 2).set(sourceAt(time, width / height));
      new Uint32Array(words, 24, 1).set([Math.imul(frames, 0x9e3779b9) >>> 0]);
      device.queue.writeBuffer(frameUniform, 0, words);

      const narrow = Math.min(width, height);
      // Few are drawn large, and many faint.
      const pixels = Math.max(1.5, Math.min(4, 0.6 * Math.sqrt((width * height) / capacity)));
      const alpha = Math.max(0.06, Math.min(0.6, (0.4 * width * height) / (capacity * pixels * pixels)));
      device.queue.writeBuffer(
        viewUniform,
        0,
        Float32Array.of(
          (2 * pixels) / width,
          (2 * pixels) / height,
          narrow / width,
          narrow / height,
          alpha,
          0,
          0,
          0,
        ),
      );

      const encoder = device.createCommandEncoder({ label: "site particles" });
      const pass = encoder.beginComputePass({ label: "site particles step" });
      pass.setBindGroup(0, stepGroups[side] as GPUBindGroup);
      if (born > 0) {
        dispatch(pass, giveBirth, born);
        dispatch(pass, countBirths, 1);
      }
      dispatch(pass, move, capacity);
      pass.end();
      compact.record(encoder, {
        input: lists[side] as GPUBuffer,
        output: lists[other] as GPUBuffer,
        length: { buffer: counts[side] as GPUBuffer, offset: 0 },
        count: counts[other] as GPUBuffer,
        indirect: draws,
      });
      const render = beginDrawing(encoder, context, "site particles draw");
      render.setPipeline(paint);
      render.setBindGroup(0, drawGroups[other] as GPUBindGroup);
      render.drawIndirect(draws, 0);
      render.end();
      device.queue.submit([encoder.finish()]);
      side = other;
    },
    async count() {
      const staging = device.createBuffer({
        label: "site particles read-back",
        size: 4,
        usage: MAP_READ | COPY_DST,
      });
      try {
        const encoder = device.createCommandEncoder({ label: "site particles count" });
        encoder.copyBufferToBuffer(counts[side] as GPUBuffer, 0, staging, 0, 4);
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(MAP_READ);
        return new Uint32Array(staging.getMappedRange())[0] ?? 0;
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
