import { LINE_BREAK } from "../../text/pieces.ts";
import { TextFault } from "../../text/syntax.ts";
import type { ModuleText } from "./compiler.ts";
import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf } from "./device_object.ts";

/** The features that a text asks for by `enable`. */
const featuresOf: Readonly<Record<string, string>> = { f16: "shader-f16", subgroups: "subgroups" };

export class SimulatedShaderModule extends DeviceObject implements GPUShaderModule {
  declare readonly __brand: "GPUShaderModule";
  /** What the text declares, if it is right. */
  readonly text: ModuleText | undefined;
  readonly #messages: readonly GPUCompilationMessage[];

  constructor(core: Core, descriptor: GPUShaderModuleDescriptor) {
    super(core, descriptor);
    const { text, messages } = read(core, String(descriptor.code));
    this.text = text;
    this.#messages = messages;
  }

  get [Symbol.toStringTag](): string {
    return "GPUShaderModule";
  }

  async getCompilationInfo(): Promise<GPUCompilationInfo> {
    return { messages: this.#messages } as GPUCompilationInfo;
  }

  /** What is wrong with the text, with the place that compilers put first. */
  get problem(): string | undefined {
    const [message] = this.#messages;
    return message && `:${message.lineNum}:${message.linePos} error: ${message.message}`;
  }
}

interface Read {
  readonly text?: ModuleText;
  readonly messages: readonly GPUCompilationMessage[];
}

function read(core: Core, code: string): Read {
  try {
    const text = core.readModule(code);
    const missing = text.enables.find((name) => !core.features.has(featuresOf[name] ?? name));
    return missing === undefined
      ? { text, messages: [] }
      : { messages: [messageAt(code, enableOf(code, missing), missingFeature(missing))] };
  } catch (cause) {
    return { messages: [messageOf(code, cause)] };
  }
}

/** What the compiler threw. Anything but a fault of the text is a fault of the simulator, which has no place. */
const messageOf = (code: string, cause: unknown): GPUCompilationMessage =>
  cause instanceof TextFault
    ? messageAt(code, cause.at, cause.message)
    : messageAt(code, 0, `the simulator cannot read this text: ${String(cause)}`);

const missingFeature = (name: string): string =>
  `enable ${name} takes ${featuresOf[name] ? `the feature "${featuresOf[name]}" of the device` : "an extension that simulatedGpu does not have"}`;

/** Where a text enables an extension. */
const enableOf = (code: string, name: string): number =>
  Math.max(0, code.search(new RegExp(`\\benable\\b[^;]*\\b${name}\\b`)));

/** A message at a place of a text: https://www.w3.org/TR/webgpu/#gpucompilationmessage. */
function messageAt(code: string, at: number, message: string): GPUCompilationMessage {
  const before = code.slice(0, at).split(LINE_BREAK);
  return {
    type: "error",
    message,
    lineNum: before.length,
    linePos: (before.at(-1)?.length ?? 0) + 1,
    offset: at,
    length: 0,
  } as GPUCompilationMessage;
}

/** https://www.w3.org/TR/webgpu/#dom-gpudevice-createshadermodule */
export function createShaderModule(core: Core, given: GPUShaderModuleDescriptor): SimulatedShaderModule {
  const descriptor = descriptorOf(given, "createShaderModule");
  if (descriptor.code === undefined) {
    throw new TypeError("createShaderModule: code is undefined; it takes a text");
  }
  const module = new SimulatedShaderModule(core, descriptor);
  return checked(module, "createShaderModule: the text is wrong", [module.problem]);
}
