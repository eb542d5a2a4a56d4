// SPDX-License-Identifier: GPL-2.0-or-later
// Real and hostile configurations: the form shows what they say, and saves nothing that nobody changed.
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { close, open, sound, values, visit } from '../lib/browser.js';
import { answers, failure, router } from '../lib/stub.js';

const cases = new URL('../../../lab/conformance/oracle/', import.meta.url);
const writes = [ 'set', 'add', 'delete', 'order', 'apply', 'commit', 'rename' ];

// A value as a form shows it: lists as words, truth as 1 and 0 where the field knows only these.
const shown = (value) => Array.isArray(value) ? value.join(' ') : value;

// A truth as shells write it: words, and numbers of which 1 alone is true.
const truth = (text) => /^-?[0-9]+$/.test(text) ? +text == 1 ? '1' : '0'
	: [ 'on', 'true', 'yes', 'enabled' ].includes(text.toLowerCase()) ? '1' : [ 'off', 'false', 'no', 'disabled' ].includes(text.toLowerCase()) ? '0' : text;

// What the fields of a section show, by option.
const fieldsOf = (page, prefix) => page.evaluate((begin) => Object.fromEntries([ ...document.querySelectorAll(`[id^="${begin}"]`) ]
	.map((node) => [ node.id.slice(begin.length), node.type == 'checkbox' ? node.checked ? '1' : '0' : node.value ])), `widget.${prefix}`);

// Compares all fields of an open section, gives how many there were.
async function compare(page, section) {
	const fields = await fieldsOf(page, `cbid.sqm.${section['.name']}.`);
	const set = Object.keys(section).filter((option) => option in fields);
	for (const option of set) {
		const text = shown(section[option]);
		assert.ok([ text, truth(text) ].includes(fields[option]), `${section['.name']}.${option} shows '${fields[option]}' for '${text}'`);
	}
	return set.length;
}

test('every recorded configuration opens, with its values, and is not changed by saving', async () => {
	const all = answers();
	let sections;
	all.uci.get = () => sections ? { values: sections } : failure(0, 9);
	const page = await open('settings', { stub: router(all) });
	page.setDefaultTimeout(15000);
	const names = readdirSync(cases, { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name).sort();
	const wrong = [];
	let fields = 0, queues = 0;
	assert.ok(names.length > 80, 'the recorded configurations are there');
	for (const name of names) {
		const text = readFileSync(new URL(`${name}/sqm.uci`, cases), 'utf8');
		sections = await values(text);
		page.calls.length = 0;
		await visit(page, 'queues');
		try {
			if (!sections)
				assert.ok(await page.locator('#view .alert-message').count(), 'what cannot be read is told');
			for (const section of Object.values(sections ?? {}).filter((s) => s['.type'] == 'queue')) {
				queues++;
				await page.locator(`[data-section="${section['.name']}"] [data-action="edit"]`).click();
				await page.locator(`[data-editor="${section['.name']}"]`).waitFor();
				fields += await compare(page, section);
				await page.locator(`[data-editor="${section['.name']}"] [data-action="save"]`).click();
				await page.locator(`[data-editor="${section['.name']}"]`).waitFor();
			}
			await page.waitForTimeout(50);
			await sound(page);
			assert.deepEqual(page.calls.flatMap((c) => c.calls).filter(([ object, method ]) => object == 'uci' && writes.includes(method)), [], 'nothing is written');
		}
		catch (error) {
			wrong.push(`${name}: ${error.message.split('\n')[0]}`);
		}
	}
	console.log(`# ${names.length} configurations, ${queues} queues, ${fields} fields`);
	assert.deepEqual(wrong, []);
	await close(page);
});
