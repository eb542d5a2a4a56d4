// SPDX-License-Identifier: GPL-2.0-or-later
// What LuCI's pages find as globals: L, E, _, N_, and format() of strings. The modules that a page requires are files
// of their own beside this one, or defined at the end.
'use strict';

// The class that all modules extend. Required modules are single instances of theirs.
class Base {
	constructor(...args) {
		this.__init__(...args);
	}

	__init__() {}

	static extend(properties) {
		const derived = class extends this {};
		for (const [ name, descriptor ] of Object.entries(Object.getOwnPropertyDescriptors(properties)))
			Object.defineProperty(derived.prototype, name, { ...descriptor, enumerable: false });
		return derived;
	}
}

// dom: children that are a string become markup, those in an array text.
const dom = {
	elem: (x) => x instanceof Node,

	append(node, children) {
		if (Array.isArray(children))
			for (const child of children)
				if (Array.isArray(child))
					dom.append(node, child);
				else if (child instanceof Node)
					node.appendChild(child);
				else if (child != null)
					node.appendChild(document.createTextNode(String(child)));
		if (children instanceof Node)
			node.appendChild(children);
		else if (typeof children == 'function')
			dom.append(node, children(node));
		else if (children != null && !Array.isArray(children))
			node.innerHTML = String(children);
		return node;
	},

	content(node, children) {
		node.replaceChildren();
		return dom.append(node, children);
	},

	attr(node, attributes) {
		for (const [ name, value ] of Object.entries(attributes ?? {}))
			if (typeof value == 'function')
				node.addEventListener(name, value);
			else if (value != null)
				node.setAttribute(name, typeof value == 'object' ? JSON.stringify(value) : value);
		return node;
	},

	create(tag, attributes, children) {
		if (typeof attributes != 'object' || attributes === null || Array.isArray(attributes) || attributes instanceof Node)
			[ attributes, children ] = [ null, attributes ];
		const markup = typeof tag == 'string' && tag.startsWith('<');
		const node = tag instanceof Node ? tag : markup ? new DOMParser().parseFromString(tag, 'text/html').body.firstChild : document.createElement(tag);
		return dom.append(dom.attr(node, attributes), children);
	},

	parent: (node, selector) => node?.closest?.(selector) ?? null,
	bindClassInstance: (node, instance) => { instances.set(node, instance); return instance; },
	findClassInstance: (node) => { for (; node; node = node.parentNode) if (instances.has(node)) return instances.get(node); return null; },
	callClassMethod: (node, method, ...args) => dom.findClassInstance(node)?.[method]?.(...args)
};

const instances = new WeakMap();

const E = dom.create;
const translated = (text, context) => LuCI.translations?.[context ? `${context}\x01${text}` : text];
const _ = (text, context) => translated(text, context)?.[0] || text;
const N_ = (n, one, many, context) => (translated(one, context) ?? [])[n == 1 ? 0 : 1] || (n == 1 ? one : many);

