// Search in the manual, from the index that tools/manual writes (search-index.js), and the menu of
// narrow screens. An entry is [page title, heading, address, text].
"use strict";
(function () {
    const MOST = 12;
    const field = document.getElementById("ui-search");
    const list = document.getElementById("ui-results");
    const root = document.body.dataset.root;
    let chosen = -1;

    function words(text) {
        return text.toLowerCase().split(/\s+/).filter(Boolean);
    }

    // How well an entry fits: every word must occur; titles weigh more than text. 0: not at all.
    function score(entry, query) {
        const page = entry[0].toLowerCase(), heading = entry[1].toLowerCase(), text = entry[3].toLowerCase();
        let sum = 0;
        for (const word of query) {
            const part = (heading === word ? 40 : 0) + (heading.startsWith(word) ? 12 : 0) +
                (heading.includes(word) ? 10 : 0) + (page.includes(word) ? 6 : 0) + (text.includes(word) ? 1 : 0);
            if (part === 0)
                return 0;
            sum += part;
        }
        return sum;
    }

    function excerpt(text, query) {
        const at = Math.max(0, text.toLowerCase().indexOf(query[0]) - 40);
        return (at > 0 ? "..." : "") + text.slice(at, at + 120);
    }

    function show() {
        const query = words(field.value);
        list.replaceChildren();
        chosen = -1;
        list.hidden = query.length === 0;
        if (list.hidden)
            return;
        const hits = (window.percussIndex || [])
            .map(function (entry) { return [score(entry, query), entry]; })
            .filter(function (hit) { return hit[0] > 0; })
            .sort(function (a, b) { return b[0] - a[0]; })
            .slice(0, MOST);
        for (const [, entry] of hits) {
            const item = document.createElement("li"), link = document.createElement("a");
            const heading = document.createElement("b"), page = document.createElement("span");
            const text = document.createElement("small");
            link.href = root + entry[2];
            heading.textContent = entry[1] || entry[0];
            page.textContent = entry[1] && entry[1] !== entry[0] ? entry[0] : "";
            text.textContent = excerpt(entry[3], query);
            link.append(heading, page, text);
            item.append(link);
            list.append(item);
        }
        if (hits.length === 0) {
            const item = document.createElement("li");
            item.className = "nothing";
            item.textContent = "Nothing found";
            list.append(item);
        }
    }

    function choose(step) {
        const links = list.querySelectorAll("a");
        if (links.length === 0)
            return;
        chosen = (chosen + step + links.length) % links.length;
        links.forEach(function (link, i) { link.classList.toggle("chosen", i === chosen); });
        links[chosen].scrollIntoView({block: "nearest"});
    }

    field.addEventListener("input", show);
    field.addEventListener("keydown", function (event) {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            choose(event.key === "ArrowDown" ? 1 : -1);
        } else if (event.key === "Enter") {
            const links = list.querySelectorAll("a");
            if (links.length > 0)
                links[Math.max(chosen, 0)].click();
        } else if (event.key === "Escape") {
            field.value = "";
            show();
            field.blur();
        }
    });
    document.addEventListener("keydown", function (event) {
        if (event.key === "/" && document.activeElement !== field) {
            event.preventDefault();
            field.focus();
        }
    });
    document.addEventListener("click", function (event) {
        if (!event.target.closest(".search"))
            list.hidden = true;
    });
    const menu = document.getElementById("ui-menu");
    menu.addEventListener("click", function () {
        const open = document.body.classList.toggle("menu-open");
        menu.setAttribute("aria-expanded", String(open));
    });
    const contents = document.querySelector("nav.contents"), here = contents.querySelector(".present");
    if (here && here.offsetTop > contents.clientHeight)
        contents.scrollTop = here.offsetTop - contents.clientHeight / 2;
})();
