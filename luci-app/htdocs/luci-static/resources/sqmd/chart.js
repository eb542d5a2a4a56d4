// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';

const width = 600, height = 120;

let charts = 0;

function svg(tag, attributes, children) {
	const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
	for (const name in attributes)
		node.setAttribute(name, attributes[name]);
	node.append(...(children ?? []));
	return node;
}

// ceiling is the least of 1, 2 and 5 times a power of ten that is not below n.
function ceiling(n) {
	const power = Math.pow(10, Math.floor(Math.log10(n)));
	return [ 1, 2, 5, 10 ].map((m) => m * power).find((m) => m >= n) ?? n;
}

// path draws the values that there are; after a gap it starts anew.
function path(times, values, x, y, gap) {
	let d = '', last = -Infinity;
	times.forEach((t, i) => {
		if (values[i] == null)
			return;
		d += `${t - last > gap ? 'M' : 'L'}${x(t).toFixed(1)} ${y(values[i]).toFixed(1)}`;
		last = t;
	});
	return d;
}

function summary(values) {
	const known = values.filter((v) => v != null);
	return known.length ? [ known[known.length - 1], known.reduce((a, b) => a + b, 0) / known.length, Math.max(...known) ] : [ null, null, null ];
}

// numbers is the table that says the same as the drawing, and its cells.
function numbers(title, labels) {
	const cells = labels.map(() => [ 0, 1, 2 ].map(() => E('td')));
	return [ cells, E('details', [
		E('summary', [ _('Numbers') ]),
		E('table', { class: 'sqmd-numbers' }, [
			E('caption', { class: 'sqmd-hidden' }, [ title ]),
			E('tr', [ E('td'), ...[ _('now'), _('average'), _('highest') ].map((text) => E('th', { scope: 'col' }, [ text ])) ]),
			...labels.map((label, i) => E('tr', [ E('th', { scope: 'row' }, [ label ]), ...cells[i] ]))
		])
	]) ];
}

return baseclass.extend({
	// A chart over time: name identifies it, labels are those of its lines, unit
	// writes a value. Returns its node and update(), which takes the times, the
	// values of each line, the first and last time, how long a gap may be, and what
	// to write below the first time.
	create(name, title, labels, unit) {
		const id = `sqmd-chart-${++charts}`, fixed = { 'vector-effect': 'non-scaling-stroke' };
		const paths = labels.map((_label, i) => svg('path', { class: `sqmd-line sqmd-line-${i}`, ...fixed }));
		const grid = [ 0, 1, 2, 3, 4 ].map((i) => svg('path', { class: 'sqmd-grid', d: `M0 ${i * height / 4}H${width}`, ...fixed }));
		const desc = svg('desc', { id: `${id}-desc` });
		const drawing = svg('svg', {
			viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'data-chart': name, 'aria-labelledby': `${id}-title ${id}-desc`
		}, [ svg('title', { id: `${id}-title` }, [ title ]), desc, ...grid, ...paths ]);
		const top = E('span', { class: 'sqmd-top' }), start = E('span'), now = labels.map(() => E('span'));
		const [ cells, table ] = numbers(title, labels);
		const node = E('figure', { class: 'sqmd-chart' }, [
			E('figcaption', [
				E('strong', [ title ]),
				...labels.map((label, i) => E('span', { class: 'sqmd-legend' }, [ E('i', { class: `sqmd-swatch sqmd-line-${i}` }), label, ' ', now[i] ]))
			]),
			E('div', { class: 'sqmd-plot', dir: 'ltr' }, [ top, drawing, E('div', { class: 'sqmd-axis' }, [ start, E('span', [ _('now') ]) ]) ]),
			table
		]);
		const update = ({ times, lines, from, to, gap, since }) => {
			const all = lines.map(summary), most = ceiling(Math.max(1, ...all.map((s) => s[2])));
			const x = (t) => (t - from) / (to - from) * width, y = (v) => height - Math.min(v / most, 1) * height;
			lines.forEach((values, i) => {
				paths[i].setAttribute('d', path(times, values, x, y, gap));
				now[i].textContent = unit(all[i][0]);
				all[i].forEach((v, j) => { cells[i][j].textContent = unit(v); });
			});
			top.textContent = unit(most);
			start.textContent = since;
			desc.textContent = labels.map((label, i) => _('%s: now %s, highest %s.').format(label, unit(all[i][0]), unit(all[i][2]))).join(' ');
		};
		return { node, update };
	}
});
