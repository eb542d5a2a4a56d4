// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require rpc';

const calls = (object) => (method, ...params) => rpc.declare({ object, method, params, expect: { '': {} }, reject: true });
const sqmd = calls('sqmd'), uci = calls('uci'), rc = calls('rc');

// What an answer's numbers in an error's text stand for: those of JSON-RPC are
// negative, those of ubus are not.
const kinds = [
	[ /(-32002|code 6)\b/, 'denied' ],
	[ /(-32000|code 4)\b/, 'missing' ],
	[ /(-32601|code 3)\b/, 'old' ],
	[ /code 7\b|time(d )?out/i, 'slow' ]
];

const meanings = {
	denied: _('This login may not do that (after an installation, log in anew), or an earlier change still waits to be kept.'),
	missing: _('The daemon sqmd does not answer: it is not installed or does not run.'),
	old: _('The daemon sqmd is older than this page. Upgrade the package sqmd.'),
	slow: _('The daemon sqmd did not answer in time.')
};

const text = (error) => String(error?.message ?? error);

return baseclass.extend({
	overview: sqmd('overview'),
	status: sqmd('status'),
	history: sqmd('history', 'device', 'direction', 'step_s'),
	plan: sqmd('plan'),
	check: sqmd('check'),
	doctor: sqmd('doctor'),
	devices: sqmd('devices'),
	preview: sqmd('preview', 'config'),
	reload: sqmd('reload'),

	apply: uci('apply', 'timeout', 'rollback'),
	confirm: uci('confirm'),
	rollback: uci('rollback'),
	revert: uci('revert', 'config'),

	services: rc('list', 'name'),
	init: rc('init', 'name', 'action'),

	// The answer of a call, or after three seconds an error: a page is not to wait
	// for a daemon that is slow.
	soon: (answer) => Promise.race([ answer, new Promise((_done, fail) => setTimeout(() => fail(new Error('timeout')), 3000)) ]),

	// What a failed call means: denied, missing (no daemon), old (no such method),
	// slow or failed.
	kind: (error) => kinds.find(([ pattern ]) => pattern.test(text(error)))?.[1] ?? 'failed',

	// The same for people.
	explain(error) {
		return meanings[this.kind(error)] ?? text(error).split('\n')[0].slice(0, 300);
	},

	// Parts of an answer, whatever came.
	num: (v) => typeof v == 'number' && isFinite(v) ? v : 0,
	str: (v) => typeof v == 'string' || typeof v == 'number' ? String(v).slice(0, 500) : '',
	list: (v) => Array.isArray(v) ? v : [],
	objects: (v) => Array.isArray(v) ? v.filter(L.isObject) : []
});
