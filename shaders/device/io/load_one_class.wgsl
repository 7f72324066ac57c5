// Keeps the items of one class at a time.
// Linked with a file that declares class_of. Call from any control flow. No work-group memory.

var<private> class_now: u32;

fn keep(item: Input, index: u32) -> bool {
  return class_of(item, index) == class_now;
}
