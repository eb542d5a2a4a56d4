// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.schema as schema';

// Options by name, with the tab each is on. A word that is its own label may stand
// alone in the schema.
const options = {};
for (const [ group, all ] of Object.entries(schema.options))
	for (const [ name, o ] of Object.entries(all))
		options[name] = { ...o, group, values: o.values?.map((v) => Array.isArray(v) ? v : [ v, v ]) };

const named = (list, name) => list.find((x) => x.name === name || x.aliases?.includes(name));

function amount(text, units) {
	const [ , digits, unit ] = text.match(/^([0-9]+)([a-zA-Z]*)$/) ?? [];
	return digits ? digits * units[unit] : NaN;
}

function device(text) {
	if (text[0] == '@')
		return /^@[A-Za-z0-9_]+$/.test(text);
	return text != '.' && text != '..' && new TextEncoder().encode(text).length <= 15 && !/[^!-~\x80-\uffff]|[/:\xa0]/.test(text);
}

function truth(text) {
	const low = text.toLowerCase(), number = /^-?[0-9]{1,18}$/.test(text);
	return schema.truths.includes(low) || number && +text == 1 ? '1' : schema.falsehoods.includes(low) || number ? '0' : null;
}

const bounds = (o, leaf) => leaf == 'cake' && o.cakeMax != null ? [ o.cakeMin, o.cakeMax ] : [ o.min, o.max ];

const within = (n, [ min, max ]) => n >= min && n <= max;

// Whether a value is one of a type, besides the words of its option.
const fits = {
	bool: (o, text) => truth(text) != null,
	uint: (o, text, leaf) => /^[0-9]+$/.test(text) && within(+text, bounds(o, leaf)),
	int: (o, text, leaf) => /^-?[0-9]+$/.test(text) && within(+text, bounds(o, leaf)),
	duration: (o, text) => within(amount(text, schema.durations), bounds(o)),
	size: (o, text) => within(amount(text.toLowerCase(), schema.sizes), bounds(o)),
	preset: (o, text) => named(schema.presets, text),
	device: (o, text) => device(text),
	enum: () => false,
	words: () => true
};

// What is asked for where it does not fit.
const asked = {
	uint: _('Enter a whole number from %s to %s.'),
	int: _('Enter a whole number from %s to %s.'),
	duration: _('Enter a whole number with s, ms or us, or a word of the list.'),
	size: _('Enter a whole number of bytes, or with k, m or g.'),
	device: _('Enter a device (1 to 15 characters without blanks, / and :), or @ and a network.')
};

const quoted = (s) => `'${String(s).replace(/'/g, "'\\''")}'`;

return baseclass.extend({
	options: options,
	settings: schema.settings,
	presets: schema.presets,
	goals: schema.goals,
	preset: (name) => named(schema.presets, name),

	// The text of a value for people and forms: lists as words, truth values as 1
	// and 0 however they are written.
	shown(name, raw) {
		const text = Array.isArray(raw) ? raw.join(' ') : String(raw ?? '');
		return (options[name]?.type == 'bool' ? truth(text) : null) ?? text;
	},

	truth: (raw, standard) => truth(String(raw ?? '')) ?? standard,

	// What is in force for a queue with these values: script, leaf (fixed where the
	// recipe leaves no choice) and line.
	context(values) {
		const qdisc = values.qdisc || options.qdisc.default, leaf = named(schema.recipes, values.script)?.leaf ?? {};
		const fixed = leaf == 'cake' || leaf.fq_codel == 'cake';
		return {
			script: values.script, fixed,
			leaf: fixed ? 'cake' : leaf[qdisc] ?? (qdisc == 'cake_mq' ? 'cake' : qdisc),
			line: values.linklayer || named(schema.presets, values.link_preset)?.linklayer || 'none'
		};
	},

	// Why a value cannot be used, as `sqmd check` has it; '' where it can.
	problem(name, text, context) {
		const option = options[name];
		if (!option || text === '')
			return option?.required ? _('This field is required.') : '';
		const word = /ecn$/.test(name) ? text.toUpperCase() : text;
		if (option.type != 'uint' && option.values?.some(([ value ]) => value === word) || fits[option.type](option, text, context?.leaf))
			return '';
		return (asked[option.type] ?? _('Choose one of the list.')).format(...bounds(option, context?.leaf));
	},

	// Whether such a value breaks the queue; otherwise the default is used.
	breaks(name, context) {
		const o = options[name];
		return !!o?.strict && !(name == 'qdisc' ? context?.fixed : o.type != 'enum' && o.effect?.line && context && this.idle(name, '', context));
	},

	// Why an option with this value does nothing here; '' where it does something.
	idle(name, value, context) {
		const e = options[name]?.effect;
		if (!e)
			return '';
		if (e.line && context.line == 'none')
			return e.why;
		if (!e.leaves && !e.scripts || e.leaves?.includes(context.leaf))
			return '';
		const counts = !e.values || value === '' || e.values.includes(value);
		return counts && e.scripts?.includes(context.script) ? '' : e.why;
	},

	// A configuration file of these sections, as rpcd gives them; values of change
	// (by section and option, null for none) win.
	text(sections, change) {
		return sections.map((s) => {
			const all = Object.entries({ ...s, ...change?.[s['.name']] }).filter(([ name, v ]) => name[0] != '.' && v != null && v !== '');
			return `config ${s['.type']} ${quoted(s['.name'])}\n` + all.map(([ name, v ]) => Array.isArray(v)
				? v.map((x) => `\tlist ${name} ${quoted(x)}\n`).join('')
				: `\toption ${name} ${quoted(v)}\n`).join('');
		}).join('\n');
	},

	// The differences between two lists of sections, a line each.
	changes(before, after) {
		const by = (list) => new Map(list.map((s) => [ s['.name'], s ]));
		const old = by(before), now = by(after), lines = [];
		for (const id of new Set([ ...old.keys(), ...now.keys() ]))
			for (const name of new Set([ old, now ].flatMap((m) => Object.keys(m.get(id) ?? {})))) {
				const [ was, is ] = [ old, now ].map((m) => this.shown(null, m.get(id)?.[name]));
				if (name[0] != '.' && was !== is)
					lines.push(`${id}.${name}: ${was || '–'} → ${is || '–'}`);
			}
		return lines;
	}
});
