// luma.gl's GPUScan, GPUReduction and GPUSort, on our device and buffers. They begin passes of their own.
import { Buffer, luma as core, type Device } from "@luma.gl/core";
import { GPUCommandGraph, GPUReduction, GPUScan, GPUSort } from "@luma.gl/gpgpu/gpu-core";
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
  async prepare({ device, primitive, type, op, length, input, output, result, values, reordered }) {
    const format = formats[type];
    const operation = operations[op];
    if (
      format === undefined ||
      operation === undefined ||
      primitive === "compact" ||
      primitive === "sort" ||
      (primitive !== "reduce" && (type !== "u32" || op !== "add"))
    ) {
      return undefined;
    }
    const luma = await lumaDevice(device);
    const usage = Buffer.STORAGE | Buffer.COPY_SRC | Buffer.COPY_DST;
    const graph = new GPUCommandGraph(luma, { id: "bench" });
    const viewOf = <Format extends "uint32" | "sint32" | "float32">(
      id: string,
      handle: GPUBuffer,
      items: number,
      format: Format,
    ) => {
      const byteLength = items * 4;
      const buffer = luma.createBuffer({ id, handle, byteLength, usage });
      const own = graph.importBuffer({ id, byteLength, usage }, buffer);
      return graph.createDataView(own, { format, length: items });
    };
    const wordsOf = (id: string, handle: GPUBuffer) => viewOf(id, handle, length, "uint32");
    if (primitive === "scan") {
      new GPUScan({ input: wordsOf("input", input), output: wordsOf("output", output) }).addToGraph(graph);
    } else if (primitive === "reduce") {
      const from = viewOf("input", input, length, format);
      new GPUReduction({ input: from, output: viewOf("result", result, 1, format), operation }).addToGraph(
        graph,
      );
    } else {
      new GPUSort({
        keys: wordsOf("keys", input),
        values: wordsOf("values", values as GPUBuffer),
        outputKeys: wordsOf("sorted keys", output),
        outputValues: wordsOf("reordered values", reordered as GPUBuffer),
      }).addToGraph(graph);
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
