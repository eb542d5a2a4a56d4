// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever the daemon and the configuration say, the pages stay usable and nothing of it is executed.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { close, open, sound, visit } from '../lib/browser.js';
import { answers, changed, mapped, router } from '../lib/stub.js';

const pages = [ 'overview', 'queues', 'settings' ];
const markup = '"><img src=x onerror="window.executed=1"><script>window.executed=1</script>\'';

const onlyStrings = (change) => (value, path) => typeof value == 'string' ? change(value, path) : value;
const onlyNumbers = (change) => (value, path) => typeof value == 'number' ? change(value, path) : value;

const variants = {
	'markup for every text': (v) => mapped(v, onlyStrings((s) => s + markup)),
	'nothing but markup': (v) => mapped(v, onlyStrings(() => markup)),
	'10 kB for every text': (v) => mapped(v, onlyStrings((s) => s + 'x'.repeat(10000))),
	'negative numbers': (v) => mapped(v, onlyNumbers((n) => -n - 1)),
	'huge numbers': (v) => mapped(v, onlyNumbers(() => 1e300)),
	'texts for numbers': (v) => mapped(v, onlyNumbers(() => markup)),
	'null for every value': (v) => mapped(v, () => null),
	'numbers for every value': (v) => mapped(v, () => 7),
	'empty lists': (v) => Object.fromEntries(Object.entries(v).map(([ name, x ]) => [ name, Array.isArray(x) ? [] : x ])),
	'lists of rubbish': (v) => Object.fromEntries(Object.entries(v).map(([ name, x ]) => [ name, Array.isArray(x) ? [ null, 1, markup, [], {} ] : x ])),
	'no field at all': () => ({}),
	'a text where a table should be': () => markup
};

for (const [ what, change ] of Object.entries(variants))
	test(`the daemon answers with ${what}`, async () => {
		const page = await open('overview', { stub: router(changed(answers(), change)) });
		for (const name of pages) {
			await visit(page, name);
			await page.waitForTimeout(800); // for what is asked for after the first view
			await sound(page);
			assert.ok(await page.locator('#view h2, #view h3').first().isVisible(), name);
			const button = page.locator(`#view [data-action=${name == 'overview' ? 'support' : name == 'queues' ? 'edit' : 'none'}]`).first();
			if (await button.count())
				await button.click();
			await page.waitForTimeout(300);
			await sound(page);
		}
		await close(page);
	});

test('each field of an answer is missing once', async () => {
	const fields = Object.keys(answers().sqmd.overview.queues[0]).map((name) => [ 'queues', name ])
		.concat(Object.keys(answers().sqmd.overview).map((name) => [ name ]), Object.keys(answers().sqmd.overview.queues[0].directions[0]).map((name) => [ 'directions', name ]));
	let missing;
	const all = answers();
	all.sqmd.overview = () => {
		const answer = answers().sqmd.overview;
		const from = { queues: answer.queues, directions: answer.queues.flatMap((q) => q.directions) }[missing.length > 1 ? missing[0] : ''] ?? [ answer ];
		from.forEach((part) => delete part[missing.at(-1)]);
		return answer;
	};
	missing = fields[0];
	const page = await open('overview', { stub: router(all) });
	for (missing of fields) {
		await visit(page, 'overview');
		await sound(page);
	}
	await close(page);
});

test('a configuration of hostile values', async () => {
	const all = answers();
	const get = all.uci.get;
	all.uci.get = (args) => mapped(get(args), onlyStrings((s, path) => path.at(-1)[0] == '.' ? s : markup + 'x'.repeat(10000)));
	const page = await open('queues', { stub: router(all) });
	for (const name of pages) {
		await visit(page, name);
		await page.waitForTimeout(700);
		await sound(page);
	}
	await close(page);
});
