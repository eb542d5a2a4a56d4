// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';

function locale() {
	try {
		return Intl.getCanonicalLocales(document.documentElement.lang.replace('_', '-'));
	}
	catch (e) {
		return undefined;
	}
}

const three = new Intl.NumberFormat(locale(), { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat(locale(), { maximumFractionDigits: 0 });

// scaled writes a number with the greatest unit that leaves at least 1.
function scaled(n, step, units) {
	if (typeof n != 'number' || !isFinite(n))
		return '–';
	let i = 0;
	for (; Math.abs(n) >= step && i < units.length - 1; i++)
		n /= step;
	return '%s %s'.format((Math.abs(n) >= 1000 ? whole : three).format(n), units[i]);
}

return baseclass.extend({
	rate: (kbit) => scaled(kbit, 1000, [ _('kbit/s'), _('Mbit/s'), _('Gbit/s'), _('Tbit/s') ]),
	delay: (us) => scaled(us, 1000, [ _('µs'), _('ms'), _('s') ]),
	bytes: (n) => scaled(n, 1000, [ _('B'), _('kB'), _('MB'), _('GB'), _('TB'), _('PB') ]),
	count: (n) => typeof n == 'number' && isFinite(n) ? whole.format(n) : '–',
	percent: (n) => '%s %%'.format(whole.format(n)),

	duration(s) {
		if (s < 120)
			return _('%d s').format(s);
		if (s < 7200)
			return _('%d min').format(Math.floor(s / 60));
		return s < 172800 ? _('%d h').format(Math.floor(s / 3600)) : _('%d days').format(Math.floor(s / 86400));
	}
});
