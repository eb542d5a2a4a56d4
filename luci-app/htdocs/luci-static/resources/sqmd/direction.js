// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.chart as chart';
'require sqmd.format as format';
'require sqmd.rpc as sqmd';
'require sqmd.samples as samples';
'require sqmd.states as states';

const kept = 300;

const headings = {
	name: [ _('Tin'), (v) => sqmd.str(v, 40) ],
	threshold_kbit: [ _('Threshold'), format.rate ],
	target_us: [ _('Target'), format.delay ],
	peak_us: [ _('Peak delay'), format.delay ],
	avg_us: [ _('Average delay'), format.delay ],
	sparse_us: [ _('Sparse delay'), format.delay ],
	sent_bytes: [ _('Sent'), format.bytes ],
	packets: [ _('Packets'), format.count ],
	drops: [ _('Drops'), format.count ],
	marks: [ _('Marks'), format.count ],
	backlog_bytes: [ _('Backlog'), format.bytes ]
};

const facts = {
	throughput_kbit: [ _('Now'), format.rate ],
	rate_kbit: [ _('Shaper'), (v) => v === 0 ? _('unlimited') : format.rate(v) ],
	configured_kbit: [ _('Configured'), (v) => v == null ? '' : format.rate(v) ],
	drops: [ _('Drops'), format.count ],
	marks: [ _('Marks'), format.count ],
	backlog_bytes: [ _('Backlog'), format.bytes ],
	qdisc: [ _('Queue'), (v) => sqmd.str(v, 40) ],
	recipe: [ _('Recipe'), (v) => sqmd.str(v, 60) ]
};

// tins is a table as `tc -s` has it: a column for each tin.
function tins(rows) {
	const names = Object.keys(headings).filter((name) => name == 'name' || rows.some((row) => row[name] != null));
	const cell = (row, name) => row[name] == null ? '–' : headings[name][1](row[name]);
	return E('table', { 'class': 'sqmd-numbers' }, names.map((name) => E('tr', {}, [
		E('th', { 'scope': name == 'name' ? 'col' : 'row' }, [ headings[name][0] ]),
		...rows.map((row) => E(name == 'name' ? 'th' : 'td', name == 'name' ? { 'scope': 'col' } : {}, [ cell(row, name) ]))
	])));
}

const ago = (s) => _('%s ago').format(format.duration(s));

// One direction of one queue: its state, numbers, charts and tins.
const Direction = baseclass.extend({
	__init__(device, name) {
		this.device = device;
		this.name = name;
		this.live = [];
		this.state = states.badge('unknown');
		this.reason = E('p', { 'class': 'sqmd-reason' });
		this.facts = E('dl', { 'class': 'sqmd-facts' });
		this.table = E('div', { 'class': 'sqmd-scroll', 'tabindex': '0', 'role': 'region', 'aria-label': _('Tins') });
		this.tin = E('select', { 'class': 'cbi-input-select', 'data-field': 'tin', 'aria-label': _('Tin'), 'change': () => this.draw() });
		this.throughput = chart.create({ name: 'throughput', title: _('Throughput'), labels: [ _('sent'), _('shaper') ], unit: format.rate, past: ago });
		this.delay = chart.create({ name: 'delay', title: _('Delay'), labels: [ _('peak'), _('average'), _('sparse') ], unit: format.delay, past: ago });
		this.losses = chart.create({ name: 'losses', title: _('Drops and marks per second'), labels: [ _('drops'), _('marks') ], unit: format.count, past: ago });
		this.charts = E('div', {}, [ this.throughput.node, this.tin, this.delay.node, this.losses.node ]);
		this.node = E('div', { 'class': 'sqmd-direction', 'data-direction': name }, [
			E('h4', {}, [ states.direction(name), ' ', this.state ]), this.reason, this.facts, this.charts,
			E('details', { 'open': '' }, [ E('summary', {}, [ _('Tins') ]), this.table ])
		]);
	},

	// Takes an answer of history: of minutes to show instead of the live samples,
	// of seconds to show before them.
	past(answer) {
		const past = samples.past(answer), first = this.live[0]?.t ?? Infinity;
		if (answer?.step_s == 60)
			this.minutes = past;
		else
			this.live = past.filter((s) => s.t < first).concat(this.live);
		this.draw();
	},

	// Shows what overview says about it at that time.
	update(now, direction, names) {
		if (this.count && now < this.count.t)
			this.live = [];
		const sample = samples.now(now, direction, names, this.count);
		this.count = sample.count;
		this.live = this.live.filter((s) => s.t > now - kept && s.t < now).concat([ sample ]);
		this.limit = sqmd.num(direction.rate_kbit) || null;
		this.now = now;
		states.set(this.state, sqmd.str(direction.state, 40) || 'unknown');
		this.reason.textContent = sqmd.str(direction.reason);
		this.facts.replaceChildren(...Object.entries(facts).map(([ name, [ label, write ] ]) => [ label, direction[name] == null ? '' : write(direction[name]) ])
			.filter(([ , text ]) => text).map(([ label, text ]) => E('div', {}, [ E('dt', {}, [ label ]), E('dd', {}, [ text ]) ])));
		const rows = samples.table(names, direction.tins);
		this.table.replaceChildren(rows.length ? tins(rows) : E('em', {}, [ _('none') ]));
		this.choose(rows.map((row) => row.name));
		this.draw();
	},

	choose(names) {
		const all = [ '', ...names ].join('\n');
		if (this.names === all)
			return;
		this.names = all;
		const value = names.includes(this.tin.value) ? this.tin.value : '';
		this.tin.replaceChildren(...[ '', ...names ].map((name) => E('option', { 'value': name }, [ name || _('highest of all tins') ])));
		this.tin.value = value;
		this.tin.hidden = names.length < 2;
	},

	// Shows the minutes of a day, or with false the live seconds again.
	range(day) {
		this.day = day;
		this.draw();
	},

	draw() {
		const list = this.day ? this.minutes ?? [] : this.live;
		const to = this.now ?? 0, tin = this.tin.value;
		const frame = { times: list.map((s) => s.t), from: to - (this.day ? 86400 : kept), to, gap: this.day ? 180 : 8 };
		const show = (of, ...lines) => of.update(Object.assign({ lines }, frame));
		const delay = (name) => list.map((s) => samples.delay(s, tin, name));
		show(this.throughput, list.map((s) => s.rate), list.map(() => this.limit));
		show(this.delay, delay('peak'), delay('avg'), delay('sparse'));
		show(this.losses, list.map((s) => s.drops), list.map((s) => s.marks));
		this.delay.node.hidden = !list.some((s) => s.tins.some((x) => x.peak != null));
		this.charts.hidden = !list.length;
	}
});

return baseclass.extend({
	create: (device, name) => new Direction(device, name)
});
