// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require dom';
'require view';
'require uci';
'require ui';
'require sqmd.apply as apply';
'require sqmd.config as config';
'require sqmd.editor as editor';
'require sqmd.format as format';
'require sqmd.guide as guide';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

const copy = (x) => JSON.parse(JSON.stringify(x));

function action(name, label, style, click, disabled) {
	return E('button', { 'type': 'button', 'class': 'btn cbi-button %s'.format(style), 'data-action': name, 'disabled': disabled ? '' : null, 'click': click }, [ label ]);
}

function title(section) {
	return section['.anonymous'] ? _('Queue %s').format(sqmd.str(section.interface, 40) || section['.name']) : section['.name'];
}

function rateOf(text) {
	return /^[0-9]+$/.test(text ?? '') ? (+text ? format.rate(+text) : _('not shaped')) : sqmd.str(text, 40) || '–';
}

return view.extend({
	handleSave: null,
	handleSaveApply: null,
	handleReset: null,

	load() {
		return Promise.all([
			uci.load('sqm').then(() => null, (error) => error),
			sqmd.devices().catch(() => ({})),
			sqmd.overview().catch((error) => ({ error }))
		]);
	},

	render([ error, devices, overview ]) {
		this.readonly = L.hasViewPermission() === false;
		this.root = E('div', { 'class': 'sqmd' });
		this.take(error, devices, overview);
		const queues = this.queues();
		this.opened = queues.length == 1 ? queues[0]['.name'] : null;
		return this.draw().then(() => this.root);
	},

	take(error, devices, overview) {
		this.error = error;
		this.devices = sqmd.objects(devices.devices);
		this.overview = overview;
		this.before = copy(error ? [] : uci.sections('sqm'));
	},

	queues() {
		return this.error ? [] : uci.sections('sqm', 'queue');
	},

	// Reads everything anew, after something was applied or given up.
	again(opened) {
		uci.unload('sqm');
		this.opened = opened;
		return this.load().then((all) => {
			this.take(...all);
			return this.draw();
		});
	},

	async draw() {
		const queues = this.queues();
		const adding = !this.error && (!queues.length || this.opened === 'sqmd:new');
		const form = adding ? this.guide(queues.length) : this.opened ? await this.edit(this.opened) : '';
		dom.content(this.root, [
			page.style(),
			E('h2', {}, [ _('Queues') ]),
			page.banner(this.overview.error),
			this.error ? this.unreadable() : '',
			queues.length ? this.table(queues) : '',
			queues.length && !adding ? E('div', { 'class': 'cbi-section-create' }, [
				action('add-queue', _('Add a queue'), 'cbi-button-add', () => this.swap('sqmd:new'), this.readonly)
			]) : '',
			form
		]);
	},

	unreadable() {
		const list = E('div');
		sqmd.check().then((answer) => list.append(apply.findings(answer.findings))).catch(() => null);
		return E('div', { 'class': 'alert-message warning' }, [
			E('p', {}, [ _('/etc/config/sqm cannot be read: %s').format(sqmd.explain(this.error)) ]), list
		]);
	},

	table(queues) {
		return E('table', { 'class': 'table cbi-section-table' }, [
			E('tr', { 'class': 'tr table-titles' }, [ _('Queue'), _('Device'), _('Download'), _('Upload'), _('Line'), _('State'), _('Actions') ]
				.map((text) => E('th', { 'class': 'th', 'scope': 'col' }, [ text ])))
		].concat(queues.map((s) => this.row(s))));
	},

	row(s) {
		const id = s['.name'], on = config.shown('enabled', s.enabled) === '1';
		const cell = (label, content) => E('td', { 'class': 'td', 'data-title': label }, [ content ]);
		const of = sqmd.objects(this.overview.queues).find((q) => sqmd.list(q.sections).includes(id) || s['.anonymous'] && q.device === s.interface);
		const preset = config.preset(s.link_preset);
		return E('tr', { 'class': 'tr cbi-rowstyle-1', 'data-section': id }, [
			cell(_('Queue'), title(s)),
			cell(_('Device'), sqmd.str(s.interface, 40) || '–'),
			cell(_('Download'), rateOf(s.download)),
			cell(_('Upload'), rateOf(s.upload)),
			cell(_('Line'), preset ? preset.label : sqmd.str(s.linklayer, 40) || '–'),
			cell(_('State'), states.badge(on ? of ? states.worst(of) : 'unknown' : 'disabled')),
			E('td', { 'class': 'td cbi-section-actions' }, [ E('div', {}, [
				action('edit', _('Edit'), 'cbi-button-edit', () => this.swap(id)), ' ',
				action('toggle', on ? _('Disable') : _('Enable'), 'cbi-button-neutral', () => this.change(() => uci.set('sqm', id, 'enabled', on ? '0' : '1'), id), this.readonly), ' ',
				action('remove', _('Remove'), 'cbi-button-remove', () => this.change(() => uci.remove('sqm', id), null), this.readonly)
			]) ])
		]);
	},

	// Takes what is in the open form before something else is done; the form says
	// itself what cannot be taken.
	leave() {
		const open = this.opened && this.opened !== 'sqmd:new' && editor.root?.isConnected;
		return open ? editor.parse() : Promise.resolve();
	},

	swap(opened) {
		return this.leave().then(() => {
			this.opened = opened;
			return this.draw();
		}).then(() => this.root.querySelector('[data-editor], [data-guided]')?.scrollIntoView({ block: 'start' })).catch(() => null);
	},

	// Makes a change and asks to apply it; given up, all is as before.
	change(make, opened) {
		return this.leave().then(() => {
			make();
			return apply.ask(this.before, () => this.again(opened), () => this.again(opened));
		}).catch(() => null);
	},

	guide(cancel) {
		const add = ({ name, values }) => {
			uci.add('sqm', 'queue', name);
			for (const option in values)
				uci.set('sqm', name, option, values[option]);
			return name;
		};
		return guide.render(this.devices, {
			shape: (section) => {
				add(section);
				return apply.now((kept) => {
					if (kept)
						guide.clear();
					return this.again(kept ? section.name : null);
				});
			},
			expert: (section) => this.swap(add(section)),
			cancel: cancel ? () => { this.opened = null; this.draw(); } : null
		});
	},

	async edit(id) {
		const section = uci.get('sqm', id);
		if (!section)
			return '';
		const node = await editor.open(id, this.devices, this.readonly);
		return E('div', { 'class': 'cbi-section', 'data-editor': id }, [
			E('h3', {}, [ title(section) ]),
			node,
			E('div', { 'class': 'cbi-page-actions' }, [
				action('preview', _('Save & Apply'), 'cbi-button-apply important', () => this.change(() => null, id), this.readonly), ' ',
				action('save', _('Save'), 'cbi-button-save', () => this.save(id), this.readonly), ' ',
				action('reset', _('Reset'), 'cbi-button-reset', () => this.again(id))
			])
		]);
	},

	save(id) {
		return this.leave().then(() => uci.save().catch((e) => {
			ui.addNotification(null, E('p', {}, [ sqmd.explain(e) ]), 'warning');
			return Promise.reject(e);
		})).then(() => {
			if (typeof ui.changes?.init == 'function')
				L.resolveDefault(ui.changes.init());
			return this.again(id);
		}).catch(() => null);
	}
});
