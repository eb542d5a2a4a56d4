// SPDX-License-Identifier: GPL-2.0-or-later
// Answers in place of a router, for states that are hard to make on one.

const tin = (name) => [ name, 123456789, 98765, 12, 3, 4500, 5200, 1800, 150, 5000, 10000 ];

const direction = (name) => ({
	direction: name, state: 'shaped', qdisc: 'cake', recipe: 'layer_cake.qos', rate_kbit: 10000, configured_kbit: 10000, throughput_kbit: 4321,
	drops: 12, marks: 3, backlog_bytes: 4500, peak_us: 5200, avg_us: 1800, tins: [ 'Bulk', 'Best Effort', 'Video', 'Voice' ].map(tin)
});

const section = (name, i) => ({
	'.anonymous': false, '.type': 'queue', '.name': name, '.index': i, enabled: '1', interface: name, download: '10000', upload: '2000',
	qdisc: 'cake', script: 'layer_cake.qos', linklayer: 'ethernet', overhead: '44'
});

const finding = { id: 'cpu-limit', severity: 'warning', section: 'eth1', option: 'upload', device: 'eth1', problem: 'the CPU is the limit', message: 'the CPU is the limit', evidence: '98 %', remedy: 'shape less' };

// The answers of a router with n queues, by object and method.
export function answers(n = 2) {
	const names = Array.from({ length: n }, (_x, i) => `eth${i + 1}`);
	return {
		sqmd: {
			overview: {
				version: '1.2.3', uptime_s: 4000, shaped: true, cpu: { busy_percent: 12, softirq_percent: 4, cpus: 2 }, findings: 1, config_findings: 0,
				tin_columns: [ 'name', 'sent_bytes', 'packets', 'drops', 'marks', 'backlog_bytes', 'peak_us', 'avg_us', 'sparse_us', 'target_us', 'threshold_kbit' ],
				queues: names.map((name) => ({ queue: name, sections: [ name ], device: name, link: { carrier: true, speed_mbit: 1000 }, directions: [ direction('upload'), direction('download') ] }))
			},
			status: { version: '1.2.3', queues: [] },
			history: {
				device: 'eth1', direction: 'upload', step_s: 1, uptime_s: 4000, columns: [ 'time_s', 'rate_kbit', 'throughput_kbit', 'drops', 'marks', 'peak_us', 'avg_us', 'sparse_us', 'backlog_bytes' ],
				samples: Array.from({ length: 50 }, (_x, i) => [ 3950 + i, 10000, 100 * i, 1, 0, 5000, 2000, 100, 300 ]), next_s: 4000, more: false
			},
			plan: { queues: names.map((queue) => ({ queue, device: queue, lines: [ `tc qdisc replace dev ${queue} root cake` ] })) },
			check: { findings: [ finding ] },
			doctor: { findings: [ finding ] },
			preview: { usable: true, findings: [ finding ], queues: names.map((queue) => ({ queue, device: queue, present: true, lines: [ `tc qdisc replace dev ${queue} root cake` ], tree: [ 'cake' ] })) },
			devices: { devices: names.map((device, i) => ({ device, networks: [ i ? 'lan' : 'wan' ], wan: !i, kind: 'ethernet', mtu_bytes: 1500, carrier: true, speed_mbit: 1000, up: true, carried_download_kbit: 90000, carried_upload_kbit: 9000, queue: device })) },
			reload: { shaped: true, findings: [] }
		},
		uci: {
			get: ({ config }) => ({ values: config == 'sqm' ? Object.fromEntries(names.map((name, i) => [ name, section(name, i) ]))
				: { main: { '.anonymous': false, '.type': 'sqmd', '.name': 'main', '.index': 0, enabled: '1' } } }),
			changes: { changes: {} }, set: null, add: { section: 'x' }, delete: null, apply: null, confirm: null, rollback: null, revert: null
		},
		rc: { list: { sqmd: { start: 49, enabled: true, running: true } }, init: null },
		session: { access: { access: true } }
	};
}

// An error of JSON-RPC, or with code a status of ubus, in place of an answer.
export const failure = (rpc, code) => ({ failure: { rpc, code } });

// Changes every answer of sqmd by a function of the answer.
export const changed = (all, change) => ({ ...all, sqmd: Object.fromEntries(Object.entries(all.sqmd).map(([ method, answer ]) => [ method, change(answer) ])) });

// Answers calls of JSON-RPC, one or several, from these answers, after delay milliseconds.
export function router(all, delay = 0) {
	const one = ({ id, params: [ , object, method, args ] }) => {
		const known = all[object]?.[method];
		const answer = typeof known == 'function' ? known(args) : known;
		if (known === undefined)
			return { jsonrpc: '2.0', id, error: { code: -32002, message: 'Access denied' } };
		if (answer?.failure)
			return answer.failure.rpc ? { jsonrpc: '2.0', id, error: { code: answer.failure.rpc, message: 'no' } } : { jsonrpc: '2.0', id, result: [ answer.failure.code ] };
		return { jsonrpc: '2.0', id, result: answer === null ? [ 0 ] : [ 0, answer ] };
	};
	return async (calls) => {
		if (delay)
			await new Promise((done) => setTimeout(done, delay));
		return Array.isArray(calls) ? calls.map(one) : one(calls);
	};
}

// Puts leaf(value, path) in the place of all values of an answer that are no object.
export function mapped(value, leaf, path = []) {
	if (Array.isArray(value))
		return value.map((v, i) => mapped(v, leaf, [ ...path, i ]));
	if (value && typeof value == 'object')
		return Object.fromEntries(Object.entries(value).map(([ name, v ]) => [ name, mapped(v, leaf, [ ...path, name ]) ]));
	return leaf(value, path);
}
