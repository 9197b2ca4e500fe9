/* SPDX-License-Identifier: MIT */
// The search over NAMES (names.js: [name, kind, address, text]), and hints of pictures.

(function () {
  const root = document.body.dataset.root;

  // --- search

  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const LIMIT = 40;
  let chosen = -1;

  // Lower is better; -1: does not match. Every word must occur in the name, its kind, protocol or text.
  function rank(entry, words) {
    const name = entry[0].toLowerCase();
    const own = name.slice(name.lastIndexOf(".") + 1);
    const all = name + " " + entry[1] + " " + entry[2].split("/")[0] + " " + entry[3].toLowerCase();
    let sum = entry[1] === "transition" ? 2 : 0;
    for (const word of words) {
      if (name === word) sum += 0;
      else if (own === word) sum += 1;
      else if (name.startsWith(word)) sum += 3;
      else if (own.startsWith(word)) sum += 4;
      else if (name.includes(word)) sum += 6;
      else if (all.includes(word)) sum += 20;
      else return -1;
    }
    return sum;
  }

  function choose(index) {
    const items = list.querySelectorAll("li.item");
    if (!items.length) return;
    chosen = (index + items.length) % items.length;
    items.forEach((item, number) => item.classList.toggle("chosen", number === chosen));
    items[chosen].scrollIntoView({ block: "nearest" });
  }

  function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = words.length === 0;
    chosen = -1;
    if (!words.length) return;
    const found = NAMES.map((entry, index) => ({ entry, index, rank: rank(entry, words) }))
      .filter((item) => item.rank >= 0)
      .sort((a, b) => a.rank - b.rank || a.entry[0].length - b.entry[0].length || a.index - b.index);
    for (const { entry } of found.slice(0, LIMIT)) {
      const link = document.createElement("a");
      link.href = root + entry[2];
      const kind = document.createElement("i");
      kind.textContent = "  " + entry[1] + ", " + entry[2].split("/")[0] + (entry[3] ? " – " + entry[3] : "");
      link.append(entry[0], kind);
      const item = document.createElement("li");
      item.className = "item";
      item.append(link);
      list.append(item);
    }
    if (!found.length || found.length > LIMIT) {
      const item = document.createElement("li");
      item.className = "nothing";
      item.textContent = found.length ? found.length - LIMIT + " more" : "no such name";
      list.append(item);
    }
    choose(0);
  }

  function close() {
    list.hidden = true;
  }

  input.addEventListener("input", search);
  input.addEventListener("focus", search);
  input.addEventListener("keydown", function (event) {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Escape") input.blur(), close();
    else if (event.key === "Enter") {
      const link = list.querySelector("li.chosen a");
      if (link && !list.hidden) {
        location.href = link.href;
        close();
        input.blur();
      }
    } else return;
    event.preventDefault();
  });
  list.addEventListener("click", close);
  document.addEventListener("click", function (event) {
    if (!event.target.closest(".search")) close();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && event.target !== input) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });

  // --- pictures: browsers show a <title>, not the attribute Graphviz writes

  for (const link of document.querySelectorAll(".picture a[data-title]")) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = link.dataset.title;
    link.prepend(title);
  }
  for (const title of document.querySelectorAll(".picture .graph > title, .picture .node > title, .picture .edge > title, .picture .cluster > title")) {
    title.remove();
  }

  // A transition's address opened from elsewhere may stand in a closed list.
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest("details");
  if (details) {
    details.open = true;
    target.scrollIntoView();
  }
})();
