// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require sqmd.config as config';
'require sqmd.dialog as dialog';
'require sqmd.rpc as sqmd';

const secret = /key|pass|secret|token|user|auth|cred/i;

// scrub takes out what names a machine: MAC, IPv4 and IPv6 addresses.
function scrub(text) {
	return text
		.replace(/\b[0-9a-f]{2}([:-][0-9a-f]{2}){5}\b/gi, 'xx:xx:xx:xx:xx:xx')
		.replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, 'x.x.x.x')
		.replace(/(^|[^\w:])([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, '$1x::x');
}

function sections(name) {
	return uci.load(name).then(() => config.text(uci.sections(name).map((section) => {
		const clean = Object.assign({}, section);
		for (const option in clean)
			if (option[0] != '.' && !config.options[option] && secret.test(option))
				clean[option] = '***';
		return clean;
	})));
}

const part = (title, promise) => promise.then((x) => typeof x == 'string' ? x : JSON.stringify(x, null, 1), (e) => String(e?.message ?? e).split('\n')[0])
	.then((text) => '== %s ==\n'.format(title) + text);

function copy(area, said) {
	const told = () => { said.textContent = _('Copied.'); };
	area.select();
	if (navigator.clipboard)
		navigator.clipboard.writeText(area.value).then(told, () => document.execCommand('copy') && told());
	else if (document.execCommand('copy'))
		told();
}

return baseclass.extend({
	scrub,

	text() {
		return Promise.all([
			part('status', sqmd.status()),
			part('check', sqmd.check()),
			part('plan', sqmd.plan()),
			part('doctor', sqmd.doctor()),
			part('/etc/config/sqm', sections('sqm')),
			part('/etc/config/sqmd', sections('sqmd'))
		]).then((parts) => scrub(parts.join('\n\n')));
	},

	show() {
		return this.text().then((text) => {
			const area = E('textarea', { 'readonly': '', 'rows': 16, 'aria-label': _('Support report'), 'data-report': '' });
			area.value = text;
			const said = E('span', { 'role': 'status' });
			dialog.show('support', _('Support report'), [
				E('p', {}, [ _('Configuration, plan and state, without addresses and secrets. Read it before you pass it on.') ]),
				area,
				E('div', { 'class': 'right' }, [
					said, ' ',
					E('button', { 'class': 'btn cbi-button cbi-button-action', 'data-action': 'copy', 'data-first': '', 'click': () => copy(area, said) }, [ _('Copy') ]), ' ',
					E('button', { 'class': 'btn cbi-button', 'data-action': 'close', 'data-escape': '', 'click': () => dialog.hide() }, [ _('Close') ])
				])
			]);
		});
	}
});
