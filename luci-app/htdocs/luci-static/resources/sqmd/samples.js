// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require sqmd.rpc as sqmd';

const value = (v) => typeof v == 'number' && isFinite(v) && v >= 0 ? v : null;

// The columns of overview's tins that are drawn, by their names here.
const columns = { peak: 'peak_us', avg: 'avg_us', sparse: 'sparse_us' };

// table gives overview's rows of tins as objects; what is missing is null.
function table(names, rows) {
	return sqmd.list(rows).filter(Array.isArray).map((row) => {
		const tin = {};
		sqmd.list(names).forEach((name, i) => { tin[name] = row[i] ?? null; });
		tin.name = sqmd.str(tin.name, 40);
		return tin;
	});
}

return baseclass.extend({
	table,

	// Samples of a history answer. Drops and marks become those of a second.
	past(answer) {
		const series = sqmd.objects(answer?.series), step = value(answer?.step_s) || 1;
		const at = (s, name, i) => value(sqmd.list(s?.[name])[i]);
		return sqmd.list(answer?.times_s).map((t, i) => ({
			t: value(t) ?? 0,
			rate: at(series[0], 'rate_kbit', i),
			drops: (at(series[0], 'drops', i) ?? 0) / step,
			marks: (at(series[0], 'marks', i) ?? 0) / step,
			tins: series.slice(series.length > 1 ? 1 : 0).map((s) => ({ name: sqmd.str(s.name, 40), peak: at(s, 'peak_delay_us', i), avg: at(s, 'avg_delay_us', i), sparse: null }))
		}));
	},

	// The sample of a direction in an answer of overview; before is the counters of
	// the one before, which are kept in it.
	now(t, direction, names, before) {
		const count = { t, drops: value(direction.drops) ?? 0, marks: value(direction.marks) ?? 0 };
		const seconds = before ? t - before.t : 0;
		const since = (name) => seconds > 0 && count[name] >= before[name] ? (count[name] - before[name]) / seconds : null;
		const tins = table(names, direction.tins).map((tin) => {
			const one = { name: tin.name };
			for (const name in columns)
				one[name] = value(tin[columns[name]]);
			return one;
		});
		return { count, t, rate: value(direction.throughput_kbit), drops: since('drops'), marks: since('marks'), tins };
	},

	// The delay of one tin in a sample, or with '' the highest of all.
	delay(sample, tin, name) {
		const known = sample.tins.filter((x) => tin === '' || x.name === tin).map((x) => x[name]).filter((v) => v != null);
		return known.length ? Math.max(...known) : null;
	}
});
