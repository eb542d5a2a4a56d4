// SPDX-License-Identifier: GPL-2.0-or-later
// Run in the repository's top folder. LuCI's scripts are the bodies of functions that return a class; what they require
// are names from nowhere.
import js from '@eslint/js';

const readonly = (names) => Object.fromEntries(names.trim().split(/\s+/).map((name) => [ name, 'readonly' ]));

const page = readonly(`window document location navigator console fetch setTimeout clearTimeout setInterval clearInterval
	Node DOMParser CustomEvent TextEncoder`);
const luci = readonly('L E _ N_');
const node = readonly('process console setTimeout clearTimeout fetch URL document window location navigator axe Response AbortSignal');

const rules = {
	'no-unused-vars': [ 'error', { argsIgnorePattern: '^_', caughtErrors: 'none' } ],
	'no-var': 'error',
	'prefer-const': [ 'error', { destructuring: 'all' } ],
	'no-console': [ 'error', { allow: [ 'error' ] } ],
	'no-eval': 'error',
	'no-control-regex': 'off'
};

const directive = /^'require (\S+?)(?: as (\w+))?';$/gm;

// Makes 'require sqmd.rpc as sqmd' define sqmd, and tells of what is required in vain.
const directives = {
	create: (context) => ({
		'Program:exit'(program) {
			const scope = context.sourceCode.getScope(program);
			const free = new Set(scope.through.map((reference) => reference.identifier.name));
			const names = [ ...context.sourceCode.text.matchAll(directive) ].map(([ , name, alias ]) => alias ?? name.replace(/\W/g, '_'));
			for (const name of names.filter((n) => !free.has(n)))
				context.report({ node: program, message: `'${name}' is required and not used` });
			for (const { identifier } of scope.through)
				if (!names.includes(identifier.name) && !(identifier.name in globalThis) && !(identifier.name in page) && !(identifier.name in luci))
					context.report({ node: identifier, message: `'${identifier.name}' is neither defined nor required` });
		}
	})
};

const modules = {
	languageOptions: { ecmaVersion: 2020, sourceType: 'script', parserOptions: { ecmaFeatures: { globalReturn: true } } },
	plugins: { luci: { rules: { directives } } },
	rules: { ...rules, 'no-undef': 'off', 'luci/directives': 'error' }
};

export default [
	{ ignores: [ '**/node_modules/' ] },
	js.configs.recommended,
	{ files: [ 'luci-app/htdocs/**/*.js' ], ...modules },
	{ files: [ 'lab/luci/standin/*.js' ], ...modules, languageOptions: { ...modules.languageOptions, ecmaVersion: 2022 } },
	{ files: [ 'lab/luci/standin/luci.js' ], languageOptions: { globals: page }, rules },
	{ files: [ 'luci-app/tests/**/*.js' ], languageOptions: { globals: node }, rules: { ...rules, 'no-console': 'off' } }
];
