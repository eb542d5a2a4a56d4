// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require ui';

const focusable = 'button:not([disabled]), input, select, textarea, summary, a[href]';

let opener = null, dialog = null;

function keys(ev) {
	if (ev.key == 'Escape') {
		const way = dialog.querySelector('[data-escape]');
		if (way)
			way.click();
		ev.stopPropagation();
	}
	if (ev.key != 'Tab')
		return;
	const all = [ ...dialog.querySelectorAll(focusable) ].filter((n) => n.offsetParent);
	const edge = ev.shiftKey ? all[0] : all[all.length - 1];
	if (all.length && (document.activeElement == edge || document.activeElement == dialog)) {
		all[ev.shiftKey ? all.length - 1 : 0].focus();
		ev.preventDefault();
	}
}

return baseclass.extend({
	// Shows a modal dialog, in place of the one before. It keeps the focus; Escape
	// is a click on the button with data-escape.
	show(name, title, children) {
		if (!dialog)
			opener = document.activeElement;
		else
			dialog.removeEventListener('keydown', keys);
		dialog = ui.showModal([ title ], children, 'cbi-modal', 'sqmd-dialog');
		for (const [ attribute, value ] of Object.entries({ role: 'dialog', 'aria-modal': 'true', 'aria-label': title, tabindex: '-1', 'data-dialog': name }))
			dialog.setAttribute(attribute, value);
		dialog.addEventListener('keydown', keys);
		(dialog.querySelector('[data-first]') ?? dialog).focus();
		return dialog;
	},

	hide() {
		if (!dialog)
			return;
		dialog.removeEventListener('keydown', keys);
		[ 'role', 'aria-modal', 'aria-label', 'tabindex', 'data-dialog' ].forEach((attribute) => dialog.removeAttribute(attribute));
		dialog = null;
		ui.hideModal();
		if (opener?.isConnected)
			opener.focus();
	}
});
