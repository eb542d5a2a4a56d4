// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require sqmd.apply as apply';
'require sqmd.config as config';
'require sqmd.format as format';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';

const { num, str, list, objects } = sqmd;

const kinds = new Map(Object.entries({
	ethernet: _('Ethernet'), ppp: _('PPP'), vlan: _('VLAN'), bridge: _('bridge'), wifi: _('Wi-Fi'), tunnel: _('tunnel')
}));

const describe = (d) => [
	str(d.device), d.wan === true ? _('internet') : '', ...list(d.networks).map(str), kinds.get(d.kind),
	num(d.speed_mbit) > 0 ? format.rate(d.speed_mbit * 1000) : '', d.up === false ? _('down') : ''
].filter(Boolean).join(', ');

// A rate in kbit/s of what was typed, with a point or a comma; NaN for none.
function rate(text, unit) {
	const number = text.trim().replace(',', '.');
	return /^[0-9]+(\.[0-9]+)?$/.test(number) ? Math.round(number * (unit == 'mbit' ? 1000 : 1)) : NaN;
}

function sectionName(device) {
	const base = device.replace(/[^A-Za-z0-9_]/g, '_');
	for (let i = 1, id = base; ; id = `${base}_${++i}`)
		if (!uci.get('sqm', id))
			return id;
}

const attributes = (field) => ({ id: `sqmd-${field}`, 'data-field': field, 'aria-describedby': `sqmd-${field}-note` });

const select = (field, choices, value) => E('select', { class: 'cbi-input-select', ...attributes(field) },
	choices.map(([ key, label ]) => E('option', { value: key, selected: key === value ? '' : null }, [ label ])));

const input = (field, inputmode) => E('input', { class: 'cbi-input-text', type: 'text', inputmode, maxlength: 20, autocomplete: 'off', ...attributes(field) });

const named = (all) => all.map((x) => [ x.name, x.label ]);

