// Reductions by an operator that takes one of its operands: that with the least leading word, and of those with the same leading word
// one that their other words decide. So items are compared by one word, and the other words count for those items alone that have
// the least one.
// Call in uniform control flow. No work-group memory. Linked with subgroup_any_order.wgsl and a `leading_word`.
// replaces: with_items

fn with_items(total: Element, elements: array<Element, ITEMS>) -> Element {
  var own = elements;
  var least = leading_word(own[0]);
  for (var item = 1u; item < ITEMS; item++) { // unroll
    least = min(least, leading_word(own[item]));
  }
  var all = total;
  if (least <= leading_word(total)) {
    for (var item = 0u; item < ITEMS; item++) { // unroll
      if (leading_word(own[item]) == least) {
        all = combine(all, own[item]);
      }
    }
  }
  return all;
}
