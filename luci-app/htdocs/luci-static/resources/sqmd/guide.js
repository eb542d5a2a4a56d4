// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require sqmd.apply as apply';
'require sqmd.config as config';
'require sqmd.format as format';
'require sqmd.rpc as sqmd';

const kinds = {
	ethernet: _('Ethernet'), ppp: _('PPP'), vlan: _('VLAN'), bridge: _('bridge'), wifi: _('Wi-Fi'), tunnel: _('tunnel')
};

function describe(d) {
	const name = sqmd.str(d.device, 40), networks = sqmd.list(d.networks).map((n) => sqmd.str(n, 40));
	const speed = sqmd.num(d.speed_mbit) > 0 ? format.rate(d.speed_mbit * 1000) : '';
	const about = [ networks.join(', '), kinds[d.kind] ?? '', speed, d.up === false ? _('down') : '' ];
	return [ d.wan === true ? '%s – %s'.format(name, _('internet')) : name, ...about ].filter(Boolean).join(', ');
}

// A rate in kbit/s of what was typed, with a point or a comma; NaN for none.
function rate(text, unit) {
	const m = text.trim().replace(',', '.').match(/^[0-9]+(\.[0-9]+)?$/);
	return m ? Math.round(+m[0] * (unit == 'mbit' ? 1000 : 1)) : NaN;
}

function sectionName(name) {
	const base = name.replace(/[^A-Za-z0-9_]/g, '_');
	for (let i = 1, id = base; ; id = '%s_%d'.format(base, ++i))
		if (!uci.get('sqm', id))
			return id;
}

function select(field, choices, value) {
	return E('select', { 'id': 'sqmd-%s'.format(field), 'class': 'cbi-input-select', 'data-field': field },
		choices.map(([ key, label ]) => E('option', { 'value': key, 'selected': key === value ? '' : null }, [ label ])));
}

function input(field, mode) {
	return E('input', { 'id': 'sqmd-%s'.format(field), 'class': 'cbi-input-text', 'type': 'text', 'data-field': field, 'inputmode': mode, 'maxlength': 20, 'autocomplete': 'off' });
}

