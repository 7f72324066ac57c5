import type { Sampling } from "../../examples/sampling/sampler.ts";
import { randomBits } from "./random.ts";

/** How tokens are drawn, in all ways. */
export interface HowToSample extends Required<Omit<Sampling, "random">> {
  readonly topK: number;
}

export const howToSample: readonly HowToSample[] = [
  { topK: 1, temperature: 1, topP: 1, minP: 0 },
  { topK: 40, temperature: 1, topP: 1, minP: 0 },
  { topK: 40, temperature: 0.7, topP: 0.9, minP: 0 },
  { topK: 40, temperature: 1.5, topP: 1, minP: 0.8 },
  { topK: 256, temperature: 2, topP: 0.6, minP: 0.05 },
];

/** Multiples of 1/64 from -8 up to 8: some are equal. */
export function randomLogits(vocabulary: number): Float32Array<ArrayBuffer> {
  const next = randomBits("logits");
  return Float32Array.from({ length: vocabulary }, () => ((next() % 1024) - 512) / 64);
}

/** The tokens that may be drawn, the likeliest first, each with its share of the unit interval: in doubles, and by loops. */
export function sharesOf(
  logits: Float32Array,
  { topK, temperature, topP, minP }: HowToSample,
): { readonly token: number; readonly from: number; readonly to: number }[] {
  const candidates = Array.from(logits, (logit, token) => ({ token, logit }))
    .sort((a, b) => b.logit - a.logit || a.token - b.token)
    .slice(0, topK);
  const best = candidates[0]?.logit ?? 0;
  const weights = candidates.map(({ logit }) => Math.exp((logit - best) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const kept: { token: number; weight: number }[] = [];
  let before = 0;
  for (const [at, { token }] of candidates.entries()) {
    const weight = weights[at] ?? 0;
    if (at > 0 && (before >= topP * total || weight < minP || weight === 0)) {
      break;
    }
    kept.push({ token, weight });
    before += weight;
  }
  let from = 0;
  return kept.map(({ token, weight }) => {
    const share = { token, from: from / before, to: (from + weight) / before };
    from += weight;
    return share;
  });
}
