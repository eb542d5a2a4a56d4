// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require ui';
'require sqmd.rpc as sqmd';

return baseclass.extend({
	style: () => E('link', { rel: 'stylesheet', href: L.resource('sqmd/sqmd.css') }),

	// data-action is what tests and style sheets know a button by.
	button: (action, label, style, click, more) => E('button', Object.assign({
		type: 'button', class: `btn cbi-button ${style}`, 'data-action': action, click
	}, more), [ label ]),

	warning: (text) => E('p', { class: 'alert-message warning' }, [ text ]),

	notify(error) {
		ui.addNotification(null, E('p', [ sqmd.explain(error) ]), 'warning');
	},

	// What to show when the daemon does not answer; '' when it does.
	banner(error) {
		if (!error)
			return '';
		const kind = sqmd.kind(error);
		return E('div', { class: 'alert-message warning', role: 'alert', 'data-daemon': kind }, [
			E('p', [ sqmd.explain(error) ]),
			kind == 'missing' && L.hasViewPermission() !== false
				? this.button('start', _('Start it, and at each boot'), 'cbi-button-apply', () => this.start()) : ''
		]);
	},

	start() {
		return sqmd.init('sqmd', 'enable').then(() => sqmd.init('sqmd', 'start'))
			.then(() => window.setTimeout(() => window.location.reload(), 2000), this.notify);
	}
});
