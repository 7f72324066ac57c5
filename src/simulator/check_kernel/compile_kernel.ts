import { refuse, SourceError, WavefoldError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { linesOf } from "./text.ts";

/** How a kernel is compiled, and what errors call it. */
export interface CompileOptions {
  /** The GPU whose compiler is asked. */
  readonly gpu: GPU;
  /** The name of the kernel in errors. `"kernel.wgsl"` by default. */
  readonly file?: string;
  /** The kernel before `link` or `linkDirectives` added functions to it. Errors are at its lines. */
  readonly source?: string;
}

/** Dawn's devices need the object that they come from, which may be collected otherwise. */
const inUse = new Set<GPU>();

/**
 * Has a GPU's compiler read a kernel, which finds what the simulator takes: most of all, barriers that WGSL does not allow where control flow may
 * not be uniform. Nothing runs.
 *
 * @throws {SourceError} for a text that the compiler refuses, with the line and the column.
 * @throws {ArgumentError} for what is no GPU.
 * @throws {WavefoldError} for a GPU that has no adapter.
 *
 * @example
 * ```ts
 * import { compileKernel } from "wavefold/simulator";
 * import { create } from "webgpu";
 *
 * const gpu = create(["backend=null"]); // Dawn without a GPU
 * const code = `
 *   @compute @workgroup_size(64)
 *   fn main(@builtin(local_invocation_index) thread: u32) {
 *     if (thread == 0u) { workgroupBarrier(); }
 *   }`;
 * await compileKernel(code, { gpu }).catch(({ line }) => line); // 4
 * ```
 */
export async function compileKernel(code: string, options: CompileOptions): Promise<void> {
  requireOptions("compileKernel", options, { gpu: true, file: true, source: true });
  const { gpu, file = "kernel.wgsl", source = code } = options;
  if (typeof gpu?.requestAdapter !== "function") {
    const takes = 'a GPU, such as navigator.gpu, or create(["backend=null"]) of the package webgpu';
    refuse("compileKernel", "gpu", gpu === null ? "null" : typeof gpu, takes);
  }
  inUse.add(gpu);
  try {
    await compileOn(gpu, code, { file, source });
  } finally {
    inUse.delete(gpu);
  }
}

async function compileOn(
  gpu: GPU,
  code: string,
  kernel: { readonly file: string; readonly source: string },
): Promise<void> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) {
    throw new WavefoldError("compileKernel: options.gpu has no adapter");
  }
  const device = await adapter.requestDevice({
    requiredFeatures: Array.from(adapter.features) as GPUFeatureName[],
  });
  try {
    device.pushErrorScope("validation");
    const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
    const refused = await device.popErrorScope();
    if (refused !== null) {
      throw errorOf(messages, { ...kernel, message: refused.message });
    }
  } finally {
    device.destroy();
  }
}

/** The first error, with the notes that explain it. One in a linked function is told where a note names a line of the source. */
function errorOf(
  messages: readonly GPUCompilationMessage[],
  { file, source, message }: { readonly file: string; readonly source: string; readonly message: string },
): SourceError {
  const lines = linesOf(source);
  const start = Math.max(
    0,
    messages.findIndex(({ type }) => type === "error"),
  );
  const others = messages.slice(start + 1);
  const end = others.findIndex(({ type }) => type === "error");
  const [first, ...notes] = [
    ...messages.slice(start, start + 1),
    ...others.slice(0, end < 0 ? undefined : end),
  ];
  const isCallers = ({ lineNum }: GPUCompilationMessage): boolean => lineNum >= 1 && lineNum <= lines;
  const { lineNum: line = 1, linePos: column = 1 } =
    [first, ...notes].find((one) => one && isCallers(one)) ?? {};
  const told = notes.map((note) =>
    isCallers(note) ? `${note.message} at line ${note.lineNum}` : note.message,
  );
  const text = [first?.message ?? message, ...told].join("; ").replace(/\s*\n\s*/g, " ");
  return new SourceError(`${file}:${line}:${column}: ${text}`, source, line, column);
}
