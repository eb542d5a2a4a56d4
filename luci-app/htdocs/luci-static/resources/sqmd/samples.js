// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.rpc as sqmd';

const { str, list, objects } = sqmd;

const value = (v) => typeof v == 'number' && isFinite(v) && v >= 0 ? v : null;

// table gives overview's rows of tins as objects; what is missing is null.
const table = (names, rows) => list(rows).filter(Array.isArray).map((row) => {
	const tin = Object.fromEntries(list(names).map((name, i) => [ str(name), row[i] ?? null ]));
	return { ...tin, name: str(tin.name) };
});

return baseclass.extend({
	table,

	// Samples of a history answer. Drops and marks become those of a second.
	past(answer) {
		const series = objects(answer?.series), step = value(answer?.step_s) || 1;
		const at = (s, name, i) => value(list(s?.[name])[i]);
		return list(answer?.times_s).map((t, i) => ({
			t: value(t) ?? 0,
			rate: at(series[0], 'rate_kbit', i),
			drops: at(series[0], 'drops', i) / step,
			marks: at(series[0], 'marks', i) / step,
			tins: series.slice(series.length > 1 ? 1 : 0).map((s) => ({ name: str(s.name), peak: at(s, 'peak_delay_us', i), avg: at(s, 'avg_delay_us', i), sparse: null }))
		}));
	},

	// The sample of a direction in an answer of overview; count are its counters,
	// before those of the one before.
	now(t, direction, tins, before) {
		const count = { t, drops: value(direction.drops), marks: value(direction.marks) };
		const since = (name) => t > before?.t && count[name] >= before[name] ? (count[name] - before[name]) / (t - before.t) : null;
		return {
			count, t, rate: value(direction.throughput_kbit), drops: since('drops'), marks: since('marks'),
			tins: tins.map((x) => ({ name: x.name, peak: value(x.peak_us), avg: value(x.avg_us), sparse: value(x.sparse_us) }))
		};
	},

	// The delay of one tin in a sample, or with '' the highest of all.
	delay(sample, tin, name) {
		const known = sample.tins.filter((x) => tin === '' || x.name === tin).map((x) => x[name]).filter((v) => v != null);
		return known.length ? Math.max(...known) : null;
	}
});
