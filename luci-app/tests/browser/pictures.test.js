// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of every page for a person to look at, in the folder SQMD_PICTURES, with a loaded line behind them.
import { mkdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { close, lab, open, visit } from '../lib/browser.js';

const folder = process.env.SQMD_PICTURES ?? 'pictures';

const looks = {
	light: {}, dark: { query: '?mode=dark' }, phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 },
	material: { query: '?theme=material' }, rtl: { query: '?dir=rtl' }
};

test('pictures', async () => {
	mkdirSync(folder, { recursive: true });
	await lab('reset', { SQM: "\nconfig queue 'wan'\n\toption enabled '1'\n\toption interface 'eth1'\n\toption download '12000'\n\toption upload '3000'\n\toption qdisc 'cake'\n\toption script 'layer_cake.qos'\n\toption link_preset 'cable'\n", SQMD: "\nconfig sqmd 'main'\n\toption enabled '1'\n" });
	await lab('traffic', { Flows: 2 });
	const first = await open('overview');
	await first.waitForTimeout(15000); // for the charts to have something
	await close(first);
	await lab('traffic', { Flows: 0 });
	for (const [ look, options ] of Object.entries(looks)) {
		const page = await open('overview', options);
		const take = async (name) => {
			const path = `${folder}/${name}-${look}.png`;
			await page.screenshot({ path, fullPage: true, animations: 'disabled' });
			assert.ok(statSync(path).size > 5000, path);
		};
		await page.locator('[data-queue="wan"] svg[data-chart]').first().waitFor();
		await page.waitForTimeout(1000);
		await take('overview');
		await visit(page, 'queues', options.query);
		await page.waitForTimeout(500);
		await take('queues');
		await page.locator('[data-action="add-queue"]').click();
		await page.locator('[data-field="download"]').waitFor();
		await take('add');
		await visit(page, 'settings', options.query);
		await take('settings');
		await close(page);
	}
});
