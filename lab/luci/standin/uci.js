// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require rpc';

const call = (method, params, more) => rpc.declare({ object: 'uci', method, params, reject: true, ...more });
const calls = {
	get: call('get', [ 'config' ], { expect: { values: {} } }),
	add: call('add', [ 'config', 'type', 'name', 'values' ], { expect: { section: '' } }),
	set: call('set', [ 'config', 'section', 'values' ]),
	remove: call('delete', [ 'config', 'section', 'options' ]),
	changes: call('changes', [], { expect: { changes: {} } })
};

const copy = (x) => JSON.parse(JSON.stringify(x));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What is loaded, and aside what is changed: options by section (null: deleted), new sections, deleted ones.
return baseclass.extend({
	__init__() {
		this.configs = {};
		this.loading = {};
	},

	load(names) {
		const list = Array.isArray(names) ? names : [ names ];
		return Promise.all(list.map((name) => this.configs[name] ? null : this.loading[name] ??= calls.get(name).then((values) => {
			this.configs[name] = { values, changes: {}, creates: {}, deletes: {} };
		}).finally(() => delete this.loading[name]))).then(() => list);
	},

	unload(names) {
		for (const name of Array.isArray(names) ? names : [ names ])
			delete this.configs[name];
	},

	sections(config, type, each) {
		const c = this.configs[config];
		if (!c)
			return [];
		const all = Object.values(c.values).filter((s) => !c.deletes[s['.name']]).sort((a, b) => a['.index'] - b['.index'])
			.concat(Object.values(c.creates)).filter((s) => type == null || s['.type'] === type)
			.map((s) => this.merged(c, s['.name']));
		all.forEach((s) => each?.(s, s['.name']));
		return all;
	},

	merged(c, sid) {
		const section = copy(c.creates[sid] ?? c.values[sid]);
		for (const [ name, value ] of Object.entries(c.changes[sid] ?? {}))
			if (value == null)
				delete section[name];
			else
				section[name] = value;
		return section;
	},

	get(config, sid, option) {
		const c = this.configs[config];
		if (!c || c.deletes[sid] || !c.values[sid] && !c.creates[sid])
			return null;
		const section = this.merged(c, sid);
		return option == null ? section : section[option] ?? null;
	},

	set(config, sid, option, value) {
		const c = this.configs[config];
		if (!c || c.deletes[sid] || option[0] == '.')
			return;
		const empty = value == null || value === '' || Array.isArray(value) && !value.length;
		if (c.creates[sid]) {
			if (empty)
				delete c.creates[sid][option];
			else
				c.creates[sid][option] = value;
			return;
		}
		if (!c.values[sid])
			return;
		const changes = c.changes[sid] ??= {};
		delete changes[option];
		if (empty ? c.values[sid][option] != null : !same(c.values[sid][option], value))
			changes[option] = empty ? null : value;
	},

	unset(config, sid, option) {
		return this.set(config, sid, option, null);
	},

	add(config, type, name) {
		const c = this.configs[config], sid = name ?? `new${Math.random().toString(16).slice(2, 8)}`;
		c.creates[sid] = { '.type': type, '.name': sid, '.create': name ?? null, '.anonymous': !name, '.index': 1000 + Object.keys(c.creates).length };
		delete c.deletes[sid];
		return sid;
	},

	remove(config, sid) {
		const c = this.configs[config];
		if (c.creates[sid])
			delete c.creates[sid];
		else if (c.values[sid])
			c.deletes[sid] = true;
		delete c.changes[sid];
	},

	// Sends what is changed to rpcd, where it waits to be applied.
	async save() {
		for (const [ config, c ] of Object.entries(this.configs)) {
			const sent = [];
			for (const s of Object.values(c.creates))
				sent.push(calls.add(config, s['.type'], s['.create'] ?? undefined,
					Object.fromEntries(Object.entries(s).filter(([ name ]) => name[0] != '.'))));
			for (const [ sid, changes ] of Object.entries(c.changes)) {
				const all = Object.entries(changes), gone = all.filter(([ , v ]) => v == null).map(([ name ]) => name);
				const kept = all.filter(([ , v ]) => v != null);
				if (kept.length)
					sent.push(calls.set(config, sid, Object.fromEntries(kept)));
				if (gone.length)
					sent.push(calls.remove(config, sid, gone));
			}
			for (const sid of Object.keys(c.deletes))
				sent.push(calls.remove(config, sid));
			await Promise.all(sent);
			if (sent.length)
				await this.reload(config);
		}
	},

	reload(config) {
		this.unload(config);
		return this.load(config);
	},

	changes() {
		return calls.changes();
	}
});
