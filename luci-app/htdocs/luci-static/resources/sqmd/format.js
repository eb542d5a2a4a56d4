// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';

function numbers(options) {
	try {
		return new Intl.NumberFormat(document.documentElement.lang.replace('_', '-') || undefined, options);
	}
	catch {
		return new Intl.NumberFormat(undefined, options);
	}
}

const three = numbers({ maximumSignificantDigits: 3 });
const whole = numbers({ maximumFractionDigits: 0 });
const finite = (n) => typeof n == 'number' && isFinite(n);

// scaled writes a number with the greatest unit that leaves at least 1.
function scaled(n, ...units) {
	if (!finite(n))
		return '–';
	let i = 0;
	for (; Math.abs(n) >= 1000 && i < units.length - 1; i++)
		n /= 1000;
	return `${(Math.abs(n) < 1000 ? three : whole).format(n)} ${units[i]}`;
}

return baseclass.extend({
	rate: (kbit) => scaled(kbit, 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'),
	delay: (us) => scaled(us, 'µs', 'ms', 's'),
	bytes: (n) => scaled(n, 'B', 'kB', 'MB', 'GB', 'TB', 'PB'),
	count: (n) => finite(n) ? (Math.abs(n) < 1000 ? three : whole).format(n) : '–'
});
