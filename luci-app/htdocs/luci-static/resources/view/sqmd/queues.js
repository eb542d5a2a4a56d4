// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require dom';
'require view';
'require uci';
'require sqmd.apply as apply';
'require sqmd.config as config';
'require sqmd.editor as editor';
'require sqmd.format as format';
'require sqmd.guide as guide';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

const { str, list, objects } = sqmd;

// What is open instead of a section.
const adding = Symbol('adding');

const title = (s) => s['.anonymous'] ? _('Queue %s').format(str(s.interface) || s['.name']) : s['.name'];

const rate = (text) => /^[0-9]+$/.test(text ?? '') ? (+text ? format.rate(+text) : _('not shaped')) : str(text) || '–';

const cell = (label, content) => E('td', { class: 'td', 'data-title': label }, [ content ]);

return view.extend({
	handleSave: null,
	handleSaveApply: null,
	handleReset: null,

	load() {
		return Promise.all([
			uci.load('sqm').then(() => null, (error) => error),
			sqmd.soon(sqmd.devices()).catch(() => ({})),
			sqmd.soon(sqmd.overview()).catch((error) => ({ error }))
		]);
	},

	render(all) {
		this.readonly = L.hasViewPermission() === false;
		this.root = E('div', { class: 'sqmd' });
		this.take(all);
		this.opened = null;
		if (this.queues().length == 1)
			this.opened = this.queues()[0]['.name'];
		return this.draw().then(() => this.root);
	},

	take([ error, devices, overview ]) {
		this.error = error;
		this.devices = objects(devices.devices);
		this.overview = overview;
		this.before = JSON.parse(JSON.stringify(error ? [] : uci.sections('sqm')));
	},

	queues() {
		return this.error ? [] : uci.sections('sqm', 'queue');
	},

	// Reads everything anew, after something was applied or given up.
	again(opened) {
		uci.unload('sqm');
		this.opened = opened;
		return this.load().then((all) => {
			this.take(all);
			return this.draw();
		});
	},

	async draw() {
		const queues = this.queues(), guided = !this.error && (!queues.length || this.opened === adding);
		const below = guided ? this.guide(queues.length) : this.opened ? await this.edit(this.opened) : '';
		dom.content(this.root, [
			page.style(),
			E('h2', [ _('Queues') ]),
			page.banner(this.overview.error),
			this.error ? this.unreadable() : '',
			queues.length ? this.table(queues) : '',
			queues.length && !guided ? E('div', { class: 'cbi-section-create' }, [ this.action('add-queue', _('Add a queue'), 'cbi-button-add', () => this.swap(adding)) ]) : '',
			below
		]);
	},

	// A button that a login without the right to write cannot use.
	action(...args) {
		return page.button(...args, { disabled: this.readonly ? '' : null });
	},

	unreadable() {
		const node = page.warning(_('/etc/config/sqm cannot be read: %s').format(sqmd.explain(this.error)));
		sqmd.check().then((answer) => node.append(page.findings(answer.findings)), () => null);
		return node;
	},

	table(queues) {
		const titles = [ _('Queue'), _('Device'), _('Download'), _('Upload'), _('Line'), _('State'), _('Actions') ];
		return E('table', { class: 'table cbi-section-table' }, [
			E('tr', { class: 'tr table-titles' }, titles.map((text) => E('th', { class: 'th', scope: 'col' }, [ text ]))),
			...queues.map((s) => this.row(s, titles))
		]);
	},

	row(s, titles) {
		const id = s['.name'], on = config.truth(s.enabled, '0') === '1';
		const of = objects(this.overview.queues).find((q) => list(q.sections).includes(id) || s['.anonymous'] && q.device === s.interface);
		const texts = [ title(s), str(s.interface) || '–', rate(s.download), rate(s.upload), config.preset(s.link_preset)?.label ?? (str(s.linklayer) || '–') ];
		return E('tr', { class: 'tr cbi-rowstyle-1', 'data-section': id }, [
			...texts.map((text, i) => cell(titles[i], text)),
			cell(titles[5], states.badge(on ? of ? states.worst(of) : 'unknown' : 'disabled')),
			E('td', { class: 'td cbi-section-actions' }, [ page.bar('',
				page.button('edit', _('Edit'), 'cbi-button-edit', () => this.swap(id)),
				this.action('toggle', on ? _('Disable') : _('Enable'), '', () => this.change(() => uci.set('sqm', id, 'enabled', on ? '0' : '1'), id)),
				this.action('remove', _('Remove'), 'cbi-button-remove', () => this.change(() => uci.remove('sqm', id), null))) ])
		]);
	},

	// Takes what is in the open form before something else is done; the form says
	// itself what cannot be taken.
	leave() {
		return this.opened && this.opened !== adding && editor.root?.isConnected ? editor.parse() : Promise.resolve();
	},

	swap(opened) {
		return this.leave().then(() => {
			this.opened = opened;
			return this.draw();
		}).then(() => this.root.querySelector('[data-editor], [data-guided]')?.scrollIntoView(), () => null);
	},

	// Makes a change and asks to apply it; given up, all is as before.
	change(make, opened) {
		const again = () => this.again(opened);
		return this.leave().then(() => {
			make?.();
			return apply.ask(this.before, again, again);
		}).catch(() => null);
	},

	guide(cancel) {
		const add = ({ name, values }) => {
			uci.add('sqm', 'queue', name);
			for (const option in values)
				uci.set('sqm', name, option, values[option]);
			return name;
		};
		return guide.render(this.devices, this.readonly, {
			shape: (section) => apply.now((kept) => {
				if (kept)
					guide.clear();
				return this.again(kept ? section.name : null);
			}, add(section)),
			expert: (section) => this.swap(add(section)),
			cancel: cancel && (() => this.again(null))
		});
	},

	async edit(id) {
		const section = uci.get('sqm', id);
		if (!section)
			return '';
		const node = await editor.open(id, this.devices, this.readonly);
		return E('div', { class: 'cbi-section', 'data-editor': id }, [
			E('h3', [ title(section) ]), node,
			page.bar('cbi-page-actions',
				this.action('preview', _('Save & Apply'), 'cbi-button-apply important', () => this.change(null, id)),
				this.action('save', _('Save'), 'cbi-button-save', () => this.save(id)),
				this.action('reset', _('Reset'), 'cbi-button-reset', () => this.again(id)))
		]);
	},

	save(id) {
		return this.leave().then(() => uci.save().catch(page.notify).then(() => {
			apply.indicate();
			return this.again(id);
		}), () => null);
	}
});
