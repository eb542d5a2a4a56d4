// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require ui';
'require sqmd.rpc as sqmd';

return baseclass.extend({
	style: () => E('link', { 'rel': 'stylesheet', 'href': L.resource('sqmd/sqmd.css') }),

	// What to show when the daemon does not answer; '' when it does.
	banner(error) {
		if (!error)
			return '';
		const kind = sqmd.kind(error);
		return E('div', { 'class': 'alert-message warning', 'role': 'alert', 'data-daemon': kind }, [
			E('p', {}, [ sqmd.explain(error) ]),
			kind == 'missing' && L.hasViewPermission() !== false ? E('button', {
				'type': 'button', 'class': 'btn cbi-button cbi-button-apply', 'data-action': 'start',
				'click': ui.createHandlerFn(this, 'start')
			}, [ _('Start it, and at each boot') ]) : ''
		]);
	},

	start() {
		return sqmd.init('sqmd', 'enable').then(() => sqmd.init('sqmd', 'start'))
			.then(() => new Promise((done) => window.setTimeout(done, 2000)))
			.then(() => window.location.reload())
			.catch((e) => ui.addNotification(null, E('p', {}, [ sqmd.explain(e) ]), 'warning'));
	}
});
