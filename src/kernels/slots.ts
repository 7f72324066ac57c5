/** A slot: a folder of `shaders/`. A kernel's list takes files of it, one for each role that the kernel needs. */
export interface Slot {
  readonly does: string;
  readonly roles: readonly Role[];
}

/** What some files of a slot do, and the names that files of other folders and generated texts call of them, with blanks between these. */
type Role = readonly [does: string, names: string];

/** The slots of device-wide kernels, by their folders in `shaders/`. A test compares the names with the files. */
export const slots: Readonly<Record<string, Slot>> = {
  "device/tiles": {
    does: "how a tile's threads divide its items, and scan and reduce them: tile.wgsl is its interface",
    roles: [
      ["numbers the threads", "Invocation work_group_thread"],
      ["divides the items", "vector_of"],
      ["scans a tile", "TileScan begin_scan before_run run_of finish_run"],
      ["reduces a tile", "reduce_tile"],
      ["computes the total of any tile", "total_of_tile"],
      ["of subgroups, numbers the lanes", "subgroup_count subgroup_lane subgroup_number subgroup_rank"],
      ["of subgroups, counts votes", "count_votes lanes_before"],
      ["of subgroups, scans their totals", "SubgroupsScan scan_subgroups subgroup_totals"],
      ["of subgroups, scans a row of vectors", "scan_row"],
      ["of subgroups, reduces several tiles in any order", "with_items reduce_threads"],
    ],
  },
  "device/io": {
    does: "how threads read and write a kernel's ranges",
    roles: [
      ["an input", "input read_item read_vector"],
      ["an output", "output write_item write_vector read_output_vector write_end_item"],
      ["vectors at the end of a range", "read_edge write_edge"],
      ["where mirrored items lie", "mirrored"],
      ["the length", "data_length"],
      ["loads a thread's items", "load_items"],
      ["stores a thread's prefixes", "store_prefixes"],
      ["what comes before a tile", "load_carry initial_element spine"],
      ["what becomes of the total", "store_total"],
      ["what a reduction stores", "result_of"],
      ["how many items are copied", "items_to_copy"],
      ["which items are kept", "keep class_now"],
      ["loads the items of a compaction or a partition", "load_kept counts_of load_classes own_items"],
      ["ranks and stores what is kept", "ranks_of store_kept"],
    ],
  },
  "device/look_back": {
    does: "how a tile of a single pass finds what comes before it",
    roles: [
      ["takes a tile", "tile_of"],
      ["the spine's entries", "spine run_number read_place write_place first_word_of long_row_group"],
      ["hands on a total", "hand_on entry_of_tile"],
      ["looks back", "look_back look_back_again carry look_back_carry"],
      ["finds a carry", "find_carry look_back_found look_back_is_found look_back_stops"],
      ["faults of tests", "delay_tile"],
    ],
  },
  "device/reduce": {
    does: "how work-groups of a reduction in one dispatch share tiles and totals",
    roles: [
      ["shares tiles", "last_total tiles_of_total own_total"],
      ["combines totals", "Totals find_totals no_totals take_total combine_totals"],
    ],
  },
  "device/segments": {
    does: "segments: their elements, where they start, and what is stored for them",
    roles: [
      ["the element", "Element identity combine with_head initial_value select_prefix"],
      ["loads items with heads", "load_items"],
      ["keys", "keys key_at"],
      ["offsets", "offset_at offsets_up_to"],
      ["segments and gaps", "Part part_of begin_of end_of"],
      ["marks heads", "head_words mark_empty"],
      ["stores totals in place of prefixes", "store_prefixes store_total"],
      ["loads values without heads", "load_values load_edge"],
      ["combines values lane by lane", "LanesScan scan_lanes"],
      ["finds the first segment of a tile", "first_segment_of"],
      ["scans values without heads", "heads_of_thread scan_flat_tile total_of_tile"],
    ],
  },
  "device/runs": {
    does: "runs of equal keys that are found in one dispatch",
    roles: [
      ["keys", "key_at"],
      ["loads keys", "keys_start_at_vector keys_of_vector"],
      ["stores what a run consists of", "stage_key store_run"],
      ["stores how long a run is, or where it starts", "store_number store_length"],
      ["keeps where runs start", "stage_first last_staged"],
      ["the look-back's element", "runs_of_subgroup started_runs number_of last_of"],
    ],
  },
  "device/rows": {
    does: "rows that tiles hold as a whole, and parts of longer ones",
    roles: [
      ["where rows lie in tiles", "row_tile has_whole_rows"],
      ["scans a tile's rows", "scan_row_tile"],
      ["reduces a tile's rows", "reduce_row_tile"],
      ["stores the number of rows", "store_row_count"],
    ],
  },
  "device/columns": {
    does: "columns of a matrix, or of its chunks",
    roles: [["where columns lie", "run_at carry_place"]],
  },
  "device/histogram": {
    does: "counts items in bins",
    roles: [
      ["what is counted of an item", "begin_tally tally_item"],
      ["the bin of an item", "bin_of"],
      ["the channel of an item", "channel_of"],
      ["by how much", "amount_of"],
      ["adds to counters", "tally end_tally counters"],
      ["adds counters to bins", "add_counters"],
      ["the bins", "bins"],
    ],
  },
  "device/search": {
    does: "finds places in sorted data",
    roles: [
      ["searches", "count_before"],
      ["the entries", "table_key comes_before"],
    ],
  },
  "device/narrow": {
    does: "items of 8 and 16 bits, which share words",
    roles: [
      ["takes an item out of its word", "value_in"],
      ["adds up a word's items", "sum_of_word"],
    ],
  },
  "device/gather": {
    does: "finds the values of positions",
    roles: [["how many values there are", "values_length"]],
  },
  "device/expand": {
    does: "says what is stored for each item of a run",
    roles: [
      ["reads a run", "read_item"],
      ["stores an item", "write_item"],
    ],
  },
  "device/neighbours": {
    does: "says where an element's neighbours lie, and what stands past the ends of the data",
    roles: [["the places", "place_before place_after"]],
  },
  "device/scatter": {
    does: "stores what elements put at their positions",
    roles: [["stores it", "store_at"]],
  },
  "device/find": {
    does: "says in which order items are searched, and what is stored for the one that is found",
    roles: [["the order, and the answer", "tile_at score_of greatest_score answer_of"]],
  },
  "device/keys": {
    does: "keys of floats, and the order of entries that a reduction takes the least of",
    roles: [
      ["keys of floats", "key_from_f16_bits key_from_f32_bits key_from_f64_bits"],
      ["the least entry", "first_entry"],
    ],
  },
  "device/sort": {
    does: "ranks items by digits, and sorts short segments",
    roles: [
      ["counts the digits of all data", "begin_tally tally_item add_to_bin"],
      ["digits of a key", "digit_of bits_from mask_of_bit"],
      ["work-group memory", "sort_memory digit_words"],
      ["takes a tile", "tile_of"],
      ["counts a tile", "count_tile"],
      ["ranks a tile's items", "clear_ranks count_items count_of_digit scan_digits rank_items place_of"],
      ["the first place of a digit", "set_first_of_digit counter_of"],
      ["ranks items as they arrive", "arrival_of are_in_order"],
      ["where a tile's digits go", "find_places hand_on_digits items_of_digit"],
      ["stores keys", "store_key"],
      ["moves values", "load_values move_values"],
      ["where a segment lies", "span_of_segment"],
      ["segments in work-group memory", "segment_of stored_at index_of_place NO_ITEM"],
      ["values of these", "load_segment_values exchange_segment_values store_segment_values"],
      ["items of these", "note_item put_noted_items item_at"],
      ["sorting networks", "network_keys network_places turn exchange sorted_places"],
      ["by several keys, finds an item", "position_at"],
    ],
  },
  "device/merge": {
    does: "merges tiles of two sorted ranges",
    roles: [
      ["the other range", "read_other other_length"],
      ["a tile, and the order of its items", "tile_of stage_tile merged_sources"],
      ["how many items are kept", "count_kept"],
      ["stores items and values", "store_merged move_values"],
    ],
  },
  "device/select": {
    does: "selects the first elements",
    roles: [
      ["keys of elements", "comes_before digit_at words_from_key"],
      ["what a selection knows", "Selection selection is_enough"],
      ["what is done with what is left", "tally_item"],
      ["keeps what is taken", "keep"],
      ["blocks", "blocks_of number_of first_of firsts last_key"],
      ["which blocks are looked at", "list_blocks listed_position"],
      ["chooses the first of a few", "list_few few_numbers few_places place_few"],
    ],
  },
  exact: {
    does: "exact sums: elements, and tiles in place of device/tiles",
    roles: [
      [
        "an element",
        "exact_item exact_combine exact_from_bits bits_from_exact exact_from_f64 f64_from_exact",
      ],
      ["types of a tile", "FloatBits Fixed"],
      ["loads a thread's items", "load_items"],
      ["reduces a tile", "reduce_tile"],
    ],
  },
  work_group: {
    does: "what one work-group, or a subgroup of it, computes; in-kernel functions call more",
    roles: [
      ["moves elements between lanes", "element_shuffle element_shuffle_up element_shuffle_xor"],
      ["reduces a subgroup", "subgroup_reduce"],
      ["scans a work-group", "work_group_scan_exclusive"],
      ["reduces a work-group", "work_group_reduce"],
    ],
  },
  "device/kernels": {
    does: "the entry points",
    roles: [
      ["combines a vector whose tile's total is computed again", "combine_vector total_of_tile"],
      ["where a thread's values lie", "place_of_vector"],
      [
        "scans values without heads",
        "FlatScan first_head_of least_of_lanes run_element scan_flat_run scan_flat_vectors",
      ],
      ["of a reduction in one dispatch", "FoundTotals"],
      ["of expanded runs, where a run ends", "run_end"],
      ["of rows", "store_row_total"],
      ["of short sorts", "NO_ITEM"],
    ],
  },
};

/** What a file of `shaders/` does in its slot, by the names that it declares in a kernel. Texts that are no files do nothing in a slot. */
export function rolesOf(file: string, declares: readonly string[]): readonly string[] {
  const slot = slots[file.slice("shaders/".length, file.lastIndexOf("/"))];
  if (slot === undefined) {
    return [];
  }
  const roles = slot.roles.filter(([, names]) => names.split(" ").some((name) => declares.includes(name)));
  return roles.length === 0 ? ["helps other files of its slot"] : roles.map(([does]) => does);
}
