// luma.gl's GPUScan and GPUReduction, on our device and buffers. They begin passes of their own.
import { Buffer, luma as core, type Device } from "@luma.gl/core";
import { GPUCommandGraph, GPUReduction, GPUScan } from "@luma.gl/gpgpu/gpu-core";
import { WebGPUDevice } from "@luma.gl/webgpu";
import type { Peer } from "../peers.ts";

const formats: Readonly<Record<string, "uint32" | "sint32" | "float32">> = {
  u32: "uint32",
  i32: "sint32",
  f32: "float32",
};
const operations: Readonly<Record<string, "sum" | "min" | "max">> = { add: "sum", min: "min", max: "max" };

/** luma.gl asks the browser's `navigator.gpu` for the language features that its subgroup scan needs. */
async function languageFeatures(device: GPUDevice): Promise<string[]> {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ label: "bench probe", code: "requires subgroup_id;" });
  const { messages } = await module.getCompilationInfo();
  await device.popErrorScope();
  return messages.some((one) => one.type === "error") ? [] : ["subgroup_id"];
}

const devices = new WeakMap<GPUDevice, Promise<Device>>();

/** Our device as one of luma.gl's. */
function lumaDevice(device: GPUDevice): Promise<Device> {
  let made = devices.get(device);
  if (made === undefined) {
    made = (async () => {
      const gpu = {
        wgslLanguageFeatures: new Set(await languageFeatures(device)),
        getPreferredCanvasFormat: () => "bgra8unorm",
      };
      const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
      Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
      try {
        return new WebGPUDevice({}, device, {} as GPUAdapter, device.adapterInfo);
      } finally {
        if (own === undefined) {
          Reflect.deleteProperty(globalThis, "navigator");
        } else {
          Object.defineProperty(globalThis, "navigator", own);
        }
      }
    })();
    devices.set(device, made);
  }
  return made;
}

export const peer: Peer = {
  name: `luma.gl ${core.VERSION}`,
  async prepare({ device, primitive, type, op, length, input, output, result }) {
    const format = formats[type];
    const operation = operations[op];
    if (
      format === undefined ||
      operation === undefined ||
      primitive === "compact" ||
      (primitive === "scan" && (type !== "u32" || op !== "add"))
    ) {
      return undefined;
    }
    const luma = await lumaDevice(device);
    const usage = Buffer.STORAGE | Buffer.COPY_SRC | Buffer.COPY_DST;
    const graph = new GPUCommandGraph(luma, { id: "bench" });
    const viewOf = (id: string, handle: GPUBuffer, items: number) => {
      const byteLength = items * 4;
      const buffer = luma.createBuffer({ id, handle, byteLength, usage });
      const own = graph.importBuffer({ id, byteLength, usage }, buffer);
      return graph.createDataView(own, { format, length: items });
    };
    const from = viewOf("input", input, length);
    if (primitive === "scan") {
      const views = { input: from, output: viewOf("output", output, length) };
      new GPUScan({ ...(views as never as ConstructorParameters<typeof GPUScan>[0]) }).addToGraph(graph);
    } else {
      new GPUReduction({ input: from, output: viewOf("result", result, 1), operation }).addToGraph(graph);
    }
    const compiled = graph.compile();
    return {
      encode(encoder) {
        // Around our encoder, which it neither finishes nor submits.
        const around = luma.createCommandEncoder({ handle: encoder });
        compiled.encode(around, { parameters: undefined });
      },
      destroy: () => compiled.destroy(),
    };
  },
};
