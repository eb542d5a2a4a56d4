// SPDX-License-Identifier: GPL-2.0-or-later
// Run in the repository's top folder. LuCI's scripts are the bodies of functions that return a class; what they require
// are names from nowhere.
import js from '@eslint/js';

const readonly = (names) => Object.fromEntries(names.trim().split(/\s+/).map((name) => [ name, 'readonly' ]));

const page = readonly(`window document location navigator console fetch setTimeout clearTimeout setInterval clearInterval
	Node DOMParser CustomEvent TextEncoder`);
const luci = readonly('L E _ N_');
const node = readonly('process console setTimeout clearTimeout fetch URL document window location navigator axe Response AbortSignal performance');

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

// E() and dom.content() take a string as HTML: children are an array, or come from a function that does not make text.
const makers = { E: true, 'dom.content': true, 'dom.append': true, 'dom.create': true, 'ui.showModal': true, 'ui.addNotification': true };
const textual = /^(_|N_|String|str|.*\.(format|join|toString|toFixed|slice|trim|replace|label|explain|shown|str|textContent|value|innerText|message|title))$/;

function nameOf(node) {
	return node.type == 'Identifier' ? node.name : node.type == 'MemberExpression' ? `${nameOf(node.object)}.${node.property.name ?? ''}` : '';
}

// May this expression be a text with something in it that is not written here?
function mayBeText(node) {
	switch (node?.type) {
	case 'TemplateLiteral': return true;
	case 'BinaryExpression': return true;
	case 'Literal': return typeof node.value == 'string' && /[<&]/.test(node.value);
	case 'ConditionalExpression': return mayBeText(node.consequent) || mayBeText(node.alternate);
	case 'LogicalExpression': return mayBeText(node.left) || mayBeText(node.right);
	case 'CallExpression': return textual.test(nameOf(node.callee));
	case 'MemberExpression': return textual.test(nameOf(node));
	}
	return false;
}

const markup = {
	create: (context) => ({
		CallExpression(node) {
			if (!makers[nameOf(node.callee)])
				return;
			for (const argument of node.arguments.slice(1))
				if (mayBeText(argument))
					context.report({ node: argument, message: 'a text that would become markup: put it into an array' });
		}
	})
};

// LuCI's jsmin takes what follows ')' for a division.
const minifiable = {
	create: (context) => ({
		'Literal[regex]'(node) {
			if (context.sourceCode.getTokenBefore(node)?.value == ')')
				context.report({ node, message: 'a regular expression right after ) is damaged by jsmin' });
		}
	})
};

const sinks = [ { property: 'innerHTML' }, { property: 'outerHTML' }, { property: 'insertAdjacentHTML' }, { property: 'srcdoc' }, { object: 'document', property: 'write' } ]
	.map((sink) => ({ ...sink, message: 'makes markup of text' }));

const modules = {
	languageOptions: { ecmaVersion: 2020, sourceType: 'script', parserOptions: { ecmaFeatures: { globalReturn: true } } },
	plugins: { luci: { rules: { directives, markup, minifiable } } },
	rules: { ...rules, 'no-undef': 'off', 'luci/directives': 'error' }
};

export default [
	{ ignores: [ '**/node_modules/' ] },
	js.configs.recommended,
	{ files: [ 'luci-app/htdocs/**/*.js' ], ...modules, rules: { ...modules.rules, 'luci/markup': 'error', 'luci/minifiable': 'error', 'no-restricted-properties': [ 'error', ...sinks ] } },
	{ files: [ 'lab/luci/standin/*.js' ], ...modules, languageOptions: { ...modules.languageOptions, ecmaVersion: 2022 } },
	{ files: [ 'lab/luci/standin/luci.js' ], languageOptions: { globals: page }, rules },
	{ files: [ 'luci-app/tests/**/*.js' ], languageOptions: { globals: node }, rules: { ...rules, 'no-console': 'off' } }
];
