/** Draws the next token of a language model where its logits are: on the GPU. Four bytes come back. */
import type { BufferRange, Fold } from "wavefold";
import { f32 } from "wavefold";
import { linkDirectives } from "wavefold/wgsl";
import kernel from "./sampler.wgsl";

/** The most candidates: the kernel has a thread for each. */
export const MOST_CANDIDATES = 256;

/** How a token is drawn from the candidates. */
export interface Sampling {
  /** The logits are divided by it: above 1, unlikely tokens become likelier. 0 takes the likeliest token. The default is 1. */
  readonly temperature?: number;
  /** Keeps the fewest of the likeliest candidates that together have this share of the probability. The default is 1: all. */
  readonly topP?: number;
  /** Keeps the candidates that are at least so likely, as a share of the likeliest one's probability. The default is 0: all. */
  readonly minP?: number;
  /** From 0 up to 1, without 1. The same number draws the same token. The default is `Math.random()`. */
  readonly random?: number;
}

/**
 * Compiles a sampler of a vocabulary of `vocabulary` tokens, which looks at the `topK` likeliest ones.
 *
 * @throws if `topK` is not a whole number from 1 to 256, or is more than the vocabulary has.
 */
export async function makeSampler(fold: Fold, vocabulary: number, topK: number) {
  if (!(Number.isInteger(topK) && topK >= 1 && topK <= Math.min(MOST_CANDIDATES, vocabulary))) {
    throw new RangeError(`topK is ${topK}; it takes 1 to ${Math.min(MOST_CANDIDATES, vocabulary)}`);
  }
  const { device } = fold;
  const likeliest = await fold.prepareTopK({ type: f32, k: topK, maxLength: vocabulary });
  const draw = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: linkDirectives(kernel) }) },
  });
  const settings = await fold.upload(new Float32Array(4));
  const logits = await fold.upload(new Float32Array(topK));
  const tokens = await fold.upload(new Uint32Array(topK));
  const drawn = await fold.upload(new Uint32Array(1));
  const bindings = device.createBindGroup({
    layout: draw.getBindGroupLayout(0),
    entries: [settings, logits, tokens, drawn].map((resource, binding) => ({ binding, resource })),
  });

  return {
    /** Where the token is: the model's next step can read it there. */
    drawn,

    /** Draws a token from `vocabulary` logits, f32, and submits that. The token stays on the GPU. */
    submit(
      input: BufferRange,
      { temperature = 1, topP = 1, minP = 0, random = Math.random() }: Sampling = {},
    ) {
      // By so little, the likeliest one alone has a weight.
      const values = Float32Array.of(Math.max(temperature, 1e-30), topP, minP, random);
      device.queue.writeBuffer(settings.buffer, settings.offset, values);
      const encoder = device.createCommandEncoder();
      likeliest.record(encoder, { input, output: logits, indices: tokens, length: vocabulary });
      const pass = encoder.beginComputePass();
      pass.setPipeline(draw);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },

    /** The token that was drawn last. It waits for the GPU. */
    async read(): Promise<number> {
      const [token = 0] = await drawn.read();
      return token;
    },

    destroy() {
      for (const one of [likeliest, settings, logits, tokens, drawn]) {
        one.destroy();
      }
    },
  };
}
