// The head of the page: title, verdict, warnings, and the panel with evidence, summary and model.
import { h, icon, button } from './dom.js';
import { formatQuantity, count } from './format.js';
import { makeComparison } from './compare.js';
import { runName } from './timeplot.js';

/** Levels of verdict and evidence: never by colour alone. */
export const LEVELS = {
    good: { word: 'Good', icon: 'check' },
    notice: { word: 'Notice', icon: 'info' },
    bad: { word: 'Problem', icon: 'warn' },
};

/** A badge for a level, with a sign and a word. */
export function levelBadge(level, short = false) {
    const known = LEVELS[level] ? level : 'notice';
    return h(
        `span.badge.${known}${short ? '.short' : ''}`,
        {},
        icon(LEVELS[known].icon),
        h('span', {}, LEVELS[known].word),
    );
}

const quantity = (item) => formatQuantity(item.value ?? null, item.unit);

const ORDER = ['bad', 'notice', 'good']; // what asks for attention stands first

/** The explanation of a check, unfolded under its row. */
function explanation({ explanation: e, level }) {
    const parts = [
        ['What was measured', e.measured],
        ['Why it matters', e.matters],
        ['Where the limits are', e.limits],
        [level === 'good' ? 'What to do if it is not good' : 'What to do', e.remedy],
    ];
    return h(
        'dl.explanation',
        {},
        parts.map(([question, answer]) =>
            h('div', {}, h('dt', {}, question), h('dd', {}, answer)),
        ),
    );
}

function check(e) {
    return h(
        'details.check',
        {},
        h(
            'summary',
            {},
            icon('chevron'),
            h('span.label', {}, e.label),
            h('span.number', {}, quantity(e)),
            levelBadge(e.level, true),
            h('span.text', {}, e.text ?? ''),
        ),
        explanation(e),
    );
}

function evidenceList(run) {
    if (!run.evidence.length)
        return h('p.empty', {}, 'The file carries no evidence: the run did not reach its end.');
    const rank = (e) => ORDER.indexOf(LEVELS[e.level] ? e.level : 'notice');
    const rows = [...run.evidence].sort((a, b) => rank(a) - rank(b));
    return h(
        'div.evidence',
        {},
        h(
            'p.lead',
            {},
            'Each row is a check of this run, with the number found and what it says. ' +
                'A click on a row tells what is behind it. Good: nothing to do. Notice: usable, ' +
                'with something to know. Problem: do not trust the run before this is understood.',
        ),
        rows.map(check),
    );
}

function summaryList(run, generator) {
    const items = run.summary.map((s) => [s.label, quantity(s)]);
    if (run.file) items.unshift(['File', run.file]);
    if (run.version) items.push(['Version', run.version]);
    if (generator) items.push(['Page written by', generator]);
    return h(
        'div',
        {},
        run.command ? h('p.command', {}, h('code', {}, run.command)) : null,
        h(
            'dl.summary',
            {},
            items.map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, v))),
        ),
    );
}

function warningList(run, notes) {
    const list = (texts) =>
        h(
            'ul.warnings',
            {},
            texts.map((w) => h('li', {}, w)),
        );
    return h(
        'div',
        {},
        run.warnings.length ? list(run.warnings) : h('p.empty', {}, 'No warnings.'),
        h('h3', {}, 'About the picture'),
        list(notes),
    );
}

/**
 * @param {HTMLElement} host
 * @param {{store: object, theme: object, viewport: object, generator: string, help: Function}} app
 */
