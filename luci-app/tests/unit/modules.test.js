// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the page that need no page.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { load } from '../lib/modules.js';

const config = load('sqmd.config');

test('a configuration is written as UCI, with quotes where they are needed', () => {
	const text = config.text([ { '.name': 'a', '.type': 'queue', '.index': 0, interface: "it's", list: [ 'x', 'y z' ], none: '' } ], { a: { upload: '5', interface: undefined } });
	assert.equal(text, "config queue 'a'\n\tlist list 'x'\n\tlist list 'y z'\n\toption upload '5'\n");
	assert.match(config.text([ { '.name': 'a', '.type': 'queue', interface: "it's" } ]), /option interface 'it'\\''s'/);
});

test('differences between two configurations', () => {
	const before = [ { '.name': 'a', upload: '1', download: '2' }, { '.name': 'gone', upload: '1' } ];
	const after = [ { '.name': 'a', upload: '3', download: '2' }, { '.name': 'new', upload: '1' } ];
	assert.deepEqual(config.changes(before, after), [ 'a.upload: 1 → 3', 'gone.upload: 1 → –', 'new.upload: – → 1' ]);
	assert.deepEqual(config.changes(before, before), []);
});

test('the report for support names no machine', () => {
	const none = { show: () => null };
	const { scrub } = load('sqmd.report', { uci: {}, 'sqmd.dialog': none, 'sqmd.page': none, 'sqmd.rpc': { explain: () => '' } });
	const text = scrub('10.1.2.3 and 192.168.1.1/24, fd00:1::2, 2001:db8:0:1:2:3:4:5, 02:00:5e:10:00:01 at 12:34:56, 10000 kbit/s, 1.5 s');
	for (const secret of [ '10.1.2.3', '192.168.1.1', 'fd00:1', '2001:db8', '02:00:5e' ])
		assert.ok(!text.includes(secret), `${secret} in ${text}`);
	assert.match(text, /10000 kbit\/s, 1.5 s/);
});

test('numbers are written with the unit that fits', () => {
	globalThis.document = { documentElement: { lang: 'en' } };
	const format = load('sqmd.format');
	assert.deepEqual([ 0, 999, 10000, 1500000, NaN, null, 1e30 ].map((n) => format.rate(n).replace(/,/g, '')).slice(0, 6),
		[ '0 kbit/s', '999 kbit/s', '10 Mbit/s', '1.5 Gbit/s', '–', '–' ]);
	assert.deepEqual([ 150, 5200, 2500000 ].map(format.delay), [ '150 µs', '5.2 ms', '2.5 s' ]);
});
