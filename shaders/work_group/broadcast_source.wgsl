// The work-group memory of broadcast.wgsl: one value.

var<workgroup> broadcast_source: Value;
