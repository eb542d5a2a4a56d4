// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require dom';
'require poll';
'require view';
'require sqmd.direction as direction';
'require sqmd.format as format';
'require sqmd.page as page';
'require sqmd.report as report';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

const { num, str, objects } = sqmd;

const link = (l) => L.isObject(l)
	? [ l.carrier === true ? _('link up') : _('no link'), num(l.speed_mbit) > 0 ? format.rate(l.speed_mbit * 1000) : '' ].filter(Boolean).join(', ')
	: _('device missing');

const names = (q) => objects(q.directions).map((d) => str(d.direction)).sort();

// What makes a card: while it stays the same the card is only brought up to date.
const shape = (q) => JSON.stringify([ q.queue, q.device, names(q) ]);

function card(q) {
	const parts = new Map(names(q).map((name) => [ name, direction.create(str(q.device), name) ]));
	const about = E('small'), badge = states.badge('unknown'), findings = E('div');
	const node = E('div', { class: 'cbi-section sqmd-card', 'data-queue': str(q.queue), 'data-device': str(q.device) }, [
		E('h3', [ str(q.queue), ' ', about, ' ', badge ]), findings,
		E('div', { class: 'sqmd-directions' }, [ ...parts.values() ].map((p) => p.node))
	]);
	const update = (now, tins, q) => {
		about.textContent = [ str(q.device), link(q.link) ].join(', ');
		states.set(badge, states.worst(q));
		findings.replaceChildren(page.findings(q.findings));
		objects(q.directions).forEach((d) => parts.get(str(d.direction)).update(now, d, tins));
	};
	return { node, update, parts: [ ...parts.values() ], key: shape(q) };
}

const history = (parts, step) => parts.forEach((p) => sqmd.history(p.device, p.name, step).then((answer) => p.past(answer), () => null));

return view.extend({
	handleSave: null,
	handleSaveApply: null,
	handleReset: null,

	load() {
		return sqmd.soon(sqmd.overview()).catch((error) => ({ error }));
	},

	render(answer) {
		this.cards = null;
		this.banner = E('div');
		this.top = E('p');
		this.said = E('div', { class: 'sqmd-hidden', 'aria-live': 'polite' });
		this.list = E('div');
		this.found = E('div', { 'data-findings': '' });
		this.show(answer);
		this.doctor();
		poll.add(() => this.poll(), 2);
		return E('div', { class: 'sqmd' }, [
			page.style(),
			E('h2', [ _('Traffic shaping') ]),
			this.banner, this.top, this.said,
			E('div', { class: 'sqmd-bar' }, [ this.chooser(), ' ', page.button('support', _('Support report'), 'cbi-button-action', () => report.show()) ]),
			this.list,
			E('div', { class: 'cbi-section' }, [
				E('h3', [ _('What spoils shaping') ]), this.found, page.button('doctor', _('Look again'), '', () => this.doctor())
			])
		]);
	},

	chooser() {
		return E('label', [ _('Charts of the last'), ' ', E('select', {
			class: 'cbi-input-select', 'data-field': 'range', change: (ev) => this.range(ev.target.value == 'day')
		}, [ E('option', { value: 'live' }, [ _('5 minutes') ]), E('option', { value: 'day' }, [ _('24 hours') ]) ]) ]);
	},

	range(daily) {
		const parts = (this.cards ?? []).flatMap((c) => c.parts);
		this.daily = daily;
		parts.forEach((p) => p.range(daily));
		if (daily)
			history(parts, 60);
	},

	poll() {
		const asked = Date.now();
		return sqmd.overview().catch((error) => ({ error })).then((answer) => {
			this.show(answer);
			if (Date.now() - asked > 4000)
				this.warn('code 7');
		});
	},

	warn(error) {
		const kind = error ? sqmd.kind(error) : '';
		if (this.warned !== kind)
			dom.content(this.banner, [ page.banner(error) ]);
		this.warned = kind;
		this.list.classList.toggle('sqmd-old', !!error);
	},

	show(answer) {
		this.warn(answer.error);
		if (answer.error)
			return;
		const queues = objects(answer.queues);
		this.arrange(queues);
		this.cards.forEach((c, i) => c.update(num(answer.uptime_s), answer.tin_columns, queues[i]));
		this.headline(answer, queues);
		this.announce(queues);
	},

	// Makes the cards that the answer needs, keeps those that still fit.
	arrange(queues) {
		const before = this.cards ?? [], keys = queues.map(shape);
		if (this.cards && String(before.map((c) => c.key)) === String(keys))
			return;
		this.cards = queues.map((q, i) => before.find((c) => c.key === keys[i]) ?? card(q));
		const fresh = this.cards.filter((c) => !before.includes(c)).flatMap((c) => c.parts);
		dom.content(this.list, queues.length ? this.cards.map((c) => c.node) : [ E('div', { class: 'cbi-section' }, [
			E('p', [ _('No line is shaped yet.') ]),
			E('a', { class: 'btn cbi-button cbi-button-apply important', href: L.url('admin/network/sqmd/queues') }, [ _('Shape a line') ])
		]) ]);
		fresh.forEach((p) => p.range(this.daily));
		history(fresh, 1);
		if (this.daily)
			history(fresh, 60);
	},

	headline(answer, queues) {
		const cpu = L.isObject(answer.cpu) ? answer.cpu : {};
		this.top.textContent = [
			queues.length ? answer.shaped === true ? _('Everything asked for is shaped.') : _('Not everything asked for is shaped.') : '',
			cpu.busy_percent == null ? '' : _('Busiest CPU: %d %%, for packets %d %%.').format(num(cpu.busy_percent), num(cpu.softirq_percent)),
			num(answer.config_findings) > 0 ? _('The configuration has %d findings.').format(answer.config_findings) : '',
			answer.version ? `sqmd ${str(answer.version)}` : ''
		].filter(Boolean).join(' ');
	},

	// Tells screen readers of states that have changed.
	announce(queues) {
		const now = new Map(queues.flatMap((q) => objects(q.directions).map((d) => [ `${str(q.queue)}, ${states.direction(d.direction)}`, str(d.state) ])));
		const changed = [ ...now ].filter(([ name, state ]) => this.states && this.states.get(name) !== state);
		if (changed.length)
			this.said.textContent = changed.map(([ name, state ]) => `${name}: ${states.label(state)}.`).join(' ');
		this.states = now;
	},

	doctor() {
		return sqmd.doctor().then((answer) => this.found.replaceChildren(sqmd.list(answer.findings).length ? page.findings(answer.findings) : _('Nothing found.')),
			(error) => this.found.replaceChildren(sqmd.explain(error)));
	}
});
