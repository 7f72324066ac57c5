/** A picture: a word for each pixel, with red in its lowest byte, then green, blue and 255. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
}

const CHANNELS = [0, 8, 16] as const;

/**
 * The blur on the CPU: each channel of each pixel is the mean of the box around it, as far as this lies in the picture, rounded to
 * the nearest. Running sums go along each row, and then down each column: no summed-area table.
 */
export function boxBlur({ width, height, pixels }: Picture, radius: number): Uint32Array<ArrayBuffer> {
  const result = new Uint32Array(width * height).fill(0xff000000);
  for (const shift of CHANNELS) {
    const channel = Float64Array.from(pixels, (pixel) => (pixel >>> shift) & 0xff);
    const sums = boxSums(boxSums(channel, width, 1, radius), height, width, radius);
    for (let row = 0; row < height; row++) {
      const high = Math.min(row + radius + 1, height) - Math.max(0, row - radius);
      for (let column = 0; column < width; column++) {
        const area = high * (Math.min(column + radius + 1, width) - Math.max(0, column - radius));
        const at = row * width + column;
        const mean = Math.floor(((sums[at] ?? 0) + Math.floor(area / 2)) / area);
        result[at] = ((result[at] ?? 0) | (mean << shift)) >>> 0;
      }
    }
  }
  return result;
}

/** The sum of the items around each item of each line. Items of a line are `step` apart; a line has `length` of them. */
function boxSums(items: Float64Array, length: number, step: number, radius: number): Float64Array {
  const sums = new Float64Array(items.length);
  for (let line = 0; line < items.length / length; line++) {
    const first = step === 1 ? line * length : line;
    const item = (at: number): number => (at < 0 || at >= length ? 0 : (items[first + at * step] ?? 0));
    let sum = 0;
    for (let at = -radius; at < length; at++) {
      sum += item(at + radius) - item(at - radius - 1);
      if (at >= 0) {
        sums[first + at * step] = sum;
      }
    }
  }
  return sums;
}

/** Draws a picture with sharp edges and fine lines, so that a blur shows: hills, a sun, stars and windows. */
export function drawPicture(width: number, height: number): Picture {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) {
    throw new Error("The browser gives no canvas to draw the picture on");
  }
  let seed = 20;
  /** Numbers from 0 to 1, the same each time. */
  const next = (): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const sky = context.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, "#16224f");
  sky.addColorStop(0.55, "#c2507a");
  sky.addColorStop(0.8, "#ffb46b");
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  const unit = height / 100;
  for (let star = 0; star < 90; star++) {
    context.fillStyle = `rgba(255, 255, 255, ${0.4 + 0.6 * next()})`;
    const size = unit * (0.3 + 0.7 * next());
    context.fillRect(next() * width, next() ** 2 * height * 0.5, size, size);
  }
  context.fillStyle = "#ffe9b0";
  context.beginPath();
  context.arc(width * 0.68, height * 0.52, unit * 13, 0, 2 * Math.PI);
  context.fill();
  for (const [from, depth, color] of [
    [0.62, 0.1, "#7b3b69"],
    [0.72, 0.07, "#45285c"],
  ] as const) {
    context.fillStyle = color;
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x++) {
      const wave = Math.sin((x / width) * 9 + from * 40) + 0.5 * Math.sin((x / width) * 23 + from * 90);
      context.lineTo(x, height * (from - (depth * wave) / 1.5));
    }
    context.lineTo(width, height);
    context.fill();
  }
  for (let x = 0; x < width; ) {
    const wide = unit * (6 + 8 * next());
    const high = unit * (12 + 22 * next());
    context.fillStyle = "#181430";
    context.fillRect(x, height - high, wide, high);
    for (let row = height - high + 2 * unit; row < height - 2 * unit; row += 3 * unit) {
      for (let column = x + 1.5 * unit; column < x + wide - 2 * unit; column += 2.5 * unit) {
        if (next() < 0.55) {
          context.fillStyle = next() < 0.8 ? "#ffd479" : "#8fd3ff";
          context.fillRect(column, row, 1.3 * unit, 1.6 * unit);
        }
      }
    }
    x += wide + unit * 2 * next();
  }
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, pixels: new Uint32Array(data.buffer as ArrayBuffer) };
}
