// SPDX-License-Identifier: GPL-2.0-or-later
// The page finds a value wrong exactly where the daemon's own check does. SQMD_PROGRAM is sqmd.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { load } from '../lib/modules.js';

const config = load('sqmd.config');
const program = process.env.SQMD_PROGRAM;

const values = [
	'0', '1', '-1', '2', '10', '44', '64', '65', '-64', '-65', '256', '257', '1500', '1501', '-1500', '-1501', '2047', '4096', '16384', '16385', '65535', '65536',
	'1000000000', '1000000001', '2147483647', '2147483648', '99999999999999999999', '007', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', 'on', 'OFF', 'yes', 'No', 'enabled', 'maybe',
	'ECN', 'ecn', 'NOECN', 'noecn', 'auto', 'default', 'none', 'ethernet', 'atm', 'adsl', 'ptm', 'cake', 'fq_codel', 'htb', 'tc_stab', 'htb_private',
	'5ms', '5 ms', '100us', '2s', '-5ms', '5000', '1m', '4Mb', '4mb', '1k', '1K', '1g', 'internet', 'lan', 'regional', 'piece_of_cake.qos', 'simple.qos', 'nonsense.qos', 'layer_cake',
	'cable', 'vdsl2-pppoe', 'device', 'flow', 'priorities', 'ä', "it's", '<b>', '1;2'
];

const sound = { enabled: '1', download: '20000', upload: '2000', script: 'piece_of_cake.qos', qdisc: 'cake' };
// With other recipes than this one a queue discipline is not chosen, and its name not looked at.
const chosen = { qdisc: { script: 'simple.qos' } };

const quoted = (text) => `'${text.replace(/'/g, "'\\''")}'`;

// What sqmd check says, by section and option.
function check(cases) {
	const dir = mkdtempSync(`${tmpdir()}/sqmd-`);
	try {
		writeFileSync(`${dir}/sqm`, cases.map(({ section, options }) => `config queue ${quoted(section)}\n`
			+ Object.entries(options).map(([ name, value ]) => `\toption ${name} ${quoted(value)}\n`).join('')).join('\n'));
		const { status, stdout, stderr } = spawnSync(program, [ '-c', `${dir}/sqm`, 'check' ], { encoding: 'utf8' });
		assert.ok([ 0, 3 ].includes(status), stderr);
		return stdout + stderr;
	}
	finally {
		rmSync(dir, { recursive: true });
	}
}

// sqmd check ends its list when it gets long.
const batches = (cases, size = 100) => Array.from({ length: Math.ceil(cases.length / size) }, (_x, i) => cases.slice(i * size, (i + 1) * size));

test('a value is a mistake for the page where it is one for sqmd check', () => {
	assert.ok(program, 'SQMD_PROGRAM is not set: run scripts/test-luci');
	const cases = [];
	for (const [ option, about ] of Object.entries(config.options))
		// Words of tc are looked at by the daemon alone, whose preview the form shows.
		if (about.type != 'words' && option != 'enabled')
			for (const value of values) {
				const section = `s${cases.length}`;
				cases.push({ section, option, value, options: { interface: `d${cases.length}`, ...sound, ...chosen[option], [option]: value } });
			}
	const said = new Map();
	for (const line of batches(cases).flatMap((some) => check(some).split('\n')))
		// What else it finds is no mistake of the value, but advice about it: a number for a truth can be used.
		for (const [ , section, option ] of line.matchAll(/queue '(s\d+)', option '(\w+)'(?!.*any number but 1).*accepted:/g))
			said.set(`${section}.${option}`, line);
	assert.ok(said.size > 100, 'findings name section and option');
	const wrong = cases.filter(({ section, option, value, options }) => {
		const problem = config.problem(option, value, config.context(options));
		return !!problem != said.has(`${section}.${option}`);
	}).map(({ section, option, value }) => `${option} '${value}': sqmd says ${JSON.stringify(said.get(`${section}.${option}`) ?? 'nothing')}`);
	assert.equal(wrong.length, 0, `${wrong.length}:\n${wrong.slice(0, 40).join('\n')}`);
});
