// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require ui';
'require sqmd.rpc as sqmd';

const { str } = sqmd;

const severities = new Map([ [ 'error', _('Error') ], [ 'warning', _('Warning') ] ]);

return baseclass.extend({
	style: () => E('link', { rel: 'stylesheet', href: L.resource('sqmd/sqmd.css') }),

	// data-action is what tests and style sheets know a button by.
	button: (action, label, style, click, more) => E('button', {
		type: 'button', class: `btn cbi-button ${style}`, 'data-action': action, click, ...more
	}, [ label ]),

	bar: (style, ...buttons) => E('div', { class: style }, buttons.flatMap((b) => [ b, ' ' ])),

	warning: (text) => E('p', { class: 'alert-message warning' }, [ text ]),

	// What doctor, preview or check has found, or mistakes that are mere texts.
	findings: (all) => E('ul', { class: 'sqmd-findings' }, sqmd.list(all).map((x) => L.isObject(x) ? x : { severity: 'error', message: x }).map((f) =>
		E('li', { 'data-severity': str(f.severity), 'data-finding': str(f.id) }, [
			E('strong', [ severities.get(f.severity) ?? _('Note') ]), ' ',
			[ [ f.section ?? (f.queue || f.device), f.option ].map(str).filter(Boolean).join('.'), str(f.message ?? f.problem) ].filter(Boolean).join(': '),
			f.remedy ? E('div', [ E('em', [ _('What to do:') ]), ' ', str(f.remedy) ]) : '',
			f.evidence ? E('small', [ str(f.evidence) ]) : ''
		]))),

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
			.then(() => setTimeout(() => location.reload(), 2000), this.notify);
	}
});
