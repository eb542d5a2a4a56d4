// SPDX-License-Identifier: GPL-2.0-or-later
// Loads modules in pairs of files, BEFORE AFTER..., as LuCI's loader does, but with stand-ins for everything that they
// need, and compares what the two of a pair are and do. Prints a line for each difference.
'use strict';
const fs = require('fs');

// patience is how many questions are answered yet: a loop may go on as long as there is an answer.
let patience;

// anything answers whatever is asked of it, and notes that.
function anything(name, log) {
	const answer = new Proxy(function() {}, {
		get(target, key) {
			if (--patience < 0)
				throw new RangeError('out of patience');
			if (key === Symbol.toPrimitive)
				return () => name;
			if (key === Symbol.iterator)
				return function*() { yield anything(`${name}[0]`, log); };
			return typeof key === 'symbol' || key === 'then' ? undefined : anything(`${name}.${key}`, log);
		},
		apply(target, self, args) {
			log.push(`${name}(${args.map(shape).join(', ')})`);
			return anything(`${name}()`, log);
		},
		construct(target, args) {
			log.push(`new ${name}(${args.map(shape).join(', ')})`);
			return anything(`new ${name}`, log);
		},
	});
	names.set(answer, name);
	return answer;
}
const names = new Map();

// shape is a value as text: functions by what is visible of them.
function shape(value) {
	if (names.has(value))
		return `<${names.get(value)}>`;
	if (typeof value === 'function')
		return `function/${value.length}`;
	if (Array.isArray(value))
		return `[${value.map(shape).join(', ')}]`;
	if (value instanceof RegExp || value instanceof Error)
		return String(value);
	if (value && typeof value === 'object')
		return `{${Object.keys(value).map((k) => `${k}: ${shape(value[k])}`).join(', ')}}`;
	return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

// needs are the modules that a module asks for, with the names that it has for them.
function needs(source) {
	const found = [];
	const next = /\/\/[^\n]*|\/\*[^]*?\*\/|(['"])((?:(?!\1)[^\n])*)\1/g;
	for (let m; (m = next.exec(source));) {
		if (m[2] === undefined)
			continue;
		const need = /^require[ \t]+(\S+)(?:[ \t]+as[ \t]+([a-zA-Z_]\S*))?$/.exec(m[2]);
		if (need)
			found.push([ need[1], need[2] ?? need[1].replace(/[^a-zA-Z0-9_]/g, '_') ]);
		else if (!/^use[ \t]+strict$/.test(m[2]))
			break;
	}
	return found;
}

// evaluate is all that can be told of a module: what it needs, what it is, and what each of its functions does when it is
// called, in order, with what it asks for of others on the way.
function evaluate(source) {
	const log = [];
	patience = Infinity;
	for (const name of [ 'setTimeout', 'setInterval', 'requestAnimationFrame' ])
		globalThis[name] = anything(name, log);
	const modules = needs(source);
	const globals = [ '_', 'N_', 'E' ];
	log.push(`needs ${JSON.stringify(modules)}`);
	const extended = (name) => ({ extend: (members) => ({ [`${name}.extend`]: members }) });
	const make = new Function(...globals, `return (function(window, document, L${modules.map(([ , as ]) => `, ${as}`).join('')}) { ${source} })`);
	const factory = make(...globals.map((name) => name === 'E' ? anything('E', log) : (text) => `${name}:${text}`));
	const made = factory(anything('window', log), anything('document', log), anything('L', log),
		...modules.map(([ name ]) => name === 'baseclass' || name === 'view' ? extended(name) : anything(name, log)));
	log.push(`is ${shape(made)}`);
	for (const members of Object.values(made ?? {}))
		for (const [ name, member ] of Object.entries(members))
			if (typeof member === 'function' && !names.has(member))
				for (const args of [ [], [ 0, 1, 2, 3 ], [ 'wan', 'b', 'c' ], [ [ 1, 2 ], {}, null ], [ anything('a', log), anything('b', log), anything('c', log) ] ])
					log.push(`${name}: ${result(() => member.apply(members, args))}`);
	return log;
}

// result is what comes back or is thrown. Messages of errors name variables, which are others after minifying.
function result(call) {
	patience = 1000;
	try {
		return shape(call());
	} catch (error) {
		return `throws ${error.name}`;
	}
}

// Every run is at the same time, and nothing happens later.
const now = 1e12;
globalThis.Date = class extends Date {
	constructor(...when) {
		super(...(when.length > 0 ? when : [ now ]));
	}
	static now() { return now; }
};
Math.random = () => 0.5;

const files = process.argv.slice(2);
for (let i = 0; i < files.length; i += 2) {
	const [ before, after ] = [ evaluate(fs.readFileSync(files[i], 'utf8')), evaluate(fs.readFileSync(files[i + 1], 'utf8')) ];
	const at = before.findIndex((line, n) => line !== after[n]);
	if (at >= 0 || before.length !== after.length)
		console.log(`${files[i]}: ${before[at] ?? before.length} became ${after[at] ?? after.length}`);
}
process.exit();
