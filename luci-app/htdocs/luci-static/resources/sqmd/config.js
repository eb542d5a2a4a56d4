// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.schema as schema';

const named = (list, name) => list.find((x) => x.name === name || x.aliases?.includes(name));

function amount(text, units) {
	const [ , digits, unit ] = text.match(/^([0-9]+)([a-zA-Z]*)$/) ?? [];
	const factor = digits && Object.hasOwn(units, unit) ? units[unit] : null;
	return factor == null ? NaN : digits * factor;
}

function device(text) {
	if (text[0] == '@')
		return /^@[A-Za-z0-9_]+$/.test(text);
	return text != '.' && text != '..' && new TextEncoder().encode(text).length <= 15 && !/[\x00- \x7f/:\xa0]/.test(text);
}

function bounds(option, context) {
	const cake = context.leaf == 'cake' && option.cakeMax != null;
	return cake ? [ option.cakeMin, option.cakeMax ] : [ option.min, option.max ];
}

const within = (n, [ min, max ]) => n >= min && n <= max;

// What a value of each type has to be: whether it is, and how to say so.
const types = {
	bool: (o, text) => schema.truths.concat(schema.falsehoods).includes(text.toLowerCase()) || /^-?[0-9]+$/.test(text) ? '' : _('Choose one of the list.'),
	uint: (o, text, c) => /^[0-9]+$/.test(text) && within(+text, bounds(o, c)) ? '' : _('Enter a whole number from %s to %s.').format(...bounds(o, c)),
	int: (o, text, c) => /^-?[0-9]+$/.test(text) && within(+text, bounds(o, c)) ? '' : _('Enter a whole number from %s to %s.').format(...bounds(o, c)),
	duration: (o, text) => within(amount(text, schema.durations), [ o.min, o.max ]) ? '' : _('Enter a whole number with s, ms or us, or a word of the list.'),
	size: (o, text) => within(amount(text.toLowerCase(), schema.sizes), [ o.min, o.max ]) ? '' : _('Enter a whole number of bytes, or with k, m or g.'),
	preset: (o, text) => named(schema.presets, text) ? '' : _('Choose one of the list.'),
	device: (o, text) => device(text) ? '' : _('Enter a device (1 to 15 characters without blanks, / and :), or @ and a network.'),
	enum: () => _('Choose one of the list.'),
	words: () => ''
};

function word(s) {
	return "'%s'".format(String(s).replace(/'/g, "'\\''"));
}

return baseclass.extend({
	options: schema.options,
	settings: schema.settings,
	presets: schema.presets,
	goals: schema.goals,
	preset: (name) => named(schema.presets, name),
	recipe: (name) => named(schema.recipes, name),

	// The text of a value for people and forms: lists as words, truth values as 1
	// and 0 however they are written.
	shown(name, raw) {
		const text = Array.isArray(raw) ? raw.join(' ') : String(raw ?? '');
		if (schema.options[name]?.type != 'bool')
			return text;
		const low = text.toLowerCase(), number = /^-?[0-9]+$/.test(text);
		return schema.truths.includes(low) || number && +text == 1 ? '1' : schema.falsehoods.includes(low) || number ? '0' : text;
	},

	// A truth value as 1 or 0, the default where there is none.
	truth(raw, standard) {
		const low = String(raw || standard).toLowerCase();
		return schema.truths.includes(low) ? '1' : schema.falsehoods.includes(low) ? '0' : standard;
	},

	// What is in force for a queue with these values: script, leaf and line.
	context(values) {
		const qdisc = values.qdisc || schema.options.qdisc.default;
		const recipe = this.recipe(values.script);
		return {
			script: values.script,
			leaf: recipe?.leaf[qdisc] ?? (qdisc == 'cake_mq' ? 'cake' : qdisc),
			line: values.linklayer || this.preset(values.link_preset)?.linklayer || 'none'
		};
	},

	// Why a value cannot be used, as `sqmd check` has it; '' where it can.
	problem(name, text, context) {
		const option = schema.options[name];
		if (!option?.type)
			return '';
		if (text === '')
			return option.required ? _('This field is required.') : '';
		const words = option.values?.map(([ value ]) => value) ?? [];
		if (option.type != 'uint' && words.includes(/ecn$/.test(name) ? text.toUpperCase() : text))
			return '';
		return types[option.type](option, text, context ?? {});
	},

	// Whether such a value breaks the queue; otherwise the default is used.
	breaks(name, context) {
		const option = schema.options[name];
		return !!option?.strict && !(option.effect?.line && context?.line == 'none');
	},

	// Why an option with this value does nothing here; '' where it does something.
	idle(name, value, context) {
		const e = schema.options[name]?.effect;
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
			const id = s['.name'], all = Object.assign({}, s, change?.[id]);
			return [ 'config %s %s'.format(s['.type'], word(id)) ].concat(...Object.keys(all)
				.filter((name) => name[0] != '.' && all[name] != null && all[name] !== '')
				.map((name) => Array.isArray(all[name])
					? all[name].map((v) => '\tlist %s %s'.format(name, word(v)))
					: '\toption %s %s'.format(name, word(all[name])))).join('\n');
		}).join('\n\n') + '\n';
	},

	// The differences between two lists of sections, a line each.
	changes(before, after) {
		const lines = [], by = (list) => Object.fromEntries(list.map((s) => [ s['.name'], s ]));
		const old = by(before), now = by(after);
		for (const id of new Set([ ...Object.keys(old), ...Object.keys(now) ])) {
			const a = old[id] ?? {}, b = now[id] ?? {};
			for (const name of new Set([ ...Object.keys(a), ...Object.keys(b) ])) {
				const was = this.shown(null, a[name]), is = this.shown(null, b[name]);
				if (name[0] != '.' && was !== is)
					lines.push('%s.%s: %s → %s'.format(id, name, was || '–', is || '–'));
			}
		}
		return lines;
	}
});
