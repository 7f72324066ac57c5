// The item of a run is the run's number.

@group(0) @binding(2) var<storage, read_write> output: array<Output>;

fn write_of_run(index: u32, run: u32) {
  output[call.output_base + index] = run;
}
