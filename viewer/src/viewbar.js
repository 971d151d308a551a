// The tools on top of the picture: bodies, views, what is shown; and the legend of the contacts.
import { h, button, popover, setPressed } from './dom.js';
import { makeBodyList } from './bodies.js';
import { makeColorBar } from './colorbar.js';
import { CONTACT_STATES } from './contacts.js';
import { formatQuantity } from './format.js';

const FORMS = { dot: '\u25cf', diamond: '\u25c6', cube: '\u25a0' };
const VIEWS = [
    ['front', 'Front'],
    ['side', 'Side'],
    ['top', 'Top'],
    ['iso', 'Iso'],
];

/**
 * @param {HTMLElement} host
 * @param {{store: object, theme: object, viewport: object}} app
 */
export function makeViewBar(host, app) {
    const { store, theme, viewport } = app;
    const legend = h('div.contact-legend', { 'aria-label': 'Contact states' });

    const bodiesButton = button({
        icon: 'list',
        text: 'Bodies',
        label: 'List of bodies',
        key: 'b',
        onclick: () => {},
    });
    const bodiesPanel = h('div.menu.bodies', {});
    const bodies = makeBodyList(bodiesPanel, app);
    const bodiesPop = popover(bodiesButton, bodiesPanel, () => {
        bodies.refresh();
        bodiesPanel.querySelector('input:not([hidden]), button')?.focus();
    });

    const views = h(
        'div.segments',
        { role: 'group', 'aria-label': 'View' },
        VIEWS.map(([id, text]) =>
            button({
                text,
                label: `${text} view`,
                cls: 'segment',
                onclick: () => {
                    viewport.show(id);
                    mark();
                },
            }),
        ),
    );
    const mark = () =>
        [...views.children].forEach((b, i) => setPressed(b, viewport.view === VIEWS[i][0]));
    const fit = button({
        icon: 'fit',
        label: 'Fit the motion into the view',
        key: 'f',
        onclick: () => viewport.fit(),
    });

    const showButton = button({
        icon: 'layers',
        text: 'Show',
        label: 'What is shown',
        onclick: () => {},
    });
    const showPanel = h('div.menu.show', {});
    popover(showButton, showPanel, fillShow);

    function option(text, name, enabled = true) {
        return h(
            'label.option',
            {},
            h('input', {
                type: 'checkbox',
                checked: viewport.get(name),
                disabled: !enabled,
                onchange: (e) => {
                    viewport.set(name, e.target.checked);
                    updateLegend();
                },
            }),
            h('span', {}, text),
        );
    }

    function fillShow() {
        const contacts = viewport.hasContacts;
        showPanel.replaceChildren(
            option('Contact points', 'points', contacts),
            option('Open contacts', 'open', contacts),
            option('Contact forces', 'forces', contacts),
            option('Joints and points', 'joints'),
            ...(viewport.hasEdges ? [option('Edges of elements', 'edges')] : []),
            option('Trail of the selected body', 'trails'),
            option('Follow the selected body', 'follow'),
            option('Smooth motion between frames', 'interpolate'),
            h(
                'label.option',
                {},
                h('input', {
                    type: 'checkbox',
                    checked: viewport.orthographic,
                    onchange: (e) => viewport.setOrthographic(e.target.checked),
                }),
                h('span', {}, 'Orthographic'),
            ),
        );
    }

    function updateLegend() {
        legend.hidden = !viewport.hasContacts;
        if (legend.hidden) return;
        const states = CONTACT_STATES.filter((s, i) =>
            i === 0 ? viewport.get('open') : viewport.get('points'),
        );
        const entries = states.map((s) => {
            const sign = h('span.state-sign', { 'aria-hidden': 'true' }, FORMS[s.form]);
            sign.style.color = theme.colors[s.color];
            return h('span.legend-entry', {}, sign, s.name);
        });
        if (viewport.get('forces') && viewport.referenceForce > 0) {
            const sign = h('span.state-sign', { 'aria-hidden': 'true' }, '\u2192');
            sign.style.color = theme.colors.force;
            entries.push(
                h(
                    'span.legend-entry',
                    {
                        title:
                            'Force on the second body of the contact. The length grows with the root of the force; ' +
                            'the full length stands for the force that 95 of 100 closed contacts do not exceed.',
                    },
                    sign,
                    `force, full length ${formatQuantity(viewport.referenceForce, 'N', 2)}`,
                ),
            );
        }
        legend.replaceChildren(...entries);
        if (!entries.length) legend.hidden = true;
    }

    if (viewport.available) {
        host.append(
            h(
                'div.view-tools',
                {},
                h('div.anchor', {}, bodiesButton, bodiesPanel),
                h('span.spacer'),
                views,
                fit,
                h('div.anchor.right', {}, showButton, showPanel),
            ),
            legend,
        );
        makeColorBar(host, app);
        mark();
    } else host.append(h('div.view-tools', {}, h('div.anchor', {}, bodiesButton, bodiesPanel)));
    const note = h(
        'div.view-note',
        { role: 'status' },
        'The file holds no frames, so there is nothing to draw.',
    );
    const updateNote = () => {
        note.hidden = !viewport.available || store.run.frameCount > 0;
    };
    host.append(note);
    updateNote();
    theme.changed.on(updateLegend);
    store.runChanged.on(() => {
        updateLegend();
        updateNote();
        mark();
    });
    updateLegend();
    return {
        openBodies: bodiesPop.open,
        show(view) {
            viewport.show(view);
            mark();
        },
    };
}
