// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require form';
'require uci';
'require sqmd.config as config';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';

const { str, objects } = sqmd;

const tabs = { basic: _('Basic'), link: _('Line'), queueing: _('Queueing'), expert: _('Expert') };

const isList = (o) => [ 'enum', 'bool', 'preset' ].includes(o.type) || o.type == 'uint' && o.values;

// choices are what a list offers: the default, what the schema knows, and what is
// configured, so that no value changes by being shown.
function choices(o, current) {
	const truths = o.type == 'bool' ? [ [ '1', _('on') ], [ '0', _('off') ] ] : [];
	const known = truths.concat(o.type == 'preset' ? config.presets.map((p) => [ p.name, p.label ]) : o.values ?? []);
	const standard = known.find(([ value ]) => value === o.default)?.[1];
	const all = [ [ '', o.required ? _('please choose') : standard ? _('default: %s').format(standard) : _('default') ] ]
		.concat(known.map(([ value, label ]) => [ value, value === label || truths.some(([ t ]) => t === value) ? label : `${label} (${value})` ]));
	return all.some(([ value ]) => value === current) ? all : all.concat([ [ current, current ] ]);
}

function describe(o) {
	const counts = [ 'int', 'uint' ].includes(o.type) && !o.values;
	return [ o.help, counts ? _('From %s to %s %s.').format(o.cakeMin ?? o.min, o.cakeMax ?? o.max, o.unit ?? '') : '' ].filter(Boolean).join(' ');
}

// decorate puts the places for problems and reasons below a field's input.
function decorate(o, node) {
	const input = node.querySelector('input:not([type=hidden]), select') ?? node;
	const note = `sqmd-note-${o.option}`, list = `sqmd-list-${o.option}`;
	input.setAttribute('aria-describedby', note);
	if (input.type == 'checkbox')
		input.setAttribute('aria-label', o.title);
	if (o.suggestions)
		input.setAttribute('list', list);
	return E('div', [
		node,
		o.suggestions ? E('datalist', { id: list }, o.suggestions.map((value) => E('option', { value }))) : '',
		E('div', { id: note }, [
			E('div', { class: 'sqmd-problem', 'data-problem': o.option, hidden: '' }),
			E('div', { class: 'sqmd-idle', 'data-without-effect': o.option, hidden: '' })
		])
	]);
}

// What a field of this page does otherwise than LuCI's own: it writes only what
// was edited, in the notation that was there, and a value that was there before
// is never in the way of saving another.
const field = {
	rmempty: true,
	optional: true,

	load(sid) {
		return config.shown(this.option, uci.get('sqm', sid, this.option));
	},

	stored(sid) {
		return this.option == 'enabled' ? config.truth(this.load(sid), '0') : this.load(sid);
	},

	edited(sid) {
		const now = this.formvalue(sid);
		return now === this.stored(sid) ? null : now;
	},

	validate(sid, value) {
		const context = this.editor.context(), problem = config.problem(this.option, value ?? '', context);
		return problem && value !== this.stored(sid) && config.breaks(this.option, context) ? problem : true;
	},

	parse(sid) {
		if (!this.isValid(sid))
			return Promise.reject(new TypeError(`${this.title}: ${this.getValidationError(sid)}`));
		const now = this.edited(sid);
		if (now === '')
			uci.unset('sqm', sid, this.option);
		else if (now != null)
			uci.set('sqm', sid, this.option, now);
		return Promise.resolve();
	}
};

return baseclass.extend({
	// The form of one queue.
	open(sid, devices, readonly) {
		this.sid = sid;
		this.root = null;
		this.notes = {};
		this.said = E('div', { 'aria-live': 'polite' });
		this.map = new form.Map('sqm');
		this.map.readonly = readonly;
		const section = this.map.section(form.NamedSection, sid, 'queue');
		Object.entries(tabs).forEach((tab) => section.tab(...tab));
		this.fields = Object.entries(config.options).map((option) => this.field(section, devices, ...option));
		return this.map.render().then((node) => {
			const refresh = () => this.refresh();
			this.root = E('div', { input: refresh, change: refresh, 'widget-change': refresh }, [ node, this.kept(), this.said ]);
			refresh();
			return this.root;
		});
	},

	field(section, devices, name, option) {
		const kind = name == 'enabled' ? form.Flag : isList(option) ? form.ListValue : form.Value;
		const o = section.taboption(option.group, kind, name, option.unit ? `${option.label} (${option.unit})` : option.label, describe(option));
		Object.assign(o, field, {
			editor: this, placeholder: option.default,
			renderWidget: (...args) => decorate(o, kind.prototype.renderWidget.apply(o, args))
		});
		if (kind === form.ListValue)
			choices(option, o.load(this.sid)).forEach((choice) => o.value(...choice));
		else
			o.suggestions = option.type == 'device' ? devices.map((d) => str(d.device)) : option.values?.map(([ value ]) => value);
		return o;
	},

	// Options that have no field stay as they are.
	kept() {
		const names = Object.keys(uci.get('sqm', this.sid) ?? {}).filter((name) => name[0] != '.' && !config.options[name]);
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
		const node = this.root?.querySelector(`[data-problem="${name}"]`);
		this.notes[name] = text;
		if (!node || node.textContent === text)
			return;
		node.textContent = text;
		node.hidden = !text;
		node.dataset.severity = severity ?? 'error';
	},

	refresh() {
		const context = this.context(), preset = config.preset(this.value('link_preset'));
		for (const o of this.fields) {
			const name = o.option, value = this.value(name), why = config.idle(name, value, context);
			const reason = this.root.querySelector(`[data-without-effect="${name}"]`);
			reason.textContent = why ? _('Does nothing here: %s').format(why) : '';
			reason.hidden = !why;
			const input = reason.parentNode.parentNode.querySelector('input:not([type=hidden]), select');
			input.disabled = !!why || this.map.readonly;
			const given = { overhead: preset?.overhead, tcMPU: preset?.mpu }[name];
			if (given != null)
				input.setAttribute('placeholder', given);
			this.note(name, config.problem(name, value, context), config.breaks(name, context) ? 'error' : 'warning');
		}
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.ask(), 600);
	},

	// What the form would make of the section, by option; null takes one away.
	change() {
		return Object.fromEntries(this.fields.map((o) => [ o.option, o.edited(this.sid) ])
			.filter(([ , value ]) => value != null).map(([ name, value ]) => [ name, value === '' ? null : value ]));
	},

	// Asks the daemon what it thinks of it, and says so beside the fields.
	ask() {
		if (!this.root.isConnected)
			return;
		return sqmd.preview(config.text(uci.sections('sqm'), { [this.sid]: this.change() })).then((answer) => {
			const elsewhere = objects(answer.findings).filter((f) => f.section === this.sid).filter((f) => {
				const o = this.fields.find((x) => x.option === f.option);
				if (o && !this.notes[o.option])
					this.note(o.option, str(f.message ?? f.problem), str(f.severity));
				return !o;
			});
			this.said.replaceChildren(page.findings(elsewhere));
		}).catch(() => this.said.replaceChildren());
	},

	// Takes the form into uci; says what cannot be taken, and rejects then.
	parse() {
		return this.map.parse().catch((e) => {
			this.said.replaceChildren(page.findings([ e.message ]));
			this.root.querySelector('.cbi-input-invalid')?.focus();
			return Promise.reject(e);
		});
	}
});
