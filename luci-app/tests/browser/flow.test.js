// SPDX-License-Identifier: GPL-2.0-or-later
// The main flows, with the real daemon on a real kernel behind the page.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { close, lab, open, patience, readConfig, shell, visit } from '../lib/browser.js';

const action = (page, name) => page.locator(`[data-action="${name}"]:visible`).first();
const shaper = (device = 'eth1') => shell(`tc qdisc show dev ${device} root`);

async function eventually(what, holds) {
	for (const end = Date.now() + patience; ; await new Promise((done) => setTimeout(done, 250))) {
		if (await holds())
			return;
		assert.ok(Date.now() < end, what);
	}
}

// What came of what was applied, once the page says.
async function result(page) {
	const item = page.locator('[data-dialog="result"] [data-result="eth1"]');
	await item.waitFor();
	return item.getAttribute('data-state');
}

async function shapeFromNothing(page) {
	await page.fill('[data-field="download"]', '10');
	await page.fill('[data-field="upload"]', '2');
	await page.selectOption('[data-field="link"]', { index: 1 });
	await action(page, 'shape').click();
	assert.equal(await result(page), 'shaped');
	await action(page, 'done').click();
}

test('a line is set up, seen, changed and switched off', async (t) => {
	await lab('reset', { SQM: '', SQMD: "\nconfig sqmd 'main'\n\toption enabled '1'\n" });
	const page = await open('queues');

	await t.test('from nothing: device, two rates, the line, and one click', async () => {
		assert.equal(await page.inputValue('[data-field="device"]'), 'eth1', 'the WAN is chosen already');
		await shapeFromNothing(page);
		assert.match(await shaper(), /cake .*bandwidth 2Mbit/);
		assert.match(await shaper('ifb4eth1'), /cake .*bandwidth 10Mbit/);
		assert.match(await readConfig('sqm'), /option upload '2000'/);
	});

	await t.test('the overview shows it', async () => {
		await visit(page, 'overview');
		const card = page.locator('[data-queue="eth1"]');
		await card.locator('[data-state="shaped"]').first().waitFor();
		assert.ok(await card.locator('[data-direction="upload"] svg[data-chart]').count() > 0);
		assert.ok(await card.locator('[data-direction="download"] svg[data-chart]').count() > 0);
	});

	await t.test('another rate, looked at before it is applied', async () => {
		await visit(page, 'queues');
		await page.fill('[id="widget.cbid.sqm.eth1.upload"]', '3000');
		await action(page, 'preview').click();
		const preview = page.locator('[data-dialog="preview"]');
		await preview.waitFor();
		assert.match(await preview.innerText(), /upload: 2000 → 3000/);
		assert.match(await shaper(), /bandwidth 2Mbit/, 'nothing is applied yet');
		await action(page, 'apply').click();
		assert.equal(await result(page), 'shaped');
		await action(page, 'done').click();
		await page.locator('[data-dialog]').waitFor({ state: 'detached' });
		await page.fill('[id="widget.cbid.sqm.eth1.upload"]', '3500');
		await page.waitForTimeout(1500);
		assert.equal(await page.inputValue('[id="widget.cbid.sqm.eth1.upload"]'), '3500', 'what is typed after the dialog stays');
		assert.match(await shaper(), /bandwidth 3Mbit/);
		await visit(page, 'queues');
	});

	await t.test('given up, the form is as before once the dialog is gone, and takes what is typed at once', async () => {
		const rate = page.locator('[id="widget.cbid.sqm.eth1.upload"]');
		await rate.fill('4000');
		await action(page, 'preview').click();
		await action(page, 'cancel').click();
		await page.locator('[data-dialog]').waitFor({ state: 'detached' });
		assert.equal(await rate.inputValue(), '3000');
		assert.equal(await page.evaluate(() => document.activeElement.dataset.action), 'preview', 'the keyboard goes on where it was');
		await rate.fill('3500');
		await page.waitForTimeout(1500);
		assert.equal(await rate.inputValue(), '3500');
		await visit(page, 'queues');
	});

	await t.test('a value that cannot be used is refused in the form', async () => {
		await visit(page, 'queues');
		await page.fill('[id="widget.cbid.sqm.eth1.upload"]', 'fast');
		await page.locator('[data-problem="upload"]:visible').waitFor();
		await action(page, 'save').click();
		assert.doesNotMatch(await readConfig('sqm'), /fast/);
		assert.match(await shaper(), /bandwidth 3Mbit/);
	});

	await t.test('a configuration that somebody broke is told, and the line stays shaped', async () => {
		const good = await readConfig('sqm');
		await lab('write', { Config: 'sqm', Text: good.replace("'3000'", "'fast'") });
		await visit(page, 'overview');
		await page.locator('[data-queue="eth1"] [data-state="refused"]').first().waitFor();
		assert.match(await shaper(), /bandwidth 3Mbit/);
		await lab('write', { Config: 'sqm', Text: good });
		await page.locator('[data-queue="eth1"] [data-state="shaped"]').first().waitFor();
	});

	await t.test('switched off', async () => {
		await visit(page, 'queues');
		await action(page, 'toggle').click();
		await page.locator('[data-dialog="preview"]').waitFor();
		await action(page, 'apply').click();
		await page.locator('[data-dialog="result"]').waitFor();
		await action(page, 'done').click();
		await eventually('nothing is shaped any more', async () => !/cake/.test(await shaper()));
		assert.match(await readConfig('sqm'), /option enabled '0'/);
	});

	await t.test('the daemon ends, and is started from the page', async () => {
		await lab('stop');
		await visit(page, 'overview');
		await page.locator('[data-daemon="missing"]').waitFor();
		await action(page, 'start').click();
		await page.locator('[data-daemon]').waitFor({ state: 'detached' });
	});
	await close(page);
});

test('the overview costs one call each two seconds, with less than 4 kB', async () => {
	const queue = (name) => `\nconfig queue '${name}'\n\toption enabled '1'\n\toption interface '${name}'\n\toption download '10000'\n\toption upload '2000'\n\toption qdisc 'cake'\n\toption script 'layer_cake.qos'\n`;
	await lab('reset', { SQM: queue('eth1') + queue('lan1'), SQMD: '' });
	const page = await open('overview');
	await page.locator('[data-queue="lan1"] [data-state="shaped"]').first().waitFor();
	await page.waitForTimeout(3000);
	page.calls.length = 0;
	const seconds = 10;
	await page.waitForTimeout(seconds * 1000);
	const calls = page.calls.flatMap((c) => c.calls.map(([ object, method ]) => `${object} ${method}`));
	const most = Math.max(...page.calls.map((c) => c.bytes));
	assert.deepEqual([ ...new Set(calls) ], [ 'sqmd overview' ]);
	assert.ok(calls.length <= seconds / 2 + 1, `${calls.length} calls in ${seconds} s`);
	assert.ok(most > 500 && most < 4096, `${most} bytes`);
	console.log(`# overview: ${calls.length} calls in ${seconds} s, at most ${most} bytes`);
	await close(page);
});

test('a login that may only read sees all and changes nothing', async () => {
	const page = await open('queues', { query: '?login=readonly' });
	await page.locator('[data-section]').first().waitFor();
	for (const name of [ 'toggle', 'remove', 'add-queue' ])
		assert.ok(await action(page, name).isDisabled(), name);
	for (const name of [ 'overview', 'settings' ]) {
		await visit(page, name, '?login=readonly');
		assert.equal(await page.locator('#view .alert-message.error').count(), 0);
	}
	await close(page);
});
