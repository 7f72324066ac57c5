import type { Fold } from "../../src/index.ts";
import { operator, struct, u32 } from "../../src/index.ts";
import blurFile from "../shaders/blur.wgsl";
import type { Picture } from "./box_blur.ts";
import { boxBlur } from "./box_blur.ts";
import { beginDrawing } from "./play.ts";

const STORAGE = 0x80;
const UNIFORM = 0x40;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;
const FRAGMENT = 0x2;
const COMPUTE = 0x4;

/** The sides of a work-group, as the shader has them. */
const SIDE = 16;

/** As the shader has them. */
const Sums = struct({ name: "Sums", fields: { red: u32, green: u32, blue: u32 } });

/** Adds red to red, green to green, and blue to blue. */
const addSums = operator({
  name: "addSums",
  type: Sums,
  identity: { red: 0, green: 0, blue: 0 },
  combine: "Sums(earlier.red + later.red, earlier.green + later.green, earlier.blue + later.blue)",
});

/** A picture that is blurred on a canvas. */
export interface Blur {
  /** Draws it with a radius: the mean of the pixels that are at most so far away to the side, up or down. */
  draw(radius: number): void;
  /** How many pixels of the last drawing are not as a blur on the CPU has them. It waits for the GPU. */
  wrong(): Promise<number>;
  destroy(): void;
}

/** Makes the summed-area table of a picture, and compiles what blurs and draws by it. */
export async function makeBlur(fold: Fold, canvas: HTMLCanvasElement, picture: Picture): Promise<Blur> {
  const { device } = fold;
  const { width, height, pixels } = picture;
  const context = canvas.getContext("webgpu");
  if (context === null) {
    throw new Error("The canvas has no WebGPU context");
  }
  canvas.width = width;
  canvas.height = height;
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: "opaque" });

  // The table: along each row, and then down each column. The map takes a pixel apart as it is loaded.
  const given = await fold.upload(pixels);
  const ofRows = await fold.scan(given, {
    type: Sums,
    map: "Sums(x & 255u, (x >> 8u) & 255u, (x >> 16u) & 255u)",
    op: addSums,
    segments: { rows: width },
  });
  const table = await fold.scan(ofRows, { op: addSums, segments: { columns: width } });
  given.destroy();
  ofRows.destroy();

  const owned: { destroy(): void }[] = [table];
  const buffer = (label: string, size: number, usage: number): GPUBuffer => {
    const one = device.createBuffer({ label: `site blur ${label}`, size, usage });
    owned.push(one);
    return one;
  };
  const blurred = buffer("blurred", pixels.byteLength, STORAGE | COPY_SRC);
  const box = buffer("box", 16, UNIFORM | COPY_DST);

  const uniform = { binding: 0, visibility: COMPUTE | FRAGMENT, buffer: { type: "uniform" } } as const;
  const blurLayout = device.createBindGroupLayout({
    label: "site blur",
    entries: [
      uniform,
      { binding: 1, visibility: COMPUTE, buffer: { type: "read-only-storage" } },
      { binding: 2, visibility: COMPUTE, buffer: { type: "storage" } },
    ],
  });
  const paintLayout = device.createBindGroupLayout({
    label: "site blur paint",
    entries: [uniform, { binding: 3, visibility: FRAGMENT, buffer: { type: "read-only-storage" } }],
  });
  const module = device.createShaderModule({ label: "site blur", code: blurFile });
  const [blur, paint] = await Promise.all([
    device.createComputePipelineAsync({
      label: "site blur",
      layout: device.createPipelineLayout({ bindGroupLayouts: [blurLayout] }),
      compute: { module, entryPoint: "blur" },
    }),
    device.createRenderPipelineAsync({
      label: "site blur paint",
      layout: device.createPipelineLayout({ bindGroupLayouts: [paintLayout] }),
      vertex: { module, entryPoint: "corner" },
      fragment: { module, entryPoint: "paint", targets: [{ format }] },
    }),
  ]);
  const blurGroup = device.createBindGroup({
    label: "site blur",
    layout: blurLayout,
    entries: [
      { binding: 0, resource: { buffer: box } },
      { binding: 1, resource: { buffer: table.buffer, offset: table.offset, size: table.size } },
      { binding: 2, resource: { buffer: blurred } },
    ],
  });
  const paintGroup = device.createBindGroup({
    label: "site blur paint",
    layout: paintLayout,
    entries: [
      { binding: 0, resource: { buffer: box } },
      { binding: 3, resource: { buffer: blurred } },
    ],
  });

  let drawn = 0;
  return {
    draw(radius) {
      drawn = radius;
      device.queue.writeBuffer(box, 0, Uint32Array.of(width, height, radius));
      const encoder = device.createCommandEncoder({ label: "site blur" });
      const pass = encoder.beginComputePass({ label: "site blur" });
      pass.setPipeline(blur);
      pass.setBindGroup(0, blurGroup);
      pass.dispatchWorkgroups(Math.ceil(width / SIDE), Math.ceil(height / SIDE));
      pass.end();
      const render = beginDrawing(encoder, context, "site blur paint");
      render.setPipeline(paint);
      render.setBindGroup(0, paintGroup);
      render.draw(3);
      render.end();
      device.queue.submit([encoder.finish()]);
    },
    async wrong() {
      const radius = drawn;
      const staging = device.createBuffer({
        label: "site blur read-back",
        size: pixels.byteLength,
        usage: MAP_READ | COPY_DST,
      });
      try {
        const encoder = device.createCommandEncoder({ label: "site blur check" });
        encoder.copyBufferToBuffer(blurred, 0, staging, 0, pixels.byteLength);
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(MAP_READ);
        const found = new Uint32Array(staging.getMappedRange());
        return boxBlur(picture, radius).reduce(
          (wrong, pixel, at) => wrong + (pixel === found[at] ? 0 : 1),
          0,
        );
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
