// SPDX-License-Identifier: GPL-2.0-or-later

package top

import "testing"

func TestUnits(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{rate(0), "0"}, {rate(1), "1k"}, {rate(999), "999k"}, {rate(1000), "1.0M"}, {rate(99_990), "99.9M"},
		{rate(100_000), "100M"}, {rate(2_500_000), "2.5G"}, {limit(0), "none"}, {limit(20_000), "20.0M"},
		{size(0), "0B"}, {size(1514), "1.5kB"}, {size(99_999), "99kB"}, {size(7_340_032), "7.3MB"},
		{delay(0), "0us"}, {delay(999), "999us"}, {delay(4_100), "4.1ms"}, {delay(12_400), "12ms"}, {delay(1_500_000), "1.5s"},
		{counter(99_999), "99999"}, {counter(100_000), "100k"}, {counter(4_294_967_295), "4.2G"},
		{age(-1), "0s"}, {age(59), "59s"}, {age(61), "1m01s"}, {age(3600), "1h00m"}, {age(93784), "1d02h"},
		{bar(0, 100, 4), "...."}, {bar(24, 100, 4), "...."}, {bar(50, 100, 4), "##.."}, {bar(100, 100, 4), "####"},
		{bar(101, 100, 4), "####"}, {bar(1, 2, 4), "#..."}, {bar(1<<63, ^uint64(0), 4), "##.."},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
