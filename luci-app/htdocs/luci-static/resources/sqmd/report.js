// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require sqmd.config as config';
'require sqmd.dialog as dialog';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';

const secret = /key|pass|secret|token|user|auth|cred/i;

// scrub takes out what names a machine: MAC, IPv4 and IPv6 addresses.
function scrub(text) {
	return text
		.replace(/\b[0-9a-f]{2}([:-][0-9a-f]{2}){5}\b/gi, 'xx:xx:xx:xx:xx:xx')
		.replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, 'x.x.x.x')
		.replace(/(^|[^\w:])([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, '$1x::x');
}

const sections = (name) => uci.load(name).then(() => config.text(uci.sections(name).map((section) =>
	Object.fromEntries(Object.entries(section).map(([ option, v ]) => [ option, option[0] != '.' && !config.options[option] && secret.test(option) ? '***' : v ])))));

const part = (title, promise) => promise.then((x) => typeof x == 'string' ? x : JSON.stringify(x, null, 1), sqmd.explain.bind(sqmd))
	.then((text) => `== ${title} ==\n${text}`);

// A page without TLS has no clipboard, but can still be told to copy.
function copy(area, said) {
	const told = () => { said.textContent = _('Copied.'); };
	const ask = () => document.execCommand('copy') && told();
	area.select();
	if (navigator.clipboard)
		navigator.clipboard.writeText(area.value).then(told, ask);
	else
		ask();
}

return baseclass.extend({
	scrub,

	text: () => Promise.all([
		...[ 'status', 'check', 'plan', 'doctor' ].map((method) => part(method, sqmd[method]())),
		...[ 'sqm', 'sqmd' ].map((name) => part(`/etc/config/${name}`, sections(name)))
	]).then((parts) => scrub(parts.join('\n\n'))),

	async show() {
		const area = E('textarea', { readonly: '', rows: 16, 'aria-label': _('Support report'), 'data-report': '' });
		const said = E('span', { role: 'status' });
		area.value = await this.text();
		dialog.show('support', _('Support report'), [
			E('p', [ _('Configuration, plan and state, without addresses and secrets. Read it before you pass it on.') ]),
			area,
			page.bar('right', said,
				page.button('copy', _('Copy'), 'cbi-button-action', () => copy(area, said), { 'data-first': '' }),
				page.button('close', _('Close'), '', () => dialog.hide(), { 'data-escape': '' }))
		]);
	}
});
