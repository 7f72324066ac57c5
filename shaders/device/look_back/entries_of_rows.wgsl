// Where entries lie in the spine if each row has groups of its own: those of a row lie behind those of the row before.
// Linked with spine_entries.wgsl and scan_long_rows.wgsl. Call from any control flow. No work-group memory.
// replaces: first_word_of

// The first group of the row's tiles in the spine.
var<private> long_row_group: u32;

fn first_word_of(place: u32) -> u32 {
  return (long_row_group + place / GROUP_ENTRIES) * GROUP_ENTRIES * ENTRY_WORDS + place % GROUP_ENTRIES;
}
