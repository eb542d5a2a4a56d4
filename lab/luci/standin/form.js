// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require dom';
'require uci';

// A configuration as a form.
const CBIMap = baseclass.extend({
	__init__(config, title, description) {
		Object.assign(this, { config, title, description, children: [] });
	},

	section(Kind, ...args) {
		const section = new Kind(this, ...args);
		this.children.push(section);
		return section;
	},

	load() {
		return uci.load(this.config);
	},

	async render() {
		await this.load();
		this.readonly ??= L.hasViewPermission() === false;
		this.root = E('div', { class: 'cbi-map', id: `cbi-${this.config}` });
		dom.bindClassInstance(this.root, this);
		return this.renderContents();
	},

	async renderContents() {
		const nodes = await Promise.all(this.children.map((section) => section.render()));
		dom.content(this.root, [
			this.title ? E('h2', { name: 'content' }, this.title) : '',
			this.description ? E('div', { class: 'cbi-map-descr' }, this.description) : '',
			...nodes
		]);
		this.checkDepends();
		return this.root;
	},

	checkDepends() {
		this.children.forEach((section) => section.checkDepends());
	},

	parse() {
		return Promise.all(this.children.map((section) => section.parse()));
	},

	save(callback) {
		return this.parse().then(callback).then(() => uci.save()).then(() => this.reset()).then(() => L.ui.changes.init());
	},

	async reset() {
		await this.load();
		return this.renderContents();
	}
});

// One section of a name, its options on tabs or all together.
const NamedSection = baseclass.extend({
	__init__(map, sid, type, title, description) {
		Object.assign(this, { map, config: map.config, sid, type, title, description, tabs: [], children: [] });
	},

	tab(name, title, description) {
		this.tabs.push({ name, title, description, children: [] });
	},

	option(Kind, name, title, description) {
		const option = new Kind(this, name, title, description);
		this.children.push(option);
		return option;
	},

	taboption(tab, ...args) {
		const option = this.option(...args);
		this.tabs.find((t) => t.name === tab).children.push(option);
		return option;
	},

	async render() {
		const sid = this.sid, node = E('div', { class: 'cbi-section', id: `cbi-${this.config}-${sid}` });
		if (this.title)
			node.append(dom.append(E('h3'), this.title));
		if (!uci.get(this.config, sid))
			return node;
		const inner = E('div', { class: 'cbi-section-node', 'data-section-id': sid, id: `cbi-${this.config}-${sid}-node` });
		if (this.tabs.length)
			inner.append(...await this.renderTabs());
		else
			inner.append(...await Promise.all(this.children.map((o) => o.render(sid))));
		node.append(inner);
		node.addEventListener('widget-change', () => this.checkDepends());
		return node;
	},

	async renderTabs() {
		const menu = E('ul', { class: 'cbi-tabmenu' }), panes = [];
		const show = (name) => [ ...menu.children, ...panes ].forEach((node) => {
			const active = node.dataset.tab === name;
			node.classList.toggle(node.localName == 'li' ? 'cbi-tab' : 'active', active);
			node.classList.toggle('cbi-tab-disabled', node.localName == 'li' && !active);
			node.dataset.tabActive = active;
		});
		for (const tab of this.tabs.filter((t) => t.children.length)) {
			const link = E('a', { href: '#', click: (ev) => { ev.preventDefault(); show(tab.name); } }, [ tab.title ]);
			menu.append(E('li', { 'data-tab': tab.name }, [ link ]));
			panes.push(E('div', { 'data-tab': tab.name, 'data-tab-title': tab.title }, await Promise.all(tab.children.map((o) => o.render(this.sid)))));
		}
		show(this.tabs[0].name);
		return [ menu, ...panes ];
	},

	checkDepends() {
		this.children.forEach((o) => o.checkDepends(this.sid));
	},

	parse() {
		return uci.get(this.config, this.sid) ? Promise.all(this.children.map((o) => o.parse(this.sid))) : Promise.resolve();
	}
});

