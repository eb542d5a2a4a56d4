// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require dom';
'require poll';
'require ui';
'require view';
'require sqmd.direction as direction';
'require sqmd.format as format';
'require sqmd.page as page';
'require sqmd.report as report';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

const severities = { error: _('Error'), warning: _('Warning'), note: _('Note') };

function finding(f) {
	const about = sqmd.str(f.queue, 60) || sqmd.str(f.device, 40);
	return E('li', { 'data-severity': sqmd.str(f.severity, 20), 'data-finding': sqmd.str(f.id, 60) }, [
		E('strong', {}, [ severities[f.severity] ?? sqmd.str(f.severity, 20) ]), ' ', about ? '%s: '.format(about) : '', sqmd.str(f.problem, 500),
		E('div', {}, [ E('em', {}, [ _('What to do:') ]), ' ', sqmd.str(f.remedy, 500) ]),
		f.evidence ? E('small', {}, [ sqmd.str(f.evidence, 500) ]) : ''
	]);
}

function link(l) {
	if (!L.isObject(l))
		return _('device missing');
	return [ l.carrier === true ? _('link up') : _('no link'), sqmd.num(l.speed_mbit) > 0 ? format.rate(l.speed_mbit * 1000) : '' ].filter(Boolean).join(', ');
}

// What makes a card: while it stays the same the card is only brought up to date.
function shape(q) {
	return JSON.stringify([ q.queue, q.device, sqmd.objects(q.directions).map((d) => d.direction) ]);
}

function card(q) {
	const device = sqmd.str(q.device, 40), parts = {};
	const of = sqmd.objects(q.directions).sort((a, b) => (b.direction == 'download') - (a.direction == 'download')).map((d) => parts[sqmd.str(d.direction, 20)] = direction.create(device, sqmd.str(d.direction, 20)));
	const about = E('small'), badge = states.badge('unknown'), findings = E('ul', { 'class': 'sqmd-findings' });
	const node = E('div', { 'class': 'cbi-section sqmd-card', 'data-queue': sqmd.str(q.queue, 60), 'data-device': device }, [
		E('h3', {}, [ sqmd.str(q.queue, 60), ' ', about, ' ', badge ]), findings,
		E('div', { 'class': 'sqmd-directions' }, of.map((p) => p.node))
	]);
	return { node, parts, key: shape(q), update(now, answer, q) {
		about.textContent = '%s, %s'.format(device, link(q.link));
		states.set(badge, states.worst(q));
		findings.replaceChildren(...sqmd.list(q.findings).map((f) => E('li', {}, [ sqmd.str(f, 400) ])));
		sqmd.objects(q.directions).forEach((d) => parts[sqmd.str(d.direction, 20)]?.update(now, d, answer.tin_columns));
	} };
}

