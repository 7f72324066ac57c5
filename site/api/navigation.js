// In TypeDoc's list of modules a link stands in what opens the list below it: one control in another, which a screen
// reader reads as one. The link becomes the first one of that list.
const list = document.getElementById("tsd-nav-container");

function moveLinks() {
  for (const link of list.querySelectorAll("summary > a")) {
    const summary = link.parentElement;
    const name = document.createElement("span");
    name.append(...[...link.childNodes].map((node) => node.cloneNode(true)));
    link.replaceChildren(`All of ${name.textContent}`);
    const item = document.createElement("li");
    item.append(link);
    summary.append(name);
    summary.nextElementSibling.querySelector("ul").prepend(item);
  }
}

if (list !== null) {
  // TypeDoc's own script fills the list once it has the names.
  new MutationObserver(moveLinks).observe(list, { childList: true, subtree: true });
  moveLinks();
}
