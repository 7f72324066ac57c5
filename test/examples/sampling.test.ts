import { expect, test } from "vitest";
import { makeSampler } from "../../examples/sampling/sampler.ts";
import { useFold } from "../support/fold.ts";
import { howToSample, randomLogits, sharesOf } from "../support/sampling.ts";

const fold = useFold();
const VOCABULARY = 1000;

test.each(howToSample)(
  "each token is drawn by the numbers of its share: $topK $temperature $topP $minP",
  async (how) => {
    const { topK, ...sampling } = how;
    const logits = randomLogits(VOCABULARY);
    const shares = sharesOf(logits, how);
    const input = await fold().upload(logits);
    const sampler = await makeSampler(fold(), VOCABULARY, topK);
    const draw = async (random: number): Promise<number> => {
      sampler.submit(input, { ...sampling, random });
      return sampler.read();
    };
    const drawn: number[] = [];
    for (const { from, to } of shares) {
      drawn.push(await draw((from + to) / 2));
    }
    expect(drawn).toEqual(shares.map(({ token }) => token));
    expect(await draw(0)).toBe(shares[0]?.token);
    expect(await draw(1 - 2 ** -24)).toBe(shares.at(-1)?.token);
    sampler.destroy();
    input.destroy();
  },
);

test("the temperature 0 takes the likeliest token, the first of equal ones", async () => {
  const logits = randomLogits(VOCABULARY);
  logits[700] = 9;
  const input = await fold().upload(logits);
  const sampler = await makeSampler(fold(), VOCABULARY, 40);
  for (const random of [0, 0.5, 0.999]) {
    sampler.submit(input, { temperature: 0, random });
    expect(await sampler.read()).toBe(700);
  }
  sampler.submit(input, { topP: 0, random: 0.999 });
  expect(await sampler.read()).toBe(700);
  sampler.destroy();
});

test("a token that is masked is never drawn", async () => {
  const logits = new Float32Array(VOCABULARY).fill(Number.NEGATIVE_INFINITY);
  logits.set([1, 1], 300);
  const input = await fold().upload(logits);
  const sampler = await makeSampler(fold(), VOCABULARY, 8);
  const drawn: number[] = [];
  for (const random of [0, 0.4, 0.6, 1 - 2 ** -24]) {
    sampler.submit(input, { temperature: 5, random });
    drawn.push(await sampler.read());
  }
  expect(drawn).toEqual([300, 300, 301, 301]);
  sampler.destroy();
});

test("a logit that is NaN is drawn", async () => {
  const logits = randomLogits(VOCABULARY);
  logits[123] = Number.NaN;
  const input = await fold().upload(logits);
  const sampler = await makeSampler(fold(), VOCABULARY, 40);
  sampler.submit(input, { random: 0.5 });
  expect(await sampler.read()).toBe(123);
  sampler.destroy();
});

test("without a number it draws by itself", async () => {
  const input = await fold().upload(Float32Array.of(0, 0, -100));
  const sampler = await makeSampler(fold(), 3, 3);
  const drawn = new Set<number>();
  for (let at = 0; at < 40; at++) {
    sampler.submit(input);
    drawn.add(await sampler.read());
  }
  // Of 40 fair draws, one side alone comes once in 2^39.
  expect([...drawn].sort()).toEqual([0, 1]);
  sampler.destroy();
});

test.each([0, 257, 1.5, 4])("topK %d of three tokens is refused", async (topK) => {
  await expect(makeSampler(fold(), topK === 257 ? 1000 : 3, topK)).rejects.toThrow(
    /^topK is .*; it takes 1 to /,
  );
});
