// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require form';
'require uci';
'require sqmd.apply as apply';
'require sqmd.config as config';
'require sqmd.rpc as sqmd';

const tabs = [
	[ 'basic', _('Basic') ],
	[ 'link', _('Line') ],
	[ 'queueing', _('Queueing') ],
	[ 'expert', _('Expert') ]
];

const listed = [ 'enum', 'bool', 'preset' ];

const isList = (option) => listed.includes(option.type) || option.type == 'uint' && option.values;

function widget(name, option) {
	return name == 'enabled' ? form.Flag : isList(option) ? form.ListValue : form.Value;
}

function named(value, label) {
	return label == value ? value : '%s (%s)'.format(label, value);
}

// choices are what a list offers: the default, what the schema knows, and what is
// configured, so that no value changes by being shown.
function choices(name, option, current) {
	const known = option.type == 'preset' ? config.presets.map((p) => [ p.name, p.label ])
		: (option.type == 'bool' ? [ [ '1', _('on') ], [ '0', _('off') ] ] : []).concat(option.values ?? []);
	const standard = known.find(([ value ]) => value === option.default);
	const all = [ [ '', option.required ? _('– choose –') : standard ? _('default: %s').format(standard[1]) : _('default') ] ]
		.concat(known.map(([ value, label ]) => [ value, option.type == 'bool' && /^[01]$/.test(value) ? label : named(value, label) ]));
	return all.some(([ value ]) => value === current) ? all : all.concat([ [ current, current ] ]);
}

function describe(option) {
	const range = option.min == null || option.values || option.type == 'duration' || option.type == 'size' ? ''
		: _('From %s to %s %s.').format(option.cakeMin ?? option.min, option.cakeMax ?? option.max, option.unit ?? '');
	return [ option.help ?? '', range ].filter(Boolean).join(' ');
}

// What a field of this page does otherwise than LuCI's own: it writes only what
// was edited, in the notation that was there, and a value that was there before
// is never in the way of saving another.
const field = {
	load(sid) {
		return config.shown(this.option, uci.get('sqm', sid, this.option));
	},

	stored(sid) {
		const text = this.load(sid);
		return this.option == 'enabled' ? (text === '1' ? '1' : '0') : text;
	},

	edited(sid) {
		const now = this.formvalue(sid);
		return now != null && now !== this.stored(sid) ? now : null;
	},

	validate(sid, value) {
		const context = this.editor.context();
		const problem = config.problem(this.option, value ?? '', context);
		this.editor.note(this.option, problem);
		return problem && value !== this.stored(sid) && config.breaks(this.option, context) ? problem : true;
	},

	parse(sid) {
		if (!this.isValid(sid))
			return Promise.reject(new TypeError('%s: %s'.format(this.title, this.getValidationError(sid))));
		const now = this.edited(sid);
		if (now === '')
			uci.unset('sqm', sid, this.option);
		else if (now != null)
			uci.set('sqm', sid, this.option, now);
		return Promise.resolve();
	}
};

// decorate puts the places for problems and reasons below a field's input.
function decorate(o, node) {
	const input = node.querySelector('input:not([type=hidden]), select') ?? node;
	const note = 'sqmd-note-%s'.format(o.option), list = 'sqmd-list-%s'.format(o.option);
	input.setAttribute('aria-describedby', note);
	if (o.suggestions)
		input.setAttribute('list', list);
	return E('div', {}, [
		node,
		o.suggestions ? E('datalist', { 'id': list }, o.suggestions.map((s) => E('option', { 'value': s }))) : '',
		E('div', { 'id': note }, [
			E('div', { 'class': 'sqmd-problem', 'data-problem': o.option, 'hidden': '' }),
			E('div', { 'class': 'sqmd-idle', 'data-without-effect': o.option, 'hidden': '' })
		])
	]);
}

