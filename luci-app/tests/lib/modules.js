// SPDX-License-Identifier: GPL-2.0-or-later
// Modules of the page without a page: what they require is given, or loaded in the same way.
import { readFileSync } from 'node:fs';

export const htdocs = new URL('../../htdocs/luci-static/resources/', import.meta.url);

// LuCI's format(), as far as the modules use it.
Object.defineProperty(String.prototype, 'format', { configurable: true, value(...args) {
	let next = 0;
	return this.replace(/%%|%[sd]/g, (all) => all == '%%' ? '%' : String(args[next++]));
} });

const isObject = (x) => x != null && typeof x == 'object';

// load gives the instance of a module; given has what stands for other modules, by name.
export function load(name, given = {}) {
	if (given[name])
		return given[name];
	const source = readFileSync(new URL(`${name.replace(/\./g, '/')}.js`, htdocs), 'utf8');
	const required = [ ...source.matchAll(/^'require (\S+?)(?: as (\w+))?';$/gm) ];
	const all = { baseclass: { extend: (x) => x }, ...given };
	const names = required.map(([ , module, alias ]) => alias ?? module.replace(/\W/g, '_'));
	const make = new Function('L', 'E', '_', 'N_', ...names, source);
	const made = make({ isObject }, () => ({}), (text) => text, (n, one, many) => n == 1 ? one : many, ...required.map(([ , module ]) => load(module, all)));
	given[name] = made;
	return made;
}
