import type { ElementType } from "../algebra/types.ts";
import { FeatureError } from "../errors.ts";
import type { DeviceFacts } from "./device_facts.ts";

/** @throws {FeatureError} if the device lacks the feature that a type needs. */
export function requireFeature({ feature }: ElementType, title: string, { features }: DeviceFacts): void {
  if (feature !== undefined && !features.has(feature)) {
    throw typeFeatureError(title, feature);
  }
}

/** The error for a type that needs a feature which the device lacks: f16, or a struct with fields of f16. */
export const typeFeatureError = (title: string, feature: "shader-f16"): FeatureError =>
  new FeatureError(
    `${title} needs the adapter feature "${feature}"; most GPUs have it, and software adapters do not: open the device with it, or take f32`,
    feature,
  );
