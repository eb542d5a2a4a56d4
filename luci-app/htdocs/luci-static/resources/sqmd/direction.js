// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.chart as chart';
'require sqmd.format as format';
'require sqmd.rpc as sqmd';
'require sqmd.samples as samples';
'require sqmd.states as states';

const { str } = sqmd;
const { rate, delay, bytes, count } = format;

const kept = 300, day = 86400;

// What is said of a tin and of a direction, and how it is written.
const columns = {
	name: [ _('Tin'), str ],
	threshold_kbit: [ _('Threshold'), rate ],
	target_us: [ _('Target'), delay ],
	peak_us: [ _('Peak delay'), delay ],
	avg_us: [ _('Average delay'), delay ],
	sparse_us: [ _('Sparse delay'), delay ],
	sent_bytes: [ _('Sent'), bytes ],
	packets: [ _('Packets'), count ],
	drops: [ _('Drops'), count ],
	marks: [ _('Marks'), count ],
	backlog_bytes: [ _('Backlog'), bytes ]
};

const facts = {
	throughput_kbit: [ _('Now'), rate ],
	rate_kbit: [ _('Shaper'), (v) => v === 0 ? _('unlimited') : rate(v) ],
	configured_kbit: [ _('Configured'), rate ],
	drops: columns.drops,
	marks: columns.marks,
	backlog_bytes: columns.backlog_bytes,
	qdisc: [ _('Queue'), str ],
	recipe: [ _('Recipe'), str ]
};

// table shows tins as `tc -s` does: a column for each.
const table = (rows) => E('table', { class: 'sqmd-numbers' }, Object.entries(columns).filter(([ name ]) => rows.some((row) => row[name] != null))
	.map(([ name, [ label, write ] ], i) => E('tr', [
		E('th', { scope: i ? 'row' : 'col' }, [ label ]),
		...rows.map((row) => E(i ? 'td' : 'th', [ row[name] == null ? '–' : write(row[name]) ]))
	])));

// One direction of one queue: its state, numbers, charts and tins.
const Direction = baseclass.extend({
	__init__(device, name) {
		this.device = device;
		this.name = name;
		this.live = [];
		this.minutes = [];
		this.state = states.badge('unknown');
		this.reason = E('p');
		this.facts = E('dl', { class: 'sqmd-facts' });
		this.tins = E('div', { class: 'sqmd-scroll', tabindex: 0, role: 'region', 'aria-label': _('Tins') });
		this.tin = E('select', { class: 'cbi-input-select', 'data-field': 'tin', 'aria-label': _('Tin'), change: () => this.draw() });
		this.throughput = chart.create('throughput', _('Throughput'), [ _('sent'), _('shaper') ], rate);
		this.delay = chart.create('delay', _('Delay'), [ _('peak'), _('average'), _('sparse') ], delay);
		this.losses = chart.create('losses', _('Drops and marks per second'), [ _('drops'), _('marks') ], count);
		this.charts = E('div', [ this.throughput.node, this.tin, this.delay.node, this.losses.node ]);
		this.node = E('div', { class: 'sqmd-direction', 'data-direction': name }, [
			E('h4', [ states.direction(name), ' ', this.state ]), this.reason, this.facts, this.charts,
			E('details', { open: '' }, [ E('summary', [ _('Tins') ]), this.tins ])
		]);
	},

	// Takes an answer of history: of minutes for the chart of a day, of seconds to
	// show before what is live.
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
		const rows = samples.table(names, direction.tins);
		const sample = samples.now(now, direction, rows, this.count);
		this.live = this.live.filter((s) => s.t > now - kept && s.t < now).concat([ sample ]);
		this.count = sample.count;
		this.limit = sqmd.num(direction.rate_kbit) || null;
		this.now = now;
		states.set(this.state, str(direction.state));
		this.reason.textContent = str(direction.reason);
		this.facts.replaceChildren(...Object.entries(facts).filter(([ name ]) => direction[name] != null)
			.map(([ name, [ label, write ] ]) => E('div', [ E('dt', [ label ]), E('dd', [ write(direction[name]) ]) ])));
		this.tins.replaceChildren(rows.length ? table(rows) : _('none'));
		this.choose(rows.map((row) => row.name));
		this.draw();
	},

	choose(names) {
		const all = [ '', ...names ];
		if (this.names === all.join('\n'))
			return;
		this.names = all.join('\n');
		const value = names.includes(this.tin.value) ? this.tin.value : '';
		this.tin.replaceChildren(...all.map((name) => E('option', { value: name }, [ name || _('highest of all tins') ])));
		this.tin.value = value;
		this.tin.hidden = names.length < 2;
	},

	// Shows the minutes of a day, or with false the live seconds again.
	range(daily) {
		this.daily = daily;
		this.draw();
	},

	draw() {
		const all = this.daily ? this.minutes : this.live, to = this.now ?? 0;
		const frame = { times: all.map((s) => s.t), to, ...(this.daily
			? { from: to - day, gap: 180, since: _('24 hours ago') } : { from: to - kept, gap: 8, since: _('5 minutes ago') }) };
		const show = (of, ...lines) => of.update({ lines, ...frame });
		const delays = (name) => all.map((s) => samples.delay(s, this.tin.value, name));
		show(this.throughput, all.map((s) => s.rate), all.map(() => this.limit));
		show(this.delay, delays('peak'), delays('avg'), delays('sparse'));
		show(this.losses, all.map((s) => s.drops), all.map((s) => s.marks));
		this.delay.node.hidden = !all.some((s) => s.tins.some((x) => x.peak != null));
	}
});

return baseclass.extend({
	create: (device, name) => new Direction(device, name)
});
