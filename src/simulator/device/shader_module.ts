import { LINE_BREAK } from "../../text/pieces.ts";
import { TextFault } from "../../text/syntax.ts";
import type { ModuleText } from "./compiler.ts";
import type { Core } from "./core.ts";
import { checked, DeviceObject, descriptorOf } from "./device_object.ts";
import { languageFeatures } from "./language_features.ts";

/** The features that a text asks for by `enable`. */
const featuresOf: Readonly<Record<string, string>> = {
  f16: "shader-f16",
  subgroups: "subgroups",
  subgroup_size_control: "subgroup-size-control",
};

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
    const messages = missingOf(core, text).map(({ directive, name, message }) =>
      messageAt(code, placeOf(code, directive, name), message),
    );
    const at = text.enables.includes("f16") ? -1 : placeOfHalf(code);
    if (at >= 0) {
      messages.push(messageAt(code, at, "f16 is used without enable f16;"));
    }
    return messages.length === 0 ? { text, messages } : { messages };
  } catch (cause) {
    return { messages: [messageOf(code, cause)] };
  }
}

/** What the compiler threw. Anything but a fault of the text is a fault of the simulator, which has no place. */
const messageOf = (code: string, cause: unknown): GPUCompilationMessage =>
  cause instanceof TextFault
    ? messageAt(code, cause.at, cause.message)
    : messageAt(code, 0, `the simulator cannot read this text: ${String(cause)}`);

interface Missing {
  readonly directive: "enable" | "requires";
  readonly name: string;
  readonly message: string;
}

/** What a text asks for that the device, or the simulator, does not have. */
function missingOf(core: Core, { enables, requires }: ModuleText): readonly Missing[] {
  const extensions = enables.filter((name) => !core.features.has(featuresOf[name] ?? name));
  const features = requires.filter((name) => !languageFeatures.some((known) => known === name));
  return [
    ...extensions.map((name) => ({
      directive: "enable" as const,
      name,
      message: `enable ${name} takes ${featuresOf[name] ? `the feature "${featuresOf[name]}" of the device` : "an extension that simulatedGpu does not have"}`,
    })),
    ...features.map((name) => ({
      directive: "requires" as const,
      name,
      message: `requires ${name} takes a language feature that simulatedGpu does not have; it has ${languageFeatures.join(", ")}`,
    })),
  ];
}

/** The text with blanks in the place of comments. */
const withoutComments = (code: string): string =>
  code.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));

/** Where a directive has a name: not in a comment. */
const placeOf = (code: string, directive: string, name: string): number =>
  Math.max(0, withoutComments(code).search(new RegExp(`\\b${directive}\\b[^;]*\\b${name}\\b`)));

/** The type f16, vectors and matrices of it, and numbers such as 0.5h. */
const HALF = /\b(f16|vec[234]h|mat[234]x[234]h)\b|(?<![\w.])(\d[\d.]*|\.\d+)([eE][+-]?\d+)?h\b/;

/** Where a text uses f16: not in a comment. -1 if nowhere. */
const placeOfHalf = (code: string): number => (HALF.test(code) ? withoutComments(code).search(HALF) : -1);

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
