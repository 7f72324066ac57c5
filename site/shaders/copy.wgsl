// Copies a buffer to another: the time that any kernel which reads and writes these bytes takes at least.
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(256)
fn copy(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let first = (group.y * groups.x + group.x) * 1024u + thread;
  for (var step = 0u; step < 4u; step++) {
    let place = first + step * 256u;
    if (place < arrayLength(&input)) {
      output[place] = input[place];
    }
  }
}
