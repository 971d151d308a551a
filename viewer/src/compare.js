// The compare page: names for its runs, the choice of the run in the 3D view, and the table that
// puts summaries and evidence side by side.
import { h, button, icon, setPressed } from './dom.js';
import { formatQuantity } from './format.js';
import { seriesColor } from './theme.js';
import { runName } from './timeplot.js';
import { LEVELS } from './summary.js';

/** Gives every run a short name that no other one has. */
export function nameRuns(runs) {
    const base = runs.map((r) => r.file.replace(/\.h5$/, '') || r.title);
    const used = new Map();
    runs.forEach((run, i) => {
        const same = base.filter((b) => b === base[i]).length;
        const n = (used.get(base[i]) || 0) + 1;
        used.set(base[i], n);
        run.name = same > 1 ? `${base[i]} (${n})` : base[i];
    });
}

/** All labels of a list that the runs have, in order of their first appearance. */
function labelsOf(runs, key) {
    const labels = [];
    for (const run of runs)
        for (const item of run[key]) if (!labels.includes(item.label)) labels.push(item.label);
    return labels;
}

function cell(item) {
    if (!item) return h('td.number', {}, '\u2013');
    const level = LEVELS[item.level];
    const mark =
        level && item.level !== 'good'
            ? h(
                  `span.level-mark.${item.level}`,
                  { title: `${level.word}: ${item.text ?? ''}` },
                  icon(level.icon),
              )
            : null;
    return h('td.number', {}, mark, formatQuantity(item.value ?? null, item.unit));
}

function section(store, title, key) {
    const labels = labelsOf(store.runs, key);
    if (!labels.length) return [];
    return [
        h(
            'tr.section',
            {},
            h('th', { colspan: String(store.runs.length + 1), scope: 'colgroup' }, title),
        ),
        ...labels.map((label) =>
            h(
                'tr',
                {},
                h('th', { scope: 'row' }, label),
                store.runs.map((run) => cell(run[key].find((i) => i.label === label))),
            ),
        ),
    ];
}

/** Table of all runs: verdicts, evidence, summaries. */
export function makeComparison(store) {
    const verdicts = store.runs.map((run) => {
        const level = LEVELS[run.verdict.level] ? run.verdict.level : 'notice';
        return h(
            'td',
            { title: run.verdict.text },
            h(
                `span.badge.${level}`,
                {},
                icon(LEVELS[level].icon),
                h('span', {}, LEVELS[level].word),
            ),
        );
    });
    return h(
        'div.compare-scroll',
        {},
        h(
            'table.compare',
            {},
            h(
                'thead',
                {},
                h(
                    'tr',
                    {},
                    h('td'),
                    store.runs.map((run) =>
                        h(
                            'th',
                            { scope: 'col' },
                            h('span.run-swatch', { 'data-run': String(run.index) }),
                            runName(run),
                        ),
                    ),
                ),
            ),
            h(
                'tbody',
                {},
                h('tr', {}, h('th', { scope: 'row' }, 'Verdict'), verdicts),
                section(store, 'Evidence', 'evidence'),
                section(store, 'Run summary', 'summary'),
            ),
        ),
    );
}

/**
 * Bar with one button for each run and the switch for ghosts.
 * @param {HTMLElement} host
 * @param {{store: object, theme: object}} app
 */
export function makeRunBar(host, { store, theme }) {
    if (!store.comparing) return;
    const buttons = store.runs.map((run) =>
        h(
            'button',
            {
                type: 'button',
                role: 'radio',
                class: 'run-choice',
                title: run.title,
                onclick: () => store.setRun(run.index),
            },
            h('span.run-swatch', { 'data-run': String(run.index) }),
            h('span', {}, runName(run)),
        ),
    );
    const ghosts = button({
        text: 'Ghosts',
        label: 'Show the other runs as ghosts',
        key: 'g',
        pressed: false,
        onclick: () => store.setGhosts(!store.ghosts),
    });
    host.append(
        h(
            'div.run-bar',
            {},
            h(
                'div.run-choices',
                { role: 'radiogroup', 'aria-label': 'Run in the 3D view' },
                buttons,
            ),
            h('span.spacer'),
            ghosts,
        ),
    );
    function update() {
        buttons.forEach((b, i) =>
            b.setAttribute('aria-checked', store.run.index === i ? 'true' : 'false'),
        );
        setPressed(ghosts, store.ghosts);
    }
    function recolor() {
        const rules = store.runs.map(
            (r) =>
                `.run-swatch[data-run="${r.index}"]{background:${seriesColor(theme.colors, r.index)}}`,
        );
        style.textContent = rules.join('\n');
    }
    const style = h('style');
    document.head.append(style);
    store.runChanged.on(update);
    store.ghostsChanged.on(update);
    theme.changed.on(recolor);
    update();
    recolor();
}
