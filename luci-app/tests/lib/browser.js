// SPDX-License-Identifier: GPL-2.0-or-later
// Pages in a real browser, before a server of cmd/sqmluci. SQMD_LUCI_URL says where that is.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const origin = process.env.SQMD_LUCI_URL?.replace(/\/$/, '');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// How long the router may take for anything; its machine may be busy.
export const patience = 60000;

let browser;

before(async () => {
	assert.ok(origin, 'SQMD_LUCI_URL is not set: run scripts/test-luci');
	browser = await chromium.launch({
		executablePath: process.env.SQMD_CHROMIUM ?? '/usr/bin/chromium',
		args: [ '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync' ]
	});
});

after(() => browser?.close());

// Has the router's object for tests do something.
export async function lab(method, args = {}) {
	const response = await fetch(`${origin}/lab/${method}`, { method: 'POST', body: JSON.stringify(args), signal: AbortSignal.timeout(2 * patience) });
	const text = await response.text();
	assert.ok(response.ok, `${method}: ${text}`);
	return JSON.parse(text);
}

// The sections of a configuration as rpcd would show them; undefined where it cannot be read.
export async function values(text) {
	const response = await fetch(`${origin}/values`, { method: 'POST', body: text, signal: AbortSignal.timeout(patience) });
	return response.ok ? (await response.json()).values : undefined;
}

export const shell = async (line) => (await lab('run', { Line: line })).text;

export const readConfig = async (name) => (await lab('read', { Config: name })).text;

// A page that fails its test when a script fails in it, when markup from an answer is executed, or when it asks for
// anything that is not the server's. The context has options of playwright; query is that of the page's address.
export async function open(name, { query = '', stub, ...options } = {}) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(patience);
	page.faults = [];
	page.on('pageerror', (error) => page.faults.push(String(error)));
	page.on('dialog', (dialog) => { page.faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
	page.on('request', (request) => {
		if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
			page.faults.push(`asks for ${request.url()}`);
	});
	page.calls = [];
	page.on('requestfinished', async (request) => {
		if (request.method() != 'POST')
			return;
		const calls = [ JSON.parse(request.postData()) ].flat().map((call) => call.params.slice(1));
		const sizes = await request.sizes().catch(() => ({ responseBodySize: 0 }));
		page.calls.push({ calls, bytes: sizes.responseBodySize });
	});
	if (stub)
		await divert(page, stub);
	await visit(page, name, query);
	return page;
}

// Has calls answered by a function of their JSON. Routes of playwright would do, but slow down each other request.
async function divert(page, stub) {
	await page.exposeFunction('answerCalls', async (body) => {
		const calls = JSON.parse(body);
		page.calls.push({ calls: [ calls ].flat().map((c) => c.params.slice(1)), bytes: 0 });
		return JSON.stringify(await stub(calls));
	});
	await page.addInitScript(() => {
		const real = window.fetch;
		window.fetch = (url, options) => options?.method == 'POST'
			? window.answerCalls(options.body).then((text) => new Response(text, { headers: { 'Content-Type': 'application/json' } })) : real(url, options);
	});
}

export async function visit(page, name, query = '') {
	await page.goto(`${origin}/cgi-bin/luci/admin/network/sqmd/${name}${query}`);
	await page.waitForSelector('#view .sqmd, #view [data-failed]');
}

// What must hold of a page whatever it was told.
export async function sound(page) {
	assert.deepEqual(page.faults, []);
	assert.equal(await page.evaluate(() => window.executed), undefined, 'markup was executed');
	assert.equal(await page.locator('#view [data-failed]').count(), 0, 'the view failed');
	assert.equal(await page.locator('img, iframe, object, #view script').count(), 0, 'an answer became markup');
}

export async function close(page) {
	await sound(page);
	await page.context().close();
}

// Serious faults of accessibility, as axe sees them.
export async function barriers(page) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: [ 'violations' ] }));
	return violations.filter((v) => [ 'serious', 'critical' ].includes(v.impact))
		.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
}

// How much wider than the window a page is, in pixels.
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
