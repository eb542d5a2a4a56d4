// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require form';
'require uci';
'require view';
'require sqmd.config as config';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';

const explain = sqmd.explain.bind(sqmd);

return view.extend({
	load() {
		return Promise.all([
			uci.load('sqmd').then(() => uci.get('sqmd', 'main') ? '' : _('There is no section main in /etc/config/sqmd.'), explain),
			sqmd.services('sqmd').then((all) => all.sqmd ?? { error: _('The service sqmd is not installed.') }, (e) => ({ error: explain(e) }))
		]);
	},

	render([ problem, service ]) {
		this.readonly = L.hasViewPermission() === false;
		if (problem)
			this.handleSave = this.handleSaveApply = this.handleReset = null;
		return Promise.resolve(problem ? page.warning(problem) : this.form())
			.then((node) => E('div', { class: 'sqmd' }, [ page.style(), node, this.service(service) ]));
	},

	form() {
		const map = new form.Map('sqmd', _('Settings'));
		map.readonly = this.readonly;
		const section = map.section(form.NamedSection, 'main', 'sqmd');
		for (const [ name, option ] of Object.entries(config.settings))
			this.flag(section.option(form.Flag, name, option.label, option.help), name, option.default);
		return map.render().then((node) => {
			node.querySelectorAll('.cbi-value').forEach((row) => row.querySelector('input[type=checkbox]').setAttribute('aria-label', row.querySelector('label').textContent));
			return node;
		});
	},

	// LuCI writes a flag whenever it saves; this one only when it is another.
	flag(o, name, standard) {
		o.rmempty = false;
		o.default = standard;
		o.load = (sid) => config.truth(uci.get('sqmd', sid, name), standard);
		o.write = (sid, value) => value !== o.load(sid) && uci.set('sqmd', sid, name, value);
	},

	// Whether it runs, and the start at boot: a link of the init script, which is
	// set at once and is no part of the configuration.
	service({ error, enabled, running }) {
		const said = E('span', { role: 'status' });
		const box = E('input', {
			type: 'checkbox', id: 'sqmd-boot', 'data-field': 'boot', 'aria-describedby': 'sqmd-boot-note',
			checked: enabled === true ? '' : null, disabled: this.readonly || error ? '' : null, change: () => this.boot(box, said)
		});
		return E('div', { class: 'cbi-section' }, [
			E('h3', [ _('Service') ]),
			error ? page.warning(error) : '',
			E('p', [ running === true ? _('The daemon runs.') : _('The daemon does not run.') ]),
			E('div', { class: 'cbi-value' }, [
				E('label', { class: 'cbi-value-title', for: 'sqmd-boot' }, [ _('Start at boot') ]),
				E('div', { class: 'cbi-value-field' }, [ box, E('div', { class: 'cbi-value-description', id: 'sqmd-boot-note' }, [ _('Takes effect at once, without saving.') ]) ])
			]),
			said
		]);
	},

	boot(box, said) {
		box.disabled = true;
		return sqmd.init('sqmd', box.checked ? 'enable' : 'disable').then(() => sqmd.services('sqmd')).then((all) => {
			box.checked = all.sqmd?.enabled === true;
			said.textContent = box.checked ? _('It starts at boot.') : _('It does not start at boot.');
		}).catch((error) => {
			box.checked = !box.checked;
			said.textContent = explain(error);
		}).then(() => { box.disabled = false; });
	}
});
