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

// The button that opened it, or where that stands in a page drawn anew, or the
// page's heading.
function successor(node) {
	if (node?.isConnected)
		return node;
	const section = node?.closest('[data-section]')?.dataset.section;
	const all = [ ...document.querySelectorAll('#view [data-action]') ].filter((n) => n.dataset.action === node?.dataset.action);
	const heading = document.querySelector('#view h2');
	heading?.setAttribute('tabindex', '-1');
	return all.find((n) => n.closest('[data-section]')?.dataset.section === section) ?? heading;
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
		successor(opener)?.focus();
	},

	// Hides it once the page behind is drawn anew: what somebody typed into the old
	// one meanwhile would be lost.
	async leave(redraw) {
		dialog.querySelectorAll('button').forEach((button) => { button.disabled = true; });
		try {
			await redraw();
		}
		finally {
			this.hide();
		}
	}
});