return view.extend({
	handleSave: null,
	handleSaveApply: null,
	handleReset: null,

	load() {
		return sqmd.overview().catch((error) => ({ error }));
	},

	render(answer) {
		this.cards = [];
		this.top = E('p', { 'class': 'sqmd-top-line' });
		this.said = E('div', { 'class': 'sqmd-hidden', 'aria-live': 'polite' });
		this.banner = E('div');
		this.list = E('div');
		this.found = E('ul', { 'class': 'sqmd-findings', 'data-findings': '' });
		this.show(answer);
		this.doctor();
		poll.add(() => this.poll(), 2);
		return E('div', { 'class': 'sqmd' }, [
			page.style(),
			E('h2', {}, [ _('Traffic shaping') ]),
			this.banner, this.top, this.said,
			E('div', { 'class': 'sqmd-bar' }, [ this.rangeField(), ' ', E('button', {
				'type': 'button', 'class': 'btn cbi-button cbi-button-action', 'data-action': 'support', 'click': ui.createHandlerFn(this, () => report.show())
			}, [ _('Support report') ]) ]),
			this.list,
			E('div', { 'class': 'cbi-section' }, [
				E('h3', {}, [ _('What spoils shaping') ]),
				this.found,
				E('button', { 'type': 'button', 'class': 'btn cbi-button', 'data-action': 'doctor', 'click': ui.createHandlerFn(this, 'doctor') }, [ _('Look again') ])
			])
		]);
	},

	rangeField() {
		return E('label', {}, [ _('Charts of the last'), ' ', E('select', {
			'class': 'cbi-input-select', 'data-field': 'range', 'change': (ev) => this.range(ev.target.value == 'day')
		}, [ E('option', { 'value': 'live' }, [ _('5 minutes') ]), E('option', { 'value': 'day' }, [ _('24 hours') ]) ]) ]);
	},

	parts() {
		return [].concat(...this.cards.map((c) => Object.values(c.parts)));
	},

	history(parts, step) {
		return Promise.all(parts.map((p) => sqmd.history(p.device, p.name, step).then((answer) => p.past(answer), () => null)));
	},

	range(day) {
		this.day = day;
		this.parts().forEach((p) => p.range(day));
		return day ? this.history(this.parts(), 60) : null;
	},

	poll() {
		const asked = Date.now();
		return sqmd.overview().then((answer) => this.show(answer), (error) => this.show({ error }))
			.then(() => Date.now() - asked > 4000 ? this.warn('code 7') : null);
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
		const now = sqmd.num(answer.uptime_s), queues = sqmd.objects(answer.queues);
		this.arrange(queues);
		this.cards.forEach((c, i) => c.update(now, answer, queues[i]));
		this.headline(answer, queues);
		this.announce(queues);
	},

	// Makes the cards that the answer needs, keeps those that still fit.
	arrange(queues) {
		const keys = queues.map(shape);
		if (this.cards.length == keys.length && this.cards.every((c, i) => c.key === keys[i]) && keys.length)
			return;
		const before = this.cards;
		this.cards = queues.map((q, i) => before.find((c) => c.key === keys[i]) ?? card(q));
		const fresh = this.cards.filter((c) => !before.includes(c));
		dom.content(this.list, this.cards.length ? this.cards.map((c) => c.node) : [ E('div', { 'class': 'cbi-section' }, [
			E('p', {}, [ _('No line is shaped yet.') ]),
			E('a', { 'class': 'btn cbi-button cbi-button-apply important', 'href': L.url('admin/network/sqmd/queues') }, [ _('Shape a line') ])
		]) ]);
		const parts = [].concat(...fresh.map((c) => Object.values(c.parts)));
		parts.forEach((p) => p.range(!!this.day));
		if (parts.length)
			Promise.all([ this.history(parts, 1), this.day ? this.history(parts, 60) : null ]);
	},

	headline(answer, queues) {
		const cpu = L.isObject(answer.cpu) ? answer.cpu : {};
		this.top.textContent = [
			queues.length ? answer.shaped === true ? _('Everything asked for is shaped.') : _('Not everything asked for is shaped.') : '',
			cpu.busy_percent == null ? '' : _('Busiest CPU: %s, for packets %s.').format(format.percent(sqmd.num(cpu.busy_percent)), format.percent(sqmd.num(cpu.softirq_percent))),
			sqmd.num(answer.config_findings) > 0 ? _('The configuration has %d findings.').format(answer.config_findings) : '',
			answer.version ? 'sqmd %s'.format(sqmd.str(answer.version, 40)) : ''
		].filter(Boolean).join(' ');
	},

	// Tells screen readers of states that have changed.
	announce(queues) {
		const states_now = {};
		queues.forEach((q) => sqmd.objects(q.directions).forEach((d) => { states_now['%s, %s'.format(sqmd.str(q.queue, 60), states.direction(d.direction))] = d.state; }));
		const before = this.states ?? states_now;
		const changed = Object.keys(states_now).filter((name) => before[name] !== states_now[name]);
		if (changed.length)
			this.said.textContent = changed.map((name) => '%s: %s.'.format(name, states.label(states_now[name]))).join(' ');
		this.states = states_now;
	},

	doctor() {
		return sqmd.doctor().then((answer) => {
			const list = sqmd.objects(answer.findings);
			this.found.replaceChildren(...list.map(finding));
			if (!list.length)
				this.found.append(E('li', { 'data-severity': 'none' }, [ _('Nothing found.') ]));
		}, (error) => this.found.replaceChildren(E('li', {}, [ sqmd.explain(error) ])));
	}
});
