// Small helpers to build elements. Text always goes in as text, never as markup.

/**
 * Creates an element.
 * @param {string} tag may carry classes: "div.card.wide"
 * @param {object} [attributes] properties that start with "on" are listeners
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
    const [name, ...classes] = tag.split('.');
    const element = document.createElement(name);
    if (classes.length) element.className = classes.join(' ');
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'checked' || key === 'value' || key === 'disabled' || key === 'selected')
            element[key] = value;
        else element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat().filter((c) => c !== null && c !== undefined));
    return element;
}

const SVG = 'http://www.w3.org/2000/svg';

// Icons on a 16 x 16 grid: path data, drawn with a stroke or filled ("f" in front).
const ICONS = {
    play: 'f4 2.6v10.8c0 .5.5.8.9.5l8.6-5.4a.6.6 0 0 0 0-1L4.9 2.1c-.4-.3-.9 0-.9.5z',
    pause: 'f4 2.5h3v11H4zM9 2.5h3v11H9z',
    back: 'M10.5 3.5 5 8l5.5 4.5',
    forward: 'M5.5 3.5 11 8l-5.5 4.5',
    loop: 'M3 8a5 5 0 0 1 8.6-3.5L13 6M13 2.8V6H9.8' + 'M13 8a5 5 0 0 1-8.6 3.5L3 10M3 13.2V10h3.2',
    fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
    close: 'M4 4l8 8M12 4l-8 8',
    plus: 'M8 3v10M3 8h10',
    list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
    layers: 'M8 2 2 5.2l6 3.2 6-3.2zM2.5 8.3 8 11.2l5.5-2.9M2.5 11 8 13.9l5.5-2.9',
    sun:
        'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5' +
        'M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
    help:
        'M6 6a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.6v.2' +
        'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8',
    chevron: 'M4 6l4 4 4-4',
    edit: 'M3 13h2.2l7.6-7.6-2.2-2.2L3 10.8zM9.4 4.4l2.2 2.2',
    reset: 'M3.2 8a4.8 4.8 0 1 0 1.6-3.6L3 6M3 2.8V6h3.2',
    pin: 'M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5',
    check: 'M3.2 8.4l3.2 3.2 6.4-7',
    info: 'M8 7.2v4M8 4.8v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8',
    warn: 'M8 2.2 14.2 13H1.8zM8 6.4v3.2M8 11.3v.2',
};

/** An icon by its name; decorative, so hidden from screen readers. */
export function icon(name) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(SVG, 'path');
    const data = ICONS[name] || '';
    const filled = data.startsWith('f');
    path.setAttribute('d', filled ? `M${data.slice(1)}` : data);
    path.setAttribute('class', filled ? 'filled' : 'stroked');
    svg.append(path);
    return svg;
}

/**
 * A button with an icon, a text or both.
 * @param {{icon?: string, text?: string, label: string, key?: string, onclick: Function,
 *          pressed?: boolean, cls?: string}} options label: for screen readers and the tooltip
 */
export function button(options) {
    const element = h(
        'button',
        {
            type: 'button',
            class: options.cls || '',
            'aria-label': options.label,
            title: options.key ? `${options.label} (${options.key})` : options.label,
            onclick: options.onclick,
        },
        options.icon ? icon(options.icon) : null,
        options.text ? h('span', {}, options.text) : null,
    );
    if (options.pressed !== undefined) setPressed(element, options.pressed);
    return element;
}

/** State of a toggle button. */
export function setPressed(element, pressed) {
    element.setAttribute('aria-pressed', pressed ? 'true' : 'false');
}

/** Replaces the icon of a button. */
export function setIcon(element, name) {
    element.querySelector('svg').replaceWith(icon(name));
}

const MARGIN = 12; // px between an open panel and the edge of the page

/** Moves a panel sideways until all of it is on the page. */
function keepOnPage(panel) {
    panel.style.translate = '';
    const { left, right } = panel.getBoundingClientRect();
    const room = document.documentElement.clientWidth - MARGIN;
    const shift = left < MARGIN ? MARGIN - left : Math.min(0, room - right);
    if (shift) panel.style.translate = `${shift}px 0`;
}

/**
 * A panel that opens below a button and closes on Escape or a click elsewhere.
 * @param {HTMLElement} opener
 * @param {HTMLElement} panel
 * @param {Function} [onopen]
 */
export function popover(opener, panel, onopen) {
    panel.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
    opener.setAttribute('aria-haspopup', 'true');
    const set = (open) => {
        if (open === !panel.hidden) return;
        panel.hidden = !open;
        opener.setAttribute('aria-expanded', open ? 'true' : 'false');
        if (open && onopen) onopen();
        if (open) keepOnPage(panel);
    };
    opener.addEventListener('click', () => set(panel.hidden));
    document.addEventListener('pointerdown', (event) => {
        if (!panel.hidden && !panel.contains(event.target) && !opener.contains(event.target))
            set(false);
    });
    document.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || panel.hidden) return;
        const inside = panel.contains(document.activeElement);
        set(false);
        if (inside) opener.focus();
        event.preventDefault(); // the page's own Escape (keyboard.js) is not meant
    });
    return { open: () => set(true), close: () => set(false), isOpen: () => !panel.hidden };
}

/** Resolves when what has been built so far is on the screen. */
export function nextFrame() {
    return new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve));
    });
}