return baseclass.extend({
	// Forgets what was typed, once it is applied.
	clear() {
		this.typed = null;
	},

	// The form for a queue from nothing. shape is called with the values of the new
	// section to apply them, expert to edit them further.
	render(devices, { shape, expert, cancel }) {
		this.devices = devices.filter((d) => sqmd.str(d.device)).sort((a, b) => (b.wan === true) - (a.wan === true));
		const first = this.devices[0];
		const known = this.devices.map((d) => [ sqmd.str(d.device, 40), describe(d) ]);
		this.fields = {
			device: first ? select('device', known.concat([ [ '', _('another…') ] ]), first.wan === true ? first.device : '') : input('device'),
			other: input('other'),
			download: input('download', 'decimal'),
			upload: input('upload', 'decimal'),
			unit: select('unit', [ [ 'mbit', _('Mbit/s') ], [ 'kbit', _('kbit/s') ] ], 'mbit'),
			link: select('link', [ [ '', _('– choose –') ] ].concat(config.presets.map((p) => [ p.name, p.label ])), ''),
			goal: select('goal', config.goals.map((g) => [ g.name, g.label ]), 'device')
		};
		this.notes = Object.fromEntries(Object.keys(this.fields).map((f) => [ f, E('div', { 'id': 'sqmd-%s-note'.format(f), 'class': 'cbi-value-description' }) ]));
		this.said = E('div', { 'aria-live': 'polite' });
		for (const field in this.typed)
			this.fields[field].value = this.typed[field];
		this.tried = false;
		this.node = this.form(shape, expert, cancel);
		this.update();
		return this.node;
	},

	row(field, title, more) {
		this.fields[field].setAttribute('aria-describedby', 'sqmd-%s-note'.format(field));
		return E('div', { 'class': 'cbi-value', 'data-row': field }, [
			E('label', { 'class': 'cbi-value-title', 'for': 'sqmd-%s'.format(field) }, [ title ]),
			E('div', { 'class': 'cbi-value-field' }, [ this.fields[field], ' ', more ?? '', this.notes[field] ])
		]);
	},

	form(shape, expert, cancel) {
		const action = (name, label, style, click) => E('button', { 'type': 'button', 'class': 'btn cbi-button %s'.format(style), 'data-action': name, 'click': click }, [ label ]);
		const submit = (then) => (ev) => {
			ev.preventDefault();
			this.tried = true;
			this.typed = Object.fromEntries(Object.entries(this.fields).map(([ field, node ]) => [ field, node.value ]));
			if (!this.update())
				return this.node.querySelector('[aria-invalid=true]').focus();
			window.clearTimeout(this.timer);
			then(this.section());
		};
		return E('form', { 'class': 'cbi-section', 'data-guided': '', 'novalidate': '', 'submit': submit(shape), 'input': () => this.update(), 'change': () => this.update() }, [
			E('h3', {}, [ _('Shape a line') ]),
			E('p', {}, [ _('Enter 90 to 95 % of what the line can do when nothing else uses it.') ]),
			this.row('device', _('Device')),
			this.row('other', _('Name of the device')),
			this.row('download', _('Download'), this.suggestion('download')),
			this.row('upload', _('Upload'), this.suggestion('upload')),
			this.row('unit', _('Unit')),
			this.row('link', _('Line')),
			this.row('goal', _('Goal')),
			this.said,
			E('div', { 'class': 'cbi-page-actions' }, [
				cancel ? action('cancel', _('Cancel'), 'cbi-button-neutral', cancel) : '', ' ',
				action('expert', _('All options…'), 'cbi-button-neutral', submit(expert)), ' ',
				E('button', { 'type': 'submit', 'class': 'btn cbi-button cbi-button-apply important', 'data-action': 'shape' }, [ _('Shape this line') ])
			])
		]);
	},

	// A button that takes what the line has carried as a rate.
	suggestion(field) {
		return E('button', { 'type': 'button', 'class': 'btn cbi-button', 'data-suggest': field, 'hidden': '', 'click': (ev) => {
			const kbit = +ev.currentTarget.value;
			this.fields[field].value = this.fields.unit.value == 'mbit' ? kbit / 1000 : kbit;
			this.update();
		} });
	},

	values() {
		const f = this.fields, unit = f.unit.value;
		return {
			device: f.device.value.trim() || f.other.value.trim(),
			download: rate(f.download.value, unit),
			upload: rate(f.upload.value, unit),
			link: f.link.value,
			goal: f.goal.value
		};
	},

	section() {
		const v = this.values(), goal = config.goals.find((g) => g.name == v.goal);
		return {
			name: sectionName(v.device),
			values: Object.assign({ enabled: '1', interface: v.device, download: String(v.download), upload: String(v.upload) },
				goal?.set, { link_preset: v.link })
		};
	},

	problems(v) {
		const of = (name, n) => isNaN(n) ? _('Enter a number.') : config.problem(name, String(n));
		const asked = this.fields.device.localName == 'select' && this.fields.device.value === '' ? 'other' : 'device';
		return {
			[asked]: config.problem('interface', v.device),
			download: of('download', v.download),
			upload: of('upload', v.upload),
			link: v.link ? '' : _('Choose what the line is.')
		};
	},

	// Brings hints and problems up to date; true when all can be used. Empty fields
	// are no problem before the first try.
	update() {
		const v = this.values(), problems = this.problems(v);
		this.node?.querySelector('[data-row=other]').toggleAttribute('hidden', this.fields.device.localName != 'select' || this.fields.device.value !== '');
		this.suggest(v.device);
		const preset = config.preset(v.link), goal = config.goals.find((g) => g.name == v.goal);
		const hints = {
			link: preset ? '%s %s'.format(preset.help ?? '', _('Overhead %d bytes, smallest packet %d bytes, link layer %s.').format(preset.overhead, preset.mpu, preset.linklayer)) : '',
			goal: goal?.help ?? ''
		};
		for (const field in this.fields) {
			const problem = problems[field] && (this.tried || this.fields[field].value) ? problems[field] : '';
			this.notes[field].textContent = problem || (hints[field] ?? '');
			this.notes[field].toggleAttribute('data-problem', !!problem);
			this.fields[field].setAttribute('aria-invalid', String(!!problem));
		}
		const ready = Object.values(problems).every((p) => !p);
		this.ask(ready);
		return ready;
	},

	suggest(device) {
		const d = this.devices.find((x) => x.device === device);
		this.node?.querySelectorAll('[data-suggest]').forEach((node) => {
			const kbit = Math.floor(sqmd.num(d?.['carried_%s_kbit'.format(node.getAttribute('data-suggest'))]) * 0.95);
			node.hidden = kbit < 1000;
			node.value = kbit;
			node.textContent = _('Take %s, 95 %% of the most seen').format(format.rate(kbit));
		});
	},

	// Asks the daemon what it thinks of it, once typing has paused.
	ask(ready) {
		window.clearTimeout(this.timer);
		if (!ready)
			return this.said.replaceChildren();
		this.timer = window.setTimeout(() => {
			const { name, values } = this.section();
			const section = Object.assign({ '.name': name, '.type': 'queue' }, values);
			sqmd.preview(config.text(uci.sections('sqm').concat([ section ]))).then((answer) => {
				const about = sqmd.objects(answer.findings).filter((f) => f.section === name);
				this.said.replaceChildren(apply.findings(about), ...apply.plan({
					queues: sqmd.objects(answer.queues).filter((q) => q.device === values.interface)
				}, true));
			}).catch(() => this.said.replaceChildren());
		}, 600);
	}
});