return baseclass.extend({
	// The form of one queue. changed is called when the daemon has said what it
	// thinks of what is in the form.
	open(sid, devices, readonly) {
		this.sid = sid;
		this.notes = {};
		this.said = E('div', { 'aria-live': 'polite' });
		this.map = new form.Map('sqm');
		this.map.readonly = readonly;
		const section = this.map.section(form.NamedSection, sid, 'queue');
		tabs.forEach(([ name, title ]) => section.tab(name, title));
		this.fields = Object.keys(config.options).filter((name) => config.options[name].type)
			.map((name) => this.field(section, name, config.options[name], devices));
		return this.map.render().then((node) => {
			this.root = E('div', { 'input': () => this.refresh(), 'change': () => this.refresh(), 'widget-change': () => this.refresh() }, [ node, this.kept(), this.said ]);
			this.refresh();
			return this.root;
		});
	},

	field(section, name, option, devices) {
		const title = option.unit ? '%s (%s)'.format(option.label, option.unit) : option.label;
		const kind = widget(name, option);
		const o = section.taboption(option.group, kind, name, title, describe(option));
		Object.assign(o, field, {
			editor: this, rmempty: true, optional: true, placeholder: option.default ?? null,
			renderWidget: (...args) => decorate(o, kind.prototype.renderWidget.apply(o, args))
		});
		if (kind === form.ListValue)
			choices(name, option, o.load(this.sid)).forEach(([ value, label ]) => o.value(value, label));
		else if (option.type == 'device')
			o.suggestions = devices.map((d) => sqmd.str(d.device, 40));
		else if (option.values)
			o.suggestions = option.values.map(([ value ]) => value);
		return o;
	},

	// Options that have no field stay as they are.
	kept() {
		const known = (name) => name[0] == '.' || config.options[name]?.type;
		const names = Object.keys(uci.get('sqm', this.sid) ?? {}).filter((name) => !known(name));
		return names.length ? E('p', { 'data-kept': '' }, [ _('Kept as they are, without effect: %s.').format(names.join(', ')) ]) : '';
	},

	value(name) {
		const o = this.fields?.find((f) => f.option == name);
		return (this.root && o?.formvalue(this.sid)) ?? config.shown(name, uci.get('sqm', this.sid, name));
	},

	context() {
		return config.context(Object.fromEntries([ 'script', 'qdisc', 'link_preset', 'linklayer' ].map((name) => [ name, this.value(name) ])));
	},

	// Shows what is wrong with a field; '' for nothing.
	note(name, text, severity) {
		const node = this.root?.querySelector('[data-problem="%s"]'.format(name));
		this.notes[name] = text;
		if (!node || node.textContent === text)
			return;
		node.textContent = text;
		node.hidden = !text;
		node.setAttribute('data-severity', severity ?? 'error');
	},

	refresh() {
		const context = this.context();
		const preset = config.preset(this.value('link_preset'));
		for (const o of this.fields) {
			const name = o.option, value = this.value(name);
			const why = config.idle(name, value, context);
			const reason = this.root.querySelector('[data-without-effect="%s"]'.format(name));
			reason.textContent = why ? _('Does nothing here: %s').format(why) : '';
			reason.hidden = !why;
			const input = reason.parentNode.parentNode.querySelector('input:not([type=hidden]), select');
			input.disabled = !!why || this.map.readonly === true;
			const given = { overhead: preset?.overhead, tcMPU: preset?.mpu }[name];
			if (given != null)
				input.setAttribute('placeholder', given);
			this.note(name, config.problem(name, value, context), config.breaks(name, context) ? 'error' : 'warning');
		}
		window.clearTimeout(this.timer);
		this.timer = window.setTimeout(() => this.ask(), 600);
	},

	// What the form would make of the section, by option; null takes one away.
	change() {
		const edited = this.fields.map((o) => [ o.option, o.edited(this.sid) ]).filter(([ , value ]) => value != null);
		return Object.fromEntries(edited.map(([ name, value ]) => [ name, value === '' ? null : value ]));
	},

	// Asks the daemon what it thinks of it, and says so beside the fields.
	ask() {
		if (!this.root.isConnected)
			return;
		const text = config.text(uci.sections('sqm'), { [this.sid]: this.change() });
		return sqmd.preview(text).then((answer) => {
			const about = sqmd.objects(answer.findings).filter((f) => f.section === this.sid);
			const placed = about.filter((f) => Object.hasOwn(config.options, f.option ?? '') && config.options[f.option].type);
			placed.filter((f) => !this.notes[f.option]).forEach((f) => this.note(f.option, sqmd.str(f.message ?? f.problem, 400), sqmd.str(f.severity)));
			this.said.replaceChildren(apply.findings(about.filter((f) => !placed.includes(f))));
		}).catch(() => this.said.replaceChildren());
	},

	// Takes the form into uci; says what cannot be taken, and rejects then.
	parse() {
		return this.map.parse().catch((e) => {
			this.said.replaceChildren(apply.findings([ { severity: 'error', message: e.message } ]));
			this.root.querySelector('.cbi-input-invalid')?.focus();
			return Promise.reject(e);
		});
	}
});
