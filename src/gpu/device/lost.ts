import { DeviceLostError } from "../../errors.ts";
import type { Context } from "./context.ts";
import { withoutStack } from "./without_stack.ts";

// The errors of a device that is gone.

/** @throws {DeviceLostError} when the device is gone. */
export function requireDevice(context: Context, title: string): void {
  if (context.lost) {
    throw lostError(context.lost, title);
  }
}

function lostError({ reason, message }: GPUDeviceLostInfo, title: string): DeviceLostError {
  const how = reason === "destroyed" ? reason : "lost";
  const said = withoutStack(message);
  return Object.assign(
    new DeviceLostError(`${title}: the device was ${how}${said && ` (${said})`}; open a new one`),
    { reason },
  );
}

/** The error to report for `cause`. A lost device causes many kinds of failures, and then that loss is the error. */
export async function explain(context: Context, title: string, cause: unknown): Promise<unknown> {
  // `device.lost` may resolve a little later than the failure.
  const lost = context.lost ?? (await Promise.race([context.device.lost, pause()]));
  return lost ? lostError(lost, title) : cause;
}

const pause = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 10));
