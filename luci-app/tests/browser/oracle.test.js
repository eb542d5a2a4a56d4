// SPDX-License-Identifier: GPL-2.0-or-later
// Real and hostile configurations: the form shows what they say, and saves nothing that nobody changed.
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { call, close, lab, open, readConfig, sound, visit } from '../lib/browser.js';

const cases = new URL('../../../lab/conformance/oracle/', import.meta.url);
const writes = [ 'set', 'add', 'delete', 'order', 'apply', 'commit', 'rename' ];

// A value as a form shows it: lists as words, truth as 1 and 0 where the field knows only these.
const shown = (value) => Array.isArray(value) ? value.join(' ') : value;

const truths = new Map([ ...[ '1', 'on', 'true', 'yes', 'enabled' ].map((w) => [ w, '1' ]), ...[ '0', 'off', 'false', 'no', 'disabled' ].map((w) => [ w, '0' ]) ]);

async function field(page, id) {
	const input = page.locator(`[id="widget.${id}"]`);
	if (!await input.count())
		return undefined;
	return input.evaluate((node) => node.type == 'checkbox' ? { check: node.checked ? '1' : '0' } : {
		value: node.value, choices: node.localName == 'select' ? [ ...node.options ].map((o) => o.value) : null
	});
}

// Compares all fields of an open section, gives how many there were.
async function compare(page, section) {
	let fields = 0;
	for (const [ option, value ] of Object.entries(section)) {
		if (option[0] == '.')
			continue;
		const got = await field(page, `cbid.sqm.${section['.name']}.${option}`);
		if (!got)
			continue;
		fields++;
		const text = shown(value), truth = truths.get(text.toLowerCase()) ?? text;
		if ('check' in got)
			assert.equal(got.check, truth == '1' ? '1' : '0', `${section['.name']}.${option}: '${text}'`);
		else
			assert.ok(got.value === text || got.choices && got.value === truth, `${section['.name']}.${option} shows '${got.value}' for '${text}'`);
	}
	return fields;
}

test('every recorded configuration opens, with its values, and is not changed by saving', async () => {
	await lab('reset', { SQM: '', SQMD: '' });
	const page = await open('overview');
	page.setDefaultTimeout(15000);
	const names = readdirSync(cases, { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name).sort();
	const wrong = [];
	let fields = 0, queues = 0;
	assert.ok(names.length > 80, 'the recorded configurations are there');
	for (const name of names) {
		const text = readFileSync(new URL(`${name}/sqm.uci`, cases), 'utf8');
		await lab('put', { Config: 'sqm', Text: text });
		page.calls.length = 0;
		await visit(page, 'queues');
		const values = (await call('uci', 'get', { config: 'sqm' }))?.values;
		try {
			if (!values)
				assert.ok(await page.locator('#view .alert-message').count(), 'what cannot be read is told');
			for (const section of Object.values(values ?? {}).filter((s) => s['.type'] == 'queue')) {
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
			assert.equal(await readConfig('sqm'), text);
		}
		catch (error) {
			if (process.env.DBG) console.error(name, error.message.slice(0, 500));
			wrong.push(`${name}: ${error.message.split('\n')[0]}`);
		}
	}
	console.log(`# ${names.length} configurations, ${queues} queues, ${fields} fields`);
	assert.deepEqual(wrong, []);
	await close(page);
});