// An option with a text input.
const Value = baseclass.extend({
	__init__(section, option, title, description) {
		Object.assign(this, { section, map: section.map, config: section.config, option, title, description, keylist: [], vallist: [], deps: [] });
		this.values = {};
	},

	rmempty: true,
	optional: false,
	default: null,

	cbid(sid) {
		return `cbid.${this.config}.${sid}.${this.option}`;
	},

	value(key, label) {
		this.keylist.push(String(key));
		this.vallist.push(label ?? key);
	},

	depends(field, value) {
		this.deps.push(typeof field == 'string' ? { [field]: value } : field);
	},

	load(sid) {
		return uci.get(this.config, sid, this.option);
	},

	cfgvalue(sid, value) {
		if (arguments.length == 2)
			this.values[sid] = value;
		return this.values[sid] ?? null;
	},

	async render(sid, place) {
		this.cfgvalue(sid, await this.load(sid));
		const value = this.cfgvalue(sid), widget = await this.renderWidget(sid, place ?? 0, value), id = this.cbid(sid);
		const row = E('div', { class: 'cbi-value', id: `cbi-${this.config}-${sid}-${this.option}`, 'data-field': id, 'data-name': this.option }, [
			this.title ? E('label', { class: 'cbi-value-title', for: `widget.${id}` }, this.title) : '',
			E('div', { class: 'cbi-value-field' }, [ E('div', { id }, [ widget ]),
				this.description ? E('div', { class: 'cbi-value-description' }, this.description) : '' ])
		]);
		this.frame(sid, row);
		row.addEventListener('input', () => this.changed(sid));
		row.addEventListener('change', () => this.changed(sid));
		return row;
	},

	frames: null,

	frame(sid, row) {
		(this.frames ??= {})[sid] = row;
	},

	input(sid) {
		return this.frames?.[sid]?.querySelector(`[id="widget.${this.cbid(sid)}"]`);
	},

	changed(sid) {
		this.triggerValidation(sid);
		this.frames[sid].dispatchEvent(new CustomEvent('widget-change', { bubbles: true }));
	},

	attributes(sid) {
		return { id: `widget.${this.cbid(sid)}`, name: this.cbid(sid), disabled: this.readonly ?? this.map.readonly ? '' : null, 'data-update': 'change' };
	},

	renderWidget(sid, place, value) {
		return E('div', [ E('input', { class: 'cbi-input-text', type: 'text', placeholder: this.placeholder, value: value ?? this.default ?? '', ...this.attributes(sid) }) ]);
	},

	formvalue(sid) {
		const input = this.input(sid);
		return input ? input.value : null;
	},

	isActive(sid) {
		return !this.frames?.[sid]?.classList.contains('hidden');
	},

	checkDepends(sid) {
		if (!this.deps.length || !this.frames?.[sid])
			return;
		const others = this.section.children;
		const holds = this.deps.some((d) => Object.entries(d).every(([ name, value ]) => others.find((o) => o.option === name)?.formvalue(sid) === value));
		this.frames[sid].classList.toggle('hidden', !holds);
	},

	validate() {
		return true;
	},

	error: null,

	triggerValidation(sid) {
		const input = this.input(sid);
		if (!input)
			return true;
		const value = this.formvalue(sid), empty = value === '' || value == null;
		let said = !empty || this.optional ? true : this.rmempty ? true : _('Expecting: %s').format(_('non-empty value'));
		if (said === true)
			said = this.validate(sid, value);
		this.error = said === true ? null : String(said ?? _('Invalid value'));
		input.classList.toggle('cbi-input-invalid', this.error != null);
		input.setAttribute('data-tooltip', this.error ?? '');
		return this.error == null;
	},

	isValid(sid) {
		return this.triggerValidation(sid);
	},

	getValidationError() {
		return this.error ?? '';
	},

	parse(sid) {
		const active = this.isActive(sid), before = this.cfgvalue(sid), now = this.formvalue(sid);
		if (active && !this.isValid(sid))
			return Promise.reject(new TypeError(`Option "${this.title}" contains an invalid input value: ${this.getValidationError(sid)}`));
		const empty = now == null || now === '' || Array.isArray(now) && !now.length;
		if (active && !empty && !(this.rmempty && now === this.default)) {
			if (JSON.stringify(before) !== JSON.stringify(now))
				return Promise.resolve(this.write(sid, now));
		}
		else if (before != null && !this.retain)
			return Promise.resolve(this.remove(sid));
		return Promise.resolve();
	},

	write(sid, value) {
		return uci.set(this.config, sid, this.option, value);
	},

	remove(sid) {
		return uci.unset(this.config, sid, this.option);
	}
});

const ListValue = Value.extend({
	renderWidget(sid, place, value) {
		const now = value ?? this.default ?? '';
		const options = this.keylist.map((key, i) => E('option', { value: key, selected: key === String(now) ? '' : null }, [ this.vallist[i] ]));
		if (this.optional && !this.keylist.includes(''))
			options.unshift(E('option', { value: '' }, [ _('-- Please choose --') ]));
		return E('div', [ E('select', { class: 'cbi-input-select', ...this.attributes(sid) }, options) ]);
	}
});

const Flag = Value.extend({
	enabled: '1',
	disabled: '0',
	default: '0',

	renderWidget(sid, place, value) {
		const { id, ...more } = this.attributes(sid);
		return E('div', { class: 'cbi-checkbox' }, [
			E('input', { type: 'hidden', name: `cbi.cbe.${this.config}.${sid}.${this.option}`, value: '1' }),
			E('input', { id, type: 'checkbox', value: this.enabled, checked: (value ?? this.default) === this.enabled ? '' : null, ...more }),
			E('label', { for: id })
		]);
	},

	formvalue(sid) {
		const input = this.input(sid);
		return input ? input.checked ? this.enabled : this.disabled : null;
	},

	parse(sid) {
		const now = this.formvalue(sid);
		if (!this.isActive(sid))
			return Promise.resolve();
		if (this.rmempty && now === this.default)
			return Promise.resolve(this.cfgvalue(sid) != null ? this.remove(sid) : null);
		return Promise.resolve(JSON.stringify(this.cfgvalue(sid)) !== JSON.stringify(now) ? this.write(sid, now) : null);
	}
});

return baseclass.extend({ Map: CBIMap, NamedSection, Value, ListValue, Flag });