// The conversions of LuCI's format(): d, f, s, q, j, x, t (a time span) and m (with a unit prefix).
const conversions = {
	s: (v) => String(v),
	d: (v) => String(Math.floor(Number(v) || 0)),
	f: (v, precision) => Number(v).toFixed(precision ?? 6),
	x: (v) => Math.floor(v).toString(16),
	j: (v) => JSON.stringify(v),
	q: (v) => String(v).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`),
	t: (v) => [ [ 86400, 'd' ], [ 3600, 'h' ], [ 60, 'm' ] ].reduce(([ rest, said ], [ n, unit ]) =>
		rest >= n || said ? [ rest % n, `${said}${Math.floor(rest / n)}${unit} ` ] : [ rest, said ], [ Number(v), '' ]).reverse().join('') + 's',
	m(v, precision, base) {
		const units = [ ' ', ' K', ' M', ' G', ' T' ];
		let i = 0;
		for (v = Number(v); Math.abs(v) >= (base || 1000) && i < units.length - 1; i++)
			v /= base || 1000;
		return v.toFixed(precision ?? 2) + units[i];
	}
};

Object.defineProperty(String.prototype, 'format', { value(...args) {
	let next = 0;
	return this.replace(/%%|%(\d+\$)?([0-9]*)(?:\.(\d+))?([sdfxjqtm])/g, (all, place, width, precision, kind) => {
		if (all == '%%')
			return '%';
		const value = args[place ? parseInt(place) - 1 : next++];
		const text = conversions[kind](value, precision == null ? undefined : +precision, +width);
		return kind == 'm' || !width ? text : text.padStart(+width, width[0] == '0' ? '0' : ' ');
	});
} });

// Polling keeps one clock of a second; a function is not called again before its last promise has settled.
const poll = {
	queue: [],
	tick: 0,

	add(fn, interval) {
		const entry = { fn, interval: interval ?? L.env.pollinterval, busy: false };
		if (poll.queue.some((e) => e.fn === fn))
			return false;
		poll.queue.push(entry);
		poll.start();
		return true;
	},

	remove(fn) {
		const before = poll.queue.length;
		poll.queue = poll.queue.filter((e) => e.fn !== fn);
		if (!poll.queue.length)
			poll.stop();
		return before != poll.queue.length;
	},

	start() {
		if (poll.timer || !poll.queue.length)
			return false;
		poll.timer = setInterval(poll.step, 1000);
		poll.step();
		document.dispatchEvent(new CustomEvent('poll-start'));
		return true;
	},

	stop() {
		clearInterval(poll.timer);
		poll.timer = null;
		document.dispatchEvent(new CustomEvent('poll-stop'));
		return true;
	},

	active: () => !!poll.timer,

	step() {
		for (const entry of poll.queue)
			if (!entry.busy && poll.tick % entry.interval == 0) {
				entry.busy = true;
				Promise.resolve().then(entry.fn).finally(() => { entry.busy = false; });
			}
		poll.tick++;
	}
};

// Calls of one tick go out as one request.
const rpc = {
	id: 1,
	waiting: null,

	declare(options) {
		return (...args) => {
			const params = {};
			const names = Array.isArray(options.params) ? options.params : Object.keys(options.params ?? {});
			names.forEach((name, i) => {
				if (args[i] !== undefined)
					params[name] = args[i];
			});
			const call = { jsonrpc: '2.0', id: rpc.id++, method: 'call', params: [ L.env.sessionid, options.object, options.method, params ] };
			return rpc.send(call, options.nobatch).then((reply) => rpc.result(options, reply))
				.then((value) => options.filter ? options.filter(value, params) : value);
		};
	},

	send(call, alone) {
		if (alone)
			return rpc.post([ call ]).then(([ reply ]) => reply);
		if (!rpc.waiting) {
			const batch = rpc.waiting = { calls: [] };
			batch.replies = Promise.resolve().then(() => {
				rpc.waiting = null;
				return rpc.post(batch.calls);
			});
		}
		const { calls, replies } = rpc.waiting, place = calls.push(call) - 1;
		return replies.then((all) => all[place]);
	},

	post(calls) {
		return fetch(L.env.ubuspath, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(calls.length == 1 ? calls[0] : calls) })
			.then((response) => {
				if (!response.ok)
					throw new Error(`RPC call failed with HTTP error ${response.status}: ${response.statusText}`);
				return response.json();
			})
			.then((replies) => calls.length == 1 ? [ replies ] : replies);
	},

	result(options, reply) {
		const name = `RPC call to ${options.object}/${options.method} failed with`;
		if (!L.isObject(reply) || reply.jsonrpc != '2.0')
			throw new Error(`${name} an invalid answer`);
		if (reply.error)
			throw new Error(`${name} error ${reply.error.code}: ${reply.error.message}`);
		let value = reply.result;
		if (Array.isArray(value)) {
			if (options.reject && value[0] !== 0)
				throw new Error(`${name} ubus code ${value[0]}: ${rpc.getStatusText(value[0])}`);
			value = value.length > 1 ? value[1] : value[0];
		}
		for (const key in options.expect) {
			if (value != null && key != '')
				value = value[key];
			if (value == null || kind(value) != kind(options.expect[key]))
				value = options.expect[key];
			break;
		}
		return value;
	},

	getStatusText: (code) => [ 'Command OK', 'Invalid command', 'Invalid argument', 'Method not found', 'Resource not found', 'No data received',
		'Permission denied', 'Request timeout', 'Not supported', 'Unspecified error', 'Connection lost' ][code] ?? 'Unknown error code'
};

const kind = (x) => Object.prototype.toString.call(x);

// A view is a page: it loads, renders, and has the buttons below the forms.
class View extends Base {
	__init__() {
		const place = document.getElementById('view');
		dom.content(place, E('div', { class: 'spinning' }, [ _('Loading view…') ]));
		return Promise.resolve().then(() => this.load()).then((data) => this.render(data))
			.then((nodes) => { dom.content(place, nodes); dom.append(place, this.addFooter()); })
			.catch(L.error);
	}

	load() {}
	render() {}

	maps() {
		return [ ...document.getElementById('maincontent').querySelectorAll('.cbi-map') ];
	}

	handleSave() {
		return Promise.all(this.maps().map((map) => dom.callClassMethod(map, 'save')));
	}

	handleSaveApply(ev, mode) {
		return this.handleSave(ev).then(() => L.ui.changes.apply(mode == '0'));
	}

	handleReset() {
		return Promise.all(this.maps().map((map) => dom.callClassMethod(map, 'reset')));
	}

	addFooter() {
		const readonly = L.hasViewPermission() === false;
		const button = (style, title, fn, ...args) => fn ? [ E('button', {
			class: `cbi-button cbi-button-${style}`, disabled: readonly ? '' : null, click: L.ui.createHandlerFn(this, fn, ...args)
		}, [ title ]), ' ' ] : [];
		const buttons = [
			...button('apply important', _('Save & Apply'), this.handleSaveApply, '0'),
			...button('save', _('Save'), this.handleSave), ...button('reset', _('Reset'), this.handleReset)
		];
		return buttons.length && this.maps ? E('div', { class: 'cbi-page-actions' }, buttons) : E('div');
	}
}

class LuCI {
	constructor(env) {
		this.env = env;
		this.modules = { baseclass: Base, dom, poll, rpc, view: View };
		this.loading = {};
		this.Class = Base;
		for (const method of [ 'error', 'url', 'resource', 'isObject', 'resolveDefault', 'hasViewPermission', 'toArray' ])
			this[method] = this[method].bind(this);
	}

	// Loads a module and what it requires. Those that are classes are instantiated, views each time.
	require(name) {
		if (this.modules[name])
			return Promise.resolve(this.modules[name]);
		return this.loading[name] ??= this.fetchModule(name).then((module) => this.modules[name] = module);
	}

	async fetchModule(name) {
		const url = `${this.env.resource}/${name.replace(/\./g, '/')}.js`;
		const response = await fetch(url, { cache: 'no-cache' });
		if (!response.ok)
			throw new Error(`HTTP error ${response.status} while loading ${url}`);
		const source = await response.text(), names = [], requirements = [];
		for (const [ , required, alias ] of directives(source).matchAll(/(?:^|\n)\s*['"]require\s+(\S+?)(?:\s+as\s+(\S+))?['"];/g)) {
			names.push(alias ?? required.replace(/[^a-zA-Z0-9_]/g, '_'));
			requirements.push(this.require(required));
		}
		const make = new Function('window', 'document', 'L', 'E', '_', 'N_', ...names, `${source}\n//# sourceURL=${url}`);
		const made = make(window, document, this, E, _, N_, ...await Promise.all(requirements));
		if (typeof made != 'function' || !(made.prototype instanceof Base))
			throw new Error(`${name} returns no class`);
		return new made();
	}

	error(error) {
		const text = error instanceof Error ? error.message : String(error);
		dom.content(document.getElementById('view'), E('div', { class: 'alert-message error', 'data-failed': '' }, [ E('pre', [ text ]) ]));
		console.error(error);
	}

	url(...parts) {
		return [ this.env.scriptname, ...parts ].join('/').replace(/\/+/g, '/');
	}

	resource(...parts) {
		return [ this.env.resource, ...parts ].join('/');
	}

	isObject(x) {
		return x != null && typeof x == 'object';
	}

	toArray(x) {
		return x == null ? [] : Array.isArray(x) ? x : typeof x == 'object' ? [ x ] : String(x).trim().split(/\s+/).filter(Boolean);
	}

	resolveDefault(promise, otherwise) {
		return Promise.resolve(promise).catch(() => otherwise);
	}

	bind(fn, self, ...args) {
		return fn.bind(self, ...args);
	}

	hasViewPermission() {
		const spec = this.env.nodespec;
		return this.isObject(spec) && spec.satisfied ? !spec.readonly : null;
	}
}

// The directives at the beginning, without the comments between them.
function directives(source) {
	const bare = source.replace(/^\s*\/\/.*$/gm, '');
	return bare.match(/^(?:\s*(?:'[^'\n]*'|"[^"\n]*");)*/)[0];
}

window.L = null;
window.LuCI = LuCI;
Object.assign(window, { E, _, N_ });
