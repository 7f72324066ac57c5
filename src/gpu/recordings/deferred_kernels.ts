import type { Kernel } from "../../kernels/kernel.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Context, Pipeline } from "../device/context.ts";
import { descriptorOf, pipelineOf } from "../device/device.ts";
import { pipelineKeyOf } from "../device/kept_pipelines.ts";

// A plan has kernels for ranges that lie in any way, and most programs record ranges of one kind.

/**
 * Compiles a kernel at once. If the device refuses it, only `isRefused` reports that, later. So it asks for no size of subgroups, which the device
 * might refuse.
 */
function compileNow(
  device: GPUDevice,
  kernel: Kernel,
): { readonly made: Pipeline; readonly isRefused: Promise<boolean> } {
  device.pushErrorScope("internal");
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ label: kernel.label, code: kernel.code });
  const [layout, descriptor] = descriptorOf(device, kernel, module);
  const pipeline = device.createComputePipeline(descriptor);
  // A lost device refuses no kernel: the recording itself reports the loss.
  const isRefused = Promise.all([device.popErrorScope(), device.popErrorScope()]).then(
    (errors) => errors.some((error) => error !== null),
    () => false,
  );
  return { made: { pipeline, layout }, isRefused };
}

/** Why a kernel was not compiled. */
interface Failure {
  readonly cause: unknown;
}

/** The kernels that a plan puts off. */
export interface DeferredKernels {
  /** Their pipelines by the kernel's text, for this plan alone. Each is compiled when it is first used. */
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Compiles them in the background, one after another, as long as `isWanted` says so. Returns the first failure, if there is any. */
  compile(isWanted: () => boolean): Promise<Failure | undefined>;
}

/**
 * Puts off the compilation of all kernels but the `first`. So a plan is compiled sooner. A recording that needs
 * another one compiles it at once. If the device refuses that kernel, it also refuses the encoder of this recording. Then `forget`
 * is called: it drops what recordings have made, so that the next one that needs the kernel throws the compiler's error.
 *
 * Among the device's pipelines, a symbol of the plan takes the place of a kernel that it has put off. If another plan needs the
 * kernel, this plan compiles it itself, or puts it off itself.
 */
export function deferKernels(
  context: Context,
  { kernels }: Plan,
  first: readonly Kernel[],
  forget: () => void,
): DeferredKernels {
  const { device, pipelines } = context;
  const own = new Map<string, Pipeline>();
  const place = Symbol();
  const later = kernels
    .filter(
      (kernel) =>
        !first.some(({ code }) => code === kernel.code) &&
        typeof pipelines.get(pipelineKeyOf(kernel)) !== "object",
    )
    .map((kernel) => {
      const key = pipelineKeyOf(kernel);
      let made: Pipeline | undefined;
      let failure: Failure | undefined;
      /** Takes a pipeline when it is there. If it fails, a recording that needs it throws the error. */
      const take = async (pipeline: Promise<Pipeline>): Promise<void> => {
        try {
          made = await pipeline;
        } catch (cause) {
          made = undefined;
          failure = { cause };
        }
      };
      const compileAtUse = (): Pipeline => {
        const now = compileNow(device, kernel);
        /** Plans that find this wait for the device. If the device refuses the kernel, they compile it again, and get the reason. */
        const accepted: Promise<Pipeline> = now.isRefused.then((isRefused) => {
          if (!isRefused) {
            return now.made;
          }
          if (pipelines.get(key) === accepted) {
            pipelines.delete(key);
          }
          return pipelineOf(context, kernel);
        });
        if (pipelines.get(key) === place) {
          pipelines.set(key, accepted);
        }
        void take(accepted).then(() => {
          if (made !== now.made) {
            forget();
          }
        });
        return now.made;
      };
      const compiled = (): Pipeline => {
        if (failure !== undefined) {
          throw failure.cause;
        }
        made ??= compileAtUse();
        return made;
      };
      own.set(kernel.code, {
        get pipeline() {
          return compiled().pipeline;
        },
        get layout() {
          return compiled().layout;
        },
      });
      pipelines.delete(key);
      pipelines.set(key, place);
      return async (isWanted: boolean): Promise<Failure | undefined> => {
        if (isWanted) {
          await (made ?? take(pipelineOf(context, kernel)));
          return failure;
        }
        made = undefined;
        if (pipelines.get(key) === place) {
          pipelines.delete(key);
        }
        return undefined;
      };
    });
  return {
    pipelines: own,
    async compile(isWanted) {
      let first: Failure | undefined;
      for (const compile of later) {
        const failure = await compile(isWanted() && context.lost === undefined);
        first ??= failure;
      }
      return first;
    },
  };
}
