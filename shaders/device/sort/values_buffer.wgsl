// The values are in a buffer.

@group(0) @binding(17) var<storage, read> values: array<Value>;

fn read_value(index: u32) -> Value {
  return values[call.values_base + index];
}
