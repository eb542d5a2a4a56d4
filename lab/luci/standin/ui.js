// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require dom';
'require rpc';
'require uci';

const call = (method, ...params) => rpc.declare({ object: 'uci', method, params, reject: true });
const apply = call('apply', 'timeout', 'rollback'), confirm = call('confirm');

// What waits to be applied: a count in the header, and the way to apply it.
const changes = {
	changes: {},

	init() {
		return uci.changes().then((all) => this.renderChangeIndicator(all ?? {}));
	},

	renderChangeIndicator(all) {
		this.changes = all;
		const n = Object.values(all).reduce((sum, list) => sum + list.length, 0);
		const place = document.getElementById('indicators');
		place.replaceChildren();
		if (n)
			dom.append(place, E('span', { class: 'indicator', 'data-indicator': 'uci-changes', 'data-style': 'active' }, [ _('Unsaved Changes'), `: ${n}` ]));
	},

	apply(checked) {
		this.displayStatus('notice spinning', E('p', [ _('Starting configuration apply…') ]));
		return apply(L.env.apply_rollback, checked ?? false)
			.then(() => checked ? this.confirm() : null)
			.then(() => {
				this.displayStatus('notice', E('p', [ _('Configuration changes applied.') ]));
				return new Promise((done) => setTimeout(done, L.env.apply_display * 1000));
			})
			.then(() => { L.ui.hideModal(); location.reload(); })
			.catch((error) => this.displayStatus('warning', E('p', [ error.message ])));
	},

	async confirm() {
		await new Promise((done) => setTimeout(done, L.env.apply_holdoff * 1000));
		return confirm();
	},

	displayStatus(type, content) {
		L.ui.showModal('', [ E('div', { class: `alert-message ${type}` }, content) ]);
	}
};

const overlay = () => document.getElementById('modal_overlay') ?? document.body.appendChild(E('div', { id: 'modal_overlay', tabindex: '-1' }, [
	E('div', { class: 'modal', role: 'dialog', 'aria-modal': 'true' })
]));

return baseclass.extend({
	changes,

	__init__() {
		L.ui = this;
		changes.init().catch(() => null);
	},

	instantiateView(path) {
		return L.require(`view.${path.replace(/\//g, '.')}`).catch(L.error);
	},

	showModal(title, children, ...classes) {
		const dialog = overlay().firstElementChild;
		dialog.className = [ 'modal', ...classes ].join(' ');
		dom.content(dialog, E('h4', {}, title));
		dom.append(dialog, children);
		document.body.classList.add('modal-overlay-active');
		return dialog;
	},

	hideModal() {
		document.body.classList.remove('modal-overlay-active');
		overlay().firstElementChild.replaceChildren();
	},

	addNotification(title, children, ...classes) {
		const message = E('div', { class: [ 'alert-message', 'fade-in', ...classes ].join(' '), role: 'alert' }, [
			E('div', {}, [ title == null ? '' : dom.append(E('h4'), title), children ]),
			E('button', { class: 'btn', 'aria-label': _('Dismiss'), click: () => message.remove() }, [ _('Dismiss') ])
		]);
		const main = document.getElementById('maincontent');
		main.insertBefore(message, main.firstElementChild);
		return message;
	},

	// The button spins and is disabled until what its handler returns has settled.
	createHandlerFn(self, fn, ...args) {
		const handler = typeof fn == 'string' ? self[fn] : fn;
		return (ev) => {
			const target = ev.currentTarget;
			target.classList.add('spinning');
			target.disabled = true;
			target.blur();
			return Promise.resolve(handler.call(self, ev, ...args)).catch(() => null).finally(() => {
				target.classList.remove('spinning');
				target.disabled = false;
			});
		};
	}
});
