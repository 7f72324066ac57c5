// Nobody wants the total.

fn store_total(element: Element) {}
