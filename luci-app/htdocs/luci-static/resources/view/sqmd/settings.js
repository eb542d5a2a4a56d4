// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require form';
'require uci';
'require ui';
'require view';
'require sqmd.config as config';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';

const checkbox = (field, title, help, attributes) => E('div', { 'class': 'cbi-value' }, [
	E('label', { 'class': 'cbi-value-title', 'for': 'sqmd-%s'.format(field) }, [ title ]),
	E('div', { 'class': 'cbi-value-field' }, [
		E('input', Object.assign({ 'type': 'checkbox', 'id': 'sqmd-%s'.format(field), 'data-field': field, 'aria-describedby': 'sqmd-%s-note'.format(field) }, attributes)),
		E('div', { 'class': 'cbi-value-description', 'id': 'sqmd-%s-note'.format(field) }, [ help ])
	])
]);

return view.extend({
	load() {
		return Promise.all([
			uci.load('sqmd').then(() => uci.get('sqmd', 'main') ? null : _('There is no section main in /etc/config/sqmd.'), sqmd.explain.bind(sqmd)),
			sqmd.services('sqmd').then((all) => L.isObject(all.sqmd) ? all.sqmd : {}, (error) => ({ error }))
		]);
	},

	render([ problem, service ]) {
		this.readonly = L.hasViewPermission() === false;
		if (problem)
			this.handleSave = this.handleSaveApply = this.handleReset = null;
		const content = problem ? E('p', { 'class': 'alert-message warning' }, [ problem ]) : this.form();
		return Promise.resolve(content).then((node) => E('div', { 'class': 'sqmd' }, [ page.style(), node, this.service(service) ]));
	},

	form() {
		const map = new form.Map('sqmd', _('Settings'));
		map.readonly = this.readonly;
		const section = map.section(form.NamedSection, 'main', 'sqmd');
		for (const [ name, option ] of Object.entries(config.settings)) {
			const o = section.option(form.Flag, name, option.label, option.help);
			o.rmempty = false;
			o.default = option.default;
			o.load = (sid) => config.truth(uci.get('sqmd', sid, name), option.default);
		}
		return map.render();
	},

	// Whether it runs, and the start at boot: a link of the init script, which is
	// set at once and is no part of the configuration.
	service(state) {
		const said = E('span', { 'role': 'status' });
		const set = (ev) => {
			const box = ev.target, action = box.checked ? 'enable' : 'disable';
			box.disabled = true;
			return sqmd.init('sqmd', action).then(() => sqmd.services('sqmd')).then((all) => {
				box.checked = all.sqmd?.enabled === true;
				said.textContent = box.checked ? _('It starts at boot.') : _('It does not start at boot.');
			}).catch((error) => {
				box.checked = !box.checked;
				said.textContent = sqmd.explain(error);
			}).then(() => { box.disabled = false; });
		};
		const missing = state.error ? sqmd.explain(state.error) : state.start == null && state.enabled == null ? _('The service sqmd is not installed.') : '';
		return E('div', { 'class': 'cbi-section' }, [
			E('h3', {}, [ _('Service') ]),
			missing ? E('p', { 'class': 'alert-message warning' }, [ missing ]) : '',
			E('p', {}, [ state.running === true ? _('The daemon runs.') : _('The daemon does not run.') ]),
			checkbox('boot', _('Start at boot'), _('Takes effect at once, without saving.'), {
				'checked': state.enabled === true ? '' : null, 'disabled': this.readonly || missing ? '' : null, 'change': set
			}),
			said
		]);
	}
});