export function makeHeader(host, app) {
    const { store, theme } = app;
    const title = h('h1');
    const sub = h('span.sub');
    const verdict = h('div.verdict', { role: 'status' });
    const panel = h('div.details', { hidden: true, id: 'percuss-details' });
    const toggle = button({
        icon: 'chevron',
        text: 'Details',
        label: 'Evidence, run summary, warnings and model file',
        key: 'd',
        cls: 'details-toggle',
        onclick: () => setOpen(panel.hidden),
    });
    toggle.setAttribute('aria-expanded', 'false');
    toggle.setAttribute('aria-controls', 'percuss-details');
    const warn = button({
        icon: 'warn',
        text: 'Warnings',
        label: 'Warnings',
        cls: 'warn-count',
        onclick: () => show('warnings'),
    });
    const themeButton = button({
        icon: 'sun',
        label: 'Light or dark',
        cls: 'ghost',
        onclick: theme.toggle,
    });
    const help = button({ icon: 'help', label: 'Help', key: '?', cls: 'ghost', onclick: app.help });
    host.append(
        h(
            'div.head-row',
            {},
            h('div.titles', {}, title, sub),
            h('span.spacer'),
            warn,
            toggle,
            themeButton,
            help,
        ),
        verdict,
        panel,
    );

    // ---- The panel ----
    const tabs = [
        { id: 'evidence', text: 'Evidence', body: () => evidenceList(store.run) },
        { id: 'summary', text: 'Run summary', body: () => summaryList(store.run, app.generator) },
        {
            id: 'warnings',
            text: 'Warnings and notes',
            body: () => warningList(store.run, app.viewport().info()),
        },
        {
            id: 'model',
            text: 'Model file',
            body: () =>
                store.run.model
                    ? h('pre.model', { tabindex: '0' }, store.run.model)
                    : h('p.empty', {}, 'The file holds no model.'),
        },
    ];
    if (store.comparing)
        tabs.unshift({ id: 'compare', text: 'Side by side', body: () => makeComparison(store) });
    let current = tabs[0].id;
    const body = h('div.tab-body', { role: 'tabpanel', tabindex: '0' });
    const bar = h(
        'div.tabs',
        { role: 'tablist', 'aria-label': 'Details' },
        tabs.map((t) =>
            h(
                'button',
                {
                    type: 'button',
                    role: 'tab',
                    'data-tab': t.id,
                    onclick: () => show(t.id),
                    onkeydown: (event) => {
                        const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
                        if (!move) return;
                        event.stopPropagation();
                        const i =
                            (tabs.findIndex((x) => x.id === current) + move + tabs.length) %
                            tabs.length;
                        show(tabs[i].id);
                        bar.children[i].focus();
                    },
                },
                t.text,
            ),
        ),
    );
    panel.append(bar, body);

    function fill() {
        for (const b of bar.children) {
            const on = b.dataset.tab === current;
            b.setAttribute('aria-selected', on ? 'true' : 'false');
            b.tabIndex = on ? 0 : -1;
        }
        body.setAttribute('aria-label', tabs.find((t) => t.id === current).text);
        body.replaceChildren(tabs.find((t) => t.id === current).body());
        body.scrollTop = 0;
    }

    function setOpen(open) {
        panel.hidden = !open;
        toggle.setAttribute('aria-expanded', open ? 'true' : 'false');
        if (open) fill();
    }

    function show(id) {
        current = id;
        setOpen(true);
    }

    // "3 bodies"; the points of systems stand among the bodies as SYSTEM.POINT, and are none.
    function contents(run) {
        const bodies = run.bodyNames.filter((name) => !name.includes('.')).length;
        const meshes = run.raw.meshes?.items?.length ?? 0;
        if (bodies === 0 && run.bodyCount > 0) return 'from formulas';
        const words = [];
        if (bodies > 0 || meshes === 0) words.push(bodies === 1 ? '1 body' : `${bodies} bodies`);
        if (meshes > 0) words.push(meshes === 1 ? '1 mesh' : `${meshes} meshes`);
        return words.join(', ');
    }

    function update() {
        const { run } = store;
        title.textContent = store.comparing ? `Comparison of ${store.runs.length} runs` : run.title;
        document.title = `${title.textContent} \u2013 Percuss`;
        const kind = run.dimension === 2 ? 'planar' : 'spatial';
        sub.textContent = store.comparing
            ? run.title
            : [run.file, `${kind}, ${contents(run)}`]
                  .filter(Boolean)
                  .join(' \u00b7 ');
        verdict.replaceChildren(
            levelBadge(run.verdict.level),
            h(
                'span.verdict-text',
                {},
                store.comparing ? h('strong', {}, `${runName(run)}: `) : null,
                run.verdict.text || '',
            ),
        );
        if (!run.complete) verdict.append(h('span.incomplete', {}, 'The run is not complete.'));
        const n = run.warnings.length;
        warn.hidden = n === 0;
        warn.querySelector('span').textContent = count(n, 'warning');
        if (!panel.hidden) fill();
    }
    store.runChanged.on(update);
    update();
    return {
        toggle: () => setOpen(panel.hidden),
        close: () => setOpen(false),
        isOpen: () => !panel.hidden,
        show,
        refresh: () => {
            if (!panel.hidden) fill();
        },
    };
}
