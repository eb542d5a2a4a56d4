// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.rpc as sqmd';

// The states of a direction from best to worst, and two of this page's own.
const states = new Map([
	[ 'off', [ '–', _('not asked for') ] ],
	[ 'shaped', [ '✓', _('shaped') ] ],
	[ 'stale', [ '…', _('about to be removed') ] ],
	[ 'waiting', [ '…', _('waiting for the device') ] ],
	[ 'stopped', [ '■', _('stopped by hand') ] ],
	[ 'unshaped', [ '✗', _('not shaped') ] ],
	[ 'refused', [ '✗', _('refused') ] ],
	[ 'conflict', [ '✗', _('in conflict') ] ],
	[ 'disabled', [ '–', _('disabled') ] ],
	[ 'unknown', [ '?', _('unknown') ] ]
]);

const order = [ ...states.keys() ];
const directions = new Map([ [ 'download', _('Download') ], [ 'upload', _('Upload') ] ]);
const known = (state) => states.get(state) ?? states.get('unknown');

return baseclass.extend({
	label: (state) => known(state)[1],

	direction: (name) => directions.get(name) ?? sqmd.str(name),

	// The state of a queue of overview as a whole: that of its worst direction.
	worst: (queue) => sqmd.objects(queue?.directions).map((d) => sqmd.str(d.state))
		.reduce((worst, s) => order.indexOf(s) > order.indexOf(worst) ? s : worst, 'off'),

	// Whether all that was asked for is there, or waits for its device alone.
	fine: (state) => [ 'off', 'shaped', 'waiting' ].includes(state),

	badge(state) {
		return this.set(E('span', { class: 'sqmd-state' }), state);
	},

	set(node, state) {
		if (node.dataset.state !== state) {
			node.dataset.state = state;
			node.textContent = known(state).join(' ');
		}
		return node;
	}
});
