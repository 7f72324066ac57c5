// No one asks for the total, so it is not stored.

fn store_total(element: Element) {}
