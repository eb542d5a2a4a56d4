// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.rpc as sqmd';

const states = {
	shaped: [ '✓', _('shaped') ],
	off: [ '–', _('not asked for') ],
	waiting: [ '…', _('waiting for the device') ],
	unshaped: [ '✗', _('not shaped') ],
	refused: [ '✗', _('refused') ],
	conflict: [ '✗', _('in conflict') ],
	stopped: [ '■', _('stopped by hand') ],
	stale: [ '…', _('about to be removed') ],
	disabled: [ '–', _('disabled') ],
	unknown: [ '?', _('unknown') ]
};

const directions = { download: _('Download'), upload: _('Upload') };

// From best to worst, of those that a whole queue can be in.
const order = [ 'off', 'shaped', 'stale', 'waiting', 'stopped', 'unshaped', 'refused', 'conflict' ];

return baseclass.extend({
	label: (state) => (states[Object.hasOwn(states, state) ? state : 'unknown'])[1],

	direction: (name) => Object.hasOwn(directions, name) ? directions[name] : sqmd.str(name, 40),

	// The state of a queue of overview as a whole: that of its worst direction.
	worst(queue) {
		return sqmd.objects(queue?.directions).map((d) => sqmd.str(d.state))
			.reduce((worst, s) => order.indexOf(s) > order.indexOf(worst) ? s : worst, 'off');
	},

	// Whether all that was asked for is there, or waits for its device alone.
	fine: (state) => [ 'off', 'shaped', 'waiting' ].includes(state),

	badge(state) {
		const node = E('span', { 'class': 'sqmd-state' });
		this.set(node, state);
		return node;
	},

	set(node, state) {
		if (node.getAttribute('data-state') === state)
			return;
		const known = Object.hasOwn(states, state) ? state : 'unknown';
		node.setAttribute('data-state', state);
		node.textContent = '%s %s'.format(...states[known]);
	}
});
