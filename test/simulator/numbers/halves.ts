/**
 * Every number of f16 from 0 up, by its word, and 2^16 after the greatest: a step is 2^-24 up to 2^-13, and twice as much in each power of
 * two from there.
 */
export function halves(): Float64Array {
  const numbers = new Float64Array(0x7c01);
  for (let word = 1, step = 2 ** -24; word <= 0x7c00; word++) {
    numbers[word] = (numbers[word - 1] ?? 0) + step;
    if (word >= 0x800 && word % 0x400 === 0) {
      step *= 2;
    }
  }
  return numbers;
}

/** The word of the number of the table that is nearest, the even one of two. */
export function nearestHalf(numbers: Float64Array, number: number): number {
  if (Number.isNaN(number)) {
    return 0x7e00;
  }
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(number);
  let [low, high] = [0, 0x7c00];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    [low, high] = (numbers[middle] ?? 0) <= magnitude ? [middle, high] : [low, middle];
  }
  const twice = (numbers[low] ?? 0) + (numbers[high] ?? 0);
  return sign | (2 * magnitude > twice || (2 * magnitude === twice && low % 2 === 1) ? high : low);
}
