// SPDX-License-Identifier: GPL-2.0-or-later
// Daemons that are missing, old, slow or forbidden, and many queues.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { barriers, close, open, overflow, sound, visit } from '../lib/browser.js';
import { answers, failure, router } from '../lib/stub.js';

const pages = [ 'overview', 'queues', 'settings' ];

const failing = (how, but = []) => {
	const all = answers();
	for (const method in all.sqmd)
		if (!but.includes(method))
			all.sqmd[method] = how;
	return all;
};

const daemons = {
	missing: failing(failure(-32000)),
	'missing, as LuCI itself says it': failing(failure(0, 4)),
	old: failing(failure(0, 3), [ 'status', 'history', 'plan', 'check', 'doctor', 'reload' ]),
	denied: failing(failure(-32002)),
	slow: failing(failure(0, 7))
};

for (const [ name, stub ] of Object.entries(daemons))
	test(`a daemon that is ${name}`, async () => {
		const page = await open('overview', { stub: router(stub) });
		await page.locator(`[data-daemon="${name.split(',')[0]}"]`).waitFor();
		for (const other of pages) {
			await visit(page, other);
			await page.waitForTimeout(300);
			await sound(page);
		}
		await close(page);
	});

test('a daemon that takes five seconds for each answer keeps no page from showing', async () => {
	const page = await open('overview', { stub: router(answers(), 5000) });
	for (const name of [ 'overview', 'queues' ]) {
		const started = performance.now();
		await visit(page, name);
		const took = performance.now() - started;
		assert.ok(took < 15000, `${name} took ${took} ms`);
		await sound(page);
	}
	await close(page);
});

test('a daemon that goes and comes back while the page is open', async () => {
	const all = answers(), overview = all.sqmd.overview;
	const page = await open('overview', { stub: router(all) });
	await page.locator('[data-queue="eth1"]').waitFor();
	all.sqmd.overview = failure(-32000);
	await page.locator('[data-daemon="missing"]').waitFor();
	all.sqmd.overview = overview;
	await page.locator('[data-daemon]').waitFor({ state: 'detached' });
	await close(page);
});

for (const n of [ 0, 1, 12 ])
	test(`${n} queues, narrow and wide`, async () => {
		for (const width of [ 360, 1280, 2560 ]) {
			const page = await open('overview', { stub: router(answers(n)), viewport: { width, height: 800 } });
			await page.locator(n ? `[data-queue="eth${n}"]` : '#view h2').first().waitFor();
			assert.equal(await page.locator('[data-queue]').count(), n);
			for (const name of pages) {
				await visit(page, name);
				await sound(page);
				assert.equal(await overflow(page), 0, `${name} at ${width} pixels is wider than the window`);
			}
			await close(page);
		}
	});

const looks = {
	light: {}, dark: { query: '?mode=dark' }, material: { query: '?theme=material' }, phone: { viewport: { width: 360, height: 740 } },
	'right to left': { query: '?dir=rtl' }, german: { query: '?lang=de' }
};

for (const [ look, options ] of Object.entries(looks))
	test(`no serious barrier, ${look}`, async () => {
		const page = await open('overview', { ...options, stub: router(answers()) });
		const check = async (what) => assert.deepEqual(await barriers(page), [], what);
		await page.locator('[data-queue]').first().waitFor();
		await check('overview');
		assert.equal(await overflow(page), 0);
		await page.locator('[data-action="support"]').click();
		await page.locator('[data-report]').waitFor();
		await check('support report');
		await visit(page, 'queues', options.query);
		await page.locator('[data-action="edit"]').first().click();
		for (const tab of await page.locator('.cbi-tabmenu li a').all()) {
			await tab.click();
			await check(`queues, ${await tab.innerText()}`);
		}
		await page.locator('[data-action="preview"]').click();
		await page.locator('[data-dialog="preview"]').waitFor();
		await check('preview');
		await page.locator('[data-action="cancel"]:visible').click();
		await page.locator('[data-action="add-queue"]').click();
		await page.locator('[data-field="download"]').waitFor();
		await check('guided form');
		assert.equal(await overflow(page), 0);
		await visit(page, 'settings', options.query);
		await check('settings');
		await close(page);
	});
