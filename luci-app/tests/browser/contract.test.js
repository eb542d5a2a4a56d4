// SPDX-License-Identifier: GPL-2.0-or-later
// What only a running page or daemon can tell of the contracts between them.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { close, open, shell } from '../lib/browser.js';
import { answers, router } from '../lib/stub.js';

const access = JSON.parse(readFileSync(new URL('../../root/usr/share/rpcd/acl.d/luci-app-sqmd.json', import.meta.url), 'utf8'))['luci-app-sqmd'];

test('the daemon registers what the access list names', async () => {
	const listed = [ ...(await shell('chroot /tmp/router-* /bin/ubus -v list sqmd')).matchAll(/^\t"(\w+)"/gm) ].map(([ , method ]) => method);
	for (const method of [ ...access.read.ubus.sqmd, ...access.write.ubus.sqmd ])
		assert.ok(listed.includes(method), `${method} is not among ${listed}`);
});

test('the form has a field for each option of the schema, and no other', async () => {
	const page = await open('queues', { stub: router(answers()) });
	await page.locator('[data-action="edit"]').first().click();
	await page.locator('[data-editor="eth1"]').waitFor();
	const fields = await page.evaluate(() => [ ...document.querySelectorAll('[data-field^="cbid.sqm.eth1."]') ].map((node) => node.dataset.field.slice(14)).sort());
	const options = await page.evaluate(async () => Object.keys((await window.L.require('sqmd.config')).options).sort());
	assert.ok(options.length > 30);
	assert.deepEqual(fields, options);
	await close(page);
});

test('a text becomes markup on these pages where it would in LuCI', async () => {
	const page = await open('overview', { stub: router(answers()) });
	const made = await page.evaluate(() => [ window.E('p', {}, '<b>x</b>'), window.E('p', {}, [ '<b>x</b>' ]) ].map((node) => node.children.length));
	assert.deepEqual(made, [ 1, 0 ]);
	await close(page);
});