return baseclass.extend({
	// Forgets what was typed, once it is applied.
	clear() {
		this.typed = null;
	},

	// The form for a queue from nothing. shape is called with the new section to
	// apply it, expert to edit it further, cancel (where there is one) to go back.
	// Who may not write can look on.
	render(devices, readonly, { shape, expert, cancel }) {
		this.readonly = readonly ? '' : null;
		this.devices = devices.filter((d) => str(d.device)).sort((a, b) => (b.wan === true) - (a.wan === true));
		const known = this.devices.map((d) => [ str(d.device), describe(d) ]);
		this.fields = {
			device: known.length ? select('device', known.concat([ [ '', _('another device') ] ]), this.devices[0].wan === true ? known[0][0] : '') : input('device'),
			other: input('other'),
			download: input('download', 'decimal'),
			upload: input('upload', 'decimal'),
			unit: select('unit', [ [ 'mbit', 'Mbit/s' ], [ 'kbit', 'kbit/s' ] ]),
			link: select('link', [ [ '', _('please choose') ] ].concat(named(config.presets))),
			goal: select('goal', named(config.goals))
		};
		for (const field in this.typed)
			this.fields[field].value = this.typed[field];
		this.tried = false;
		this.said = E('div', { 'aria-live': 'polite' });
		this.node = this.form(shape, expert, cancel);
		this.update();
		return this.node;
	},

	row(field, title) {
		const take = E('button', { type: 'button', class: 'btn cbi-button', 'data-suggest': field, hidden: '', click: () => this.take(field, +take.value) });
		return E('div', { class: 'cbi-value', 'data-row': field }, [
			E('label', { class: 'cbi-value-title', for: `sqmd-${field}` }, [ title ]),
			E('div', { class: 'cbi-value-field' }, [ this.fields[field], ' ', take, E('div', { id: `sqmd-${field}-note`, class: 'cbi-value-description' }) ])
		]);
	},

	form(shape, expert, cancel) {
		const submit = (then) => (ev) => {
			ev.preventDefault();
			this.tried = true;
			this.typed = Object.fromEntries(Object.entries(this.fields).map(([ field, node ]) => [ field, node.value ]));
			if (!this.update())
				return this.node.querySelector('[aria-invalid=true]').focus();
			clearTimeout(this.timer);
			then(this.section());
		};
		const update = () => this.update();
		return E('form', { class: 'cbi-section', 'data-guided': '', novalidate: '', submit: submit(shape), input: update, change: update }, [
			E('h3', [ _('Shape a line') ]),
			E('p', [ _('Enter 90 to 95 percent of what the line can do when nothing else uses it.') ]),
			this.row('device', _('Device')),
			this.row('other', _('Name of the device')),
			this.row('download', _('Download')),
			this.row('upload', _('Upload')),
			this.row('unit', _('Unit')),
			this.row('link', _('Line')),
			this.row('goal', _('Goal')),
			this.said,
			page.bar('cbi-page-actions',
				cancel ? page.button('cancel', _('Cancel'), '', cancel) : '',
				page.button('expert', _('All options'), '', submit(expert)),
				page.button('shape', _('Shape this line'), 'cbi-button-apply important', null, { type: 'submit', disabled: this.readonly })
			)
		]);
	},

	// Takes what the line has carried as a rate.
	take(field, kbit) {
		this.fields[field].value = this.fields.unit.value == 'mbit' ? kbit / 1000 : kbit;
		this.update();
	},

	values() {
		const { device, other, download, upload, unit, link, goal } = this.fields;
		return {
			device: device.value.trim() || other.value.trim(),
			download: rate(download.value, unit.value),
			upload: rate(upload.value, unit.value),
			preset: config.preset(link.value),
			goal: config.goals.find((g) => g.name == goal.value)
		};
	},

	section() {
		const v = this.values();
		return {
			name: sectionName(v.device),
			values: { enabled: '1', interface: v.device, download: String(v.download), upload: String(v.upload), ...v.goal?.set, link_preset: v.preset.name }
		};
	},

	problems(v) {
		const of = (name) => isNaN(v[name]) ? _('Enter a number.') : config.problem(name, String(v[name]));
		return {
			[this.free ? 'other' : 'device']: config.problem('interface', v.device),
			download: of('download'),
			upload: of('upload'),
			link: v.preset ? '' : _('Choose what the line is.')
		};
	},

	// Brings hints and problems up to date; true when all can be used. Empty fields
	// are no problem before the first try.
	update() {
		this.free = this.fields.device.value === '' && this.fields.device.localName == 'select';
		const v = this.values(), problems = this.problems(v), { preset, goal } = v;
		const row = (field) => this.node.querySelector(`[data-row=${field}]`);
		const hints = {
			link: preset && `${preset.help ?? ''} ${_('Overhead %d bytes, smallest packet %d bytes, link layer %s.').format(preset.overhead, preset.mpu, preset.linklayer)}`,
			goal: goal?.help
		};
		for (const field in this.fields) {
			const problem = problems[field] && (this.tried || this.fields[field].value) ? problems[field] : '';
			const note = row(field).querySelector('.cbi-value-description');
			note.textContent = problem || (hints[field] ?? '');
			note.toggleAttribute('data-problem', !!problem);
			this.fields[field].setAttribute('aria-invalid', !!problem);
		}
		row('other').hidden = !this.free;
		this.suggest(v.device);
		const ready = !Object.values(problems).some(Boolean);
		this.ask(ready);
		return ready;
	},

	suggest(device) {
		const d = this.devices.find((x) => x.device === device);
		this.node.querySelectorAll('[data-suggest]').forEach((node) => {
			const kbit = Math.floor(num(d?.[`carried_${node.dataset.suggest}_kbit`]) * 0.95);
			node.hidden = kbit < 1000;
			node.value = kbit;
			node.textContent = _('Take %s, 95 %% of the most seen').format(format.rate(kbit));
		});
	},

	// Asks the daemon what it thinks of it, once typing has paused.
	ask(ready) {
		clearTimeout(this.timer);
		if (!ready)
			return this.said.replaceChildren();
		this.timer = setTimeout(() => {
			const { name, values } = this.section();
			const section = { '.name': name, '.type': 'queue', ...values };
			sqmd.preview(config.text(uci.sections('sqm').concat([ section ]))).then((answer) => this.said.replaceChildren(
				page.findings(objects(answer.findings).filter((f) => f.section === name)),
				...apply.plan({ queues: objects(answer.queues).filter((q) => q.device === values.interface) }, true)
			)).catch(() => this.said.replaceChildren());
		}, 600);
	}
});
