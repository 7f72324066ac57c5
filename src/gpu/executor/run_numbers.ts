import type { Context, RunNumberDigits } from "../device/context.ts";
import { filledBuffer } from "../device/device.ts";
import { UNIFORM } from "../device/usage_flags.ts";

// Each run of a single pass has a number.

/** The base of the digits. Two of them make a number of 12 bits. */
const BASE = 64;

/** The device's digits, which are made once. Each call of this counts as one use. */
export function runNumberDigits(context: Context): RunNumberDigits {
  if (context.digits === undefined) {
    const stride = Math.max(16, context.device.limits.minUniformBufferOffsetAlignment);
    const words = new Uint32Array((BASE * stride) / 4);
    for (let digit = 0; digit < BASE; digit++) {
      words[(digit * stride) / 4] = digit;
    }
    context.digits = {
      resource: {
        buffer: filledBuffer(context.device, words, UNIFORM, "wavefold digits"),
        size: 16,
      },
      uses: 0,
      offsetsOf: (run) => [(run % BASE) * stride, Math.floor(run / BASE) * stride],
    };
  }
  context.digits.uses++;
  return context.digits;
}
