// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require ui';

let opener = null, dialog = null;

function keys(ev) {
	if (ev.key == 'Escape') {
		dialog.querySelector('[data-escape]')?.click();
		ev.stopPropagation();
	}
	if (ev.key != 'Tab')
		return;
	const all = [ ...dialog.querySelectorAll('button, textarea, summary, pre') ].filter((n) => n.offsetParent);
	const at = document.activeElement;
	if (ev.shiftKey ? at == all[0] || at == dialog : at == all[all.length - 1]) {
		all[ev.shiftKey ? all.length - 1 : 0]?.focus();
		ev.preventDefault();
	}
}

const about = (name, title) => Object.entries({ role: 'dialog', 'aria-modal': 'true', 'aria-label': title, tabindex: '-1', 'data-dialog': name });

return baseclass.extend({
	// Shows a modal dialog, in place of the one before. It keeps the focus; Escape
	// is a click on the button with data-escape.
	show(name, title, children) {
		opener = dialog ? opener : document.activeElement;
		dialog = ui.showModal([ title ], children, 'cbi-modal', 'sqmd-dialog');
		about(name, title).forEach(([ attribute, value ]) => dialog.setAttribute(attribute, value));
		dialog.addEventListener('keydown', keys);
		(dialog.querySelector('[data-first]') ?? dialog).focus();
	},

	hide() {
		dialog.removeEventListener('keydown', keys);
		about().forEach(([ attribute ]) => dialog.removeAttribute(attribute));
		dialog = null;
		ui.hideModal();
		opener?.focus();
	}
});
