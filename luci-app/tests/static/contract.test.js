// SPDX-License-Identifier: GPL-2.0-or-later
// What the page calls, what its access list opens, and what its menu shows are one.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { htdocs, load } from '../lib/modules.js';

const read = (name) => JSON.parse(readFileSync(new URL(`../../root/${name}`, import.meta.url), 'utf8'));
const access = read('usr/share/rpcd/acl.d/luci-app-sqmd.json')['luci-app-sqmd'];
const menu = read('usr/share/luci/menu.d/luci-app-sqmd.json');

// Everything that changes something.
const changing = [ 'sqmd reload', 'rc init', 'uci apply', 'uci confirm', 'uci revert', 'uci rollback' ];

const opened = (part) => Object.entries(access[part].ubus).flatMap(([ object, methods ]) => methods.map((method) => `${object} ${method}`)).sort();

function declared() {
	const all = [];
	load('sqmd.rpc', { rpc: { declare: ({ object, method }) => { all.push(`${object} ${method}`); return () => null; } } });
	return all.sort();
}

test('each call is opened, in the part for reading only if it changes nothing', () => {
	const calls = declared();
	assert.ok(calls.length > 10);
	assert.deepEqual(opened('read'), calls.filter((call) => !changing.includes(call)));
	assert.deepEqual(opened('write'), calls.filter((call) => changing.includes(call)));
});

test('nothing else is opened', () => {
	assert.deepEqual(Object.keys(access.read).sort(), [ 'ubus', 'uci' ]);
	assert.deepEqual(Object.keys(access.write).sort(), [ 'ubus', 'uci' ]);
	assert.deepEqual([ access.read.uci, access.write.uci ], [ [ 'sqm', 'sqmd' ], [ 'sqm', 'sqmd' ] ]);
});

test('calls are declared in one module', () => {
	const files = readdirSync(htdocs, { recursive: true }).filter((name) => name.endsWith('.js'));
	const with_ = files.filter((name) => /\brpc\.declare\b/.test(readFileSync(new URL(name, htdocs), 'utf8')));
	assert.deepEqual(with_, [ 'sqmd/rpc.js' ]);
	for (const name of files)
		assert.doesNotMatch(readFileSync(new URL(name, htdocs), 'utf8'), /^'require (fs|network|tools|luci)/m, name);
});

test('the daemon has each method', () => {
	const requests = readFileSync(new URL('../../../docs/daemon.md', import.meta.url), 'utf8');
	for (const call of declared().filter((c) => c.startsWith('sqmd ')))
		assert.match(requests, new RegExp(`^\\| \`${call.slice(5)}\` \\|`, 'm'), call);
});

test('each page of the menu is there, and needs the access list', () => {
	const pages = Object.values(menu).filter((entry) => entry.action.type == 'view');
	assert.equal(pages.length, 3);
	for (const { action } of pages)
		assert.ok(existsSync(new URL(`view/${action.path}.js`, htdocs)), action.path);
	assert.deepEqual(menu['admin/network/sqmd'].depends.acl, [ 'luci-app-sqmd' ]);
});
