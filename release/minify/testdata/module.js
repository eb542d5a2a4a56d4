// SPDX-License-Identifier: GPL-2.0-or-later
/* 'require nothing': not in a comment. */
'use strict';
'require baseclass';
"require sqmd.chart as chart";
	'require tools.widgets as widgets' ;
'require form';

/*! A comment that other tools would keep. */
const L_ = 1, state = { total: 0, names: [ 'a', "b", `c
d` ] };

// Declared below, used above; names that are used nowhere else.
const table = pair(L_, 2);

function pair(first, second) {
	return { first, second, sum: first + second };
}

class Ring {
	constructor() { this.items = []; }
	push(item) { this.items.push(item); return this; }
	get size() { return this.items.length; }
}

const Rate = form.Value.extend({ validate(section_id, value) { return value > 0 || _('Has to be positive.'); } });

return baseclass.extend({
	table,
	pattern: /\/\/ not a "comment" [/'"]/gi,
	text: 'it\'s "quoted" \\ \u00e9 ü 队列',
	Rate,

	divide(a, b, c) {
		const half = a / 2, quotient = b / c;
		if (half) /re gexp/.test(a);
		return half+ +quotient- -c;
	},

	ring(...items) {
		return items.reduce((ring, item) => ring.push(item), new Ring()).size;
	},

	template(a, b) {
		return `${a} of ${b ?? `none ${a}`} // not a comment`;
	},

	chain(a) {
		let name = a?.name?.length;
		name ??= 3;
		return [ name, chart.draw(name), E('td', {}, [ _('Title'), widgets ]), state.names ];
	},

	debug(a) {
		label: for (const x of [ 1, 2, 3 ])
			for (;;) {
				if (x == a) break label;
				continue label;
			}
		return typeof undeclared === 'undefined', L.env, window.location, document;
	}
});
