import type { Kernel } from "../kernels/kernel.ts";
import type { Plan } from "../plan/plan.ts";
import type { Context, Pipeline } from "./context.ts";
import { bindingLayouts, keyOf, pipelineOf } from "./device.ts";
import { COMPUTE_STAGE } from "./flags.ts";

// A plan has kernels for ranges that lie in any way, and most programs record ranges of one kind.

/** The kernels that a plan's first way takes, at any length: for input and output in two buffers, which start at a vector. */
function firstKernels({ ways, segments, maxLength, kernels, passes }: Plan): readonly Kernel[] {
  const [way] = ways;
  if (way === undefined || ways.length === 1 || segments) {
    return kernels;
  }
  const first = new Set<string>();
  for (let length = 2 * maxLength; length > 0; ) {
    length = Math.floor(length / 2);
    for (const { kernel } of passes(length, way.arrangement, way.aside)) {
      first.add(kernel.code);
    }
  }
  return kernels.filter(({ code }) => first.has(code));
}

/**
 * Compiles a kernel before this returns. Whether the device refuses it is known later. Then no other error is reported, and the
 * pipeline is of no use.
 */
function compileNow(
  device: GPUDevice,
  { label, code, entryPoint, bindings }: Kernel,
): { readonly made: Pipeline; readonly isRefused: Promise<boolean> } {
  device.pushErrorScope("internal");
  device.pushErrorScope("validation");
  const layout = device.createBindGroupLayout({
    label,
    entries: [...bindings].map(([binding, kind]) => ({
      binding,
      visibility: COMPUTE_STAGE,
      buffer: bindingLayouts[kind],
    })),
  });
  const pipeline = device.createComputePipeline({
    label,
    layout: device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ label, code }), entryPoint },
  });
  // A lost device refuses nothing: whoever records is told that it is lost.
  const isRefused = Promise.all([device.popErrorScope(), device.popErrorScope()]).then(
    (errors) => errors.some((error) => error !== null),
    () => false,
  );
  return { made: { pipeline, layout }, isRefused };
}

/** Pipelines that are compiled when they are first used, among those of a device. */
const atUse = new WeakSet<Promise<Pipeline>>();

/**
 * Puts off the compilation of all kernels but those of the plan's first way. So a plan is compiled sooner. The returned function
 * compiles the others in the background, one after another, as long as they are wanted. Until then, a recording that needs one
 * compiles it at once. If the device refuses that kernel, it also refuses the encoder of this recording. Then `forget` is called: it
 * drops what recordings have made, so that the next one that needs the kernel throws the compiler's error.
 */
export function putOff(
  context: Context,
  plan: Plan,
  forget: () => void,
): (isWanted: () => boolean) => Promise<void> {
  const { device, pipelines } = context;
  const first = firstKernels(plan);
  // What another plan put off starts anew here.
  for (const kernel of plan.kernels) {
    const key = keyOf(kernel);
    const known = pipelines.get(key);
    if (known !== undefined && atUse.has(known)) {
      pipelines.delete(key);
    }
  }
  const later = plan.kernels
    .filter((kernel) => !first.includes(kernel) && !pipelines.has(keyOf(kernel)))
    .map((kernel) => {
      const key = keyOf(kernel);
      let made: Pipeline | undefined;
      let failure: { readonly cause: unknown } | undefined;
      const own = (): Pipeline => {
        if (failure !== undefined) {
          throw failure.cause;
        }
        if (made === undefined) {
          const now = compileNow(device, kernel);
          made = now.made;
          const ready = Promise.resolve(made);
          if (pipelines.get(key) === pipeline) {
            pipelines.set(key, ready);
          }
          void now.isRefused.then((isRefused) => (isRefused ? compileAgain(ready) : undefined));
        }
        return made;
      };
      /** Compiles what was refused once more, as plans do that wait for it: that says why. */
      const compileAgain = async (refused: Promise<Pipeline>): Promise<void> => {
        if (pipelines.get(key) === refused) {
          pipelines.delete(key);
        }
        try {
          made = await pipelineOf(context, kernel);
        } catch (cause) {
          failure = { cause };
        }
        forget();
      };
      const pipeline = Promise.resolve<Pipeline>({
        get pipeline() {
          return own().pipeline;
        },
        get layout() {
          return own().layout;
        },
      });
      atUse.add(pipeline);
      pipelines.set(key, pipeline);
      return async (isWanted: boolean): Promise<void> => {
        if (pipelines.get(key) === pipeline) {
          pipelines.delete(key);
        }
        if (isWanted && made === undefined) {
          try {
            made = await pipelineOf(context, kernel);
          } catch (cause) {
            // A recording that needs it throws this, if there ever is one.
            failure = { cause };
          }
        }
      };
    });
  return async (isWanted) => {
    for (const compile of later) {
      await compile(isWanted() && context.lost === undefined);
    }
  };
}
