// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package simkernel

// kernelScripts are lists of steps that try the rules of the kernel, the refusals
// not less than the rest.
var kernelScripts = map[string][]string{
	"links": {
		"create ifb4eth1", "create ifb4eth1", "create a-name-that-is-long", "create ifb4two 2", "mark ifb4eth1 sqmd:eth1", "up ifb4eth1", "up ifb4two",
		"qdisc add ifb4two root 0 cake_mq bandwidth 10mbit", "mark nosuch sqmd:eth1", "up nosuch", "remove nosuch", "remove lo", "remove ifb4two", "remove ifb4eth1",
	},
	"outside hands on links": {
		"create ifb9", "mtu ifb9 1400", "rename ifb9 ifb8", "mtu ifb9 1300", "up ifb8", "mtu ifb8 1300", "mark ifb8 something", "down ifb8", "mark ifb8 else", "rename ifb8 eth1", "qdisc add ifb8 root 1: fq_codel",
		"qdisc replace ifb8 root 2: bfifo", "mtu ifb8 1500", "qdisc replace ifb8 root 3: bfifo", "up ifb8", "delete ifb8", "delete ifb8",
	},
	"root": {
		"qdisc delete eth1 root 0", "qdisc delete eth1 root 1:", "qdisc change eth1 root 1: cake bandwidth 1mbit", "qdisc change eth1 root 0 cake bandwidth 1mbit",
		"qdisc add eth1 root 1: cake bandwidth 10mbit nat", "qdisc add eth1 root 1: cake", "qdisc add eth1 root 2: cake", "qdisc add eth1 root 0 cake",
		"qdisc change eth1 root 1: cake diffserv4 overhead 40", "qdisc change eth1 root 1: cake raw", "qdisc change eth1 root 1: cake overhead -4 mpu 64", "qdisc change eth1 root 1: cake rtt 20ms",
		"qdisc change eth1 root 0 cake bandwidth 12mbit wash", "qdisc change eth1 root 2: cake", "qdisc change eth1 root 1: fq_codel",
		"qdisc replace eth1 root 1: cake besteffort", "qdisc replace eth1 root 1: fq_codel", "qdisc replace eth1 root 2: fq_codel", "qdisc replace eth1 root 2: fq_codel limit 77",
		"qdisc replace eth1 root 0 fq_codel target 3ms", "qdisc change eth1 root 2: fq_codel flows 64", "qdisc replace eth1 root 0 codel", "qdisc replace eth1 root 1:5 codel", "qdisc add eth1 root 3:1 pfifo",
		"qdisc delete eth1 root 3:", "qdisc delete eth1 root 0", "qdisc delete eth1 root 0", "qdisc delete nosuch root 0", "qdisc add nosuch root 1: cake",
	},
	"down": {
		"create ifb9", "qdisc add ifb9 root 1: cake", "qdisc delete ifb9 root 1:", "qdisc add ifb9 root 1: htb default 1", "up ifb9", "qdisc delete ifb9 root 0",
	},
	"kinds": {
		"qdisc replace eth1 root 1: sfq limit 100 perturb 10", "qdisc change eth1 root 1: sfq limit 90", "qdisc replace eth1 root 2: pie target 20ms", "qdisc change eth1 root 2: pie ecn",
		"qdisc replace eth1 root 3: codel ecn", "qdisc change eth1 root 3: codel limit 77", "qdisc replace eth1 root 4: fq_codel flows 64", "qdisc replace eth1 root 4: fq_codel flows 64",
		"qdisc replace eth1 root 5: pfifo", "qdisc change eth1 root 5: pfifo limit 7", "qdisc replace eth1 root 6: bfifo", "qdisc change eth1 root 6: bfifo limit 7000",
		"qdisc replace eth1 root 7: tbf rate 3mbit burst 5kb latency 300ms", "qdisc change eth1 root 7: tbf rate 4mbit burst 6kb latency 300ms",
		"qdisc replace eth1 root 8: red limit 400000 avpkt 1000", "qdisc replace eth1 root 9: htb default 10", "qdisc replace eth1 root 9: htb default 11", "qdisc change eth1 root 9: htb default 11",
		"qdisc replace eth1 root a: fq_pie flows 64 target 20ms",
	},
	"stab": {
		"qdisc add eth1 root 1: stab overhead 40 linklayer atm htb default 1", "qdisc replace eth1 root 2: stab overhead 40 linklayer atm fq_codel", "qdisc change eth1 root 2: stab overhead 20 fq_codel limit 5",
		"qdisc change eth1 root 2: fq_codel limit 6", "qdisc change eth1 root 2: stab mpu 64 overhead -4 linklayer ethernet fq_codel",
	},
	"hook": {
		"qdisc delete eth1 ingress ffff:", "qdisc delete eth1 ingress 0", "filter add eth1 hook 10 matchall action pass", "filter delete eth1 hook 10 matchall", "filter delete eth1 hook 0",
		"qdisc add eth1 ingress ffff: ingress", "qdisc add eth1 ingress ffff: ingress", "qdisc add eth1 ingress ffff: clsact", "qdisc replace eth1 ingress ffff: clsact", "qdisc replace eth1 ingress ffff: ingress",
		"qdisc change eth1 ingress ffff: ingress", "filter add eth1 hook 10 matchall action pass", "qdisc delete eth1 ingress ffff:", "qdisc delete eth1 ingress ffff:", "qdisc delete eth1 ingress 0",
		"qdisc add eth1 ingress 0 clsact", "filter add eth1 ffff: 10 matchall action pass", "filter add eth1 ffff:fff3 10 matchall action pass", "qdisc delete eth1 ingress ffff:",
		"qdisc add eth1 ingress ffff: fq_codel", "qdisc add eth1 root 1: ingress", "qdisc add eth1 ingress ffff: ingress", "filter add eth1 ffff: 10 matchall action pass",
	},
	"filters": {
		"create ifb9", "qdisc add eth1 ingress ffff: ingress", "filter change eth1 hook 10 matchall action pass",
		"filter add eth1 hook 10 matchall action mirred egress redirect dev ifb9", "filter add eth1 hook 10 matchall action pass", "filter add eth1 hook 10/1 matchall action pass", "filter replace eth1 hook 10/1 matchall action pass",
		"filter add eth1 hook 10 u32 match u32 0 0 action pass", "filter add eth1 hook 10 ip matchall action pass", "filter delete eth1 hook 10 ip matchall", "filter delete eth1 hook 10 u32", "filter delete eth1 hook 10/5 matchall",
		"filter delete eth1 hook 11 matchall", "filter add eth1 hook 5 u32 match u32 6 0xff at 8 action pass", "filter add eth1 hook 5 u32 match u32 7 0xff at 8 action pass", "filter add eth1 hook 5/3 u32 match u32 8 0xff at 8 action pass",
		"filter add eth1 hook 5/3 u32 match u32 8 0xff at 8 action pass", "filter add eth1 hook 6 ip u32 match u32 9 0xff at 8 action pass", "filter add eth1 hook 0 ip u32 match u32 1 0xff at 8 action pass",
		"filter add eth1 hook 0 ip u32 match u32 2 0xff at 8 action pass", "filter add eth1 hook 0 ip flower ip_proto tcp action pass", "filter add eth1 hook 7 fw action pass", "filter add eth1 hook 7/9 fw action pass", "filter add eth1 hook 7/9 fw action pass",
		"filter add eth1 hook 8 ip flower ip_proto udp action pass", "filter add eth1 hook 8 ip flower ip_proto tcp action pass", "filter delete eth1 hook 8/1 ip flower", "filter delete eth1 hook 8/1 ip flower",
		"filter delete eth1 hook 5/80000003 u32", "filter delete eth1 hook 5 u32", "filter delete eth1 hook 10/1 matchall", "filter add eth1 hook 10 matchall action mirred egress redirect dev ifb9", "remove ifb9",
		"filter add eth1 hook 12 matchall action mirred egress redirect dev lo", "filter delete eth1 hook 0", "filter delete eth1 hook 0",
	},
	"u32 that leaves its table": {
		"qdisc add eth1 ingress ffff: ingress", "filter add eth1 hook 5/1 u32 match u32 6 0xff at 8 action pass", "filter add eth1 hook 6/1 u32 match u32 6 0xff at 8 action pass",
		"filter delete eth1 hook 5/80000001 u32", "filter add eth1 hook 5 matchall action pass", "filter add eth1 hook 5 ip u32 match u32 6 0xff at 8 action pass", "filter add eth1 hook 5 u32 match u32 6 0xff at 8 action pass",
		"filter delete eth1 hook 6 u32", "filter delete eth1 hook 5/80000800 u32", "filter add eth1 hook 5 matchall action pass",
	},
	"classes": {
		"class add eth1 1: 1:1 htb rate 5mbit", "qdisc add eth1 root 1: htb default 10", "class change eth1 1: 1:1 htb rate 5mbit", "class add eth1 1: 1:1 htb rate 5mbit", "class add eth1 1: 1:1 htb rate 5mbit",
		"class change eth1 1: 1:1 htb rate 6mbit quantum 3000 prio 3", "class replace eth1 1: 1:1 htb rate 7mbit prio 9", "class add eth1 1:1 1:10 htb rate 1mbit ceil 7mbit", "class change eth1 1: 1:1 htb rate 8mbit quantum 5000 prio 1",
		"class add eth1 1:10 1:100 htb rate 100kbit", "class add eth1 1:7 1:70 htb rate 100kbit", "class add eth1 1: 2:1 htb rate 1mbit", "class add eth1 2: 2:1 htb rate 1mbit", "class add eth1 1:1 1:0 htb rate 1mbit",
		"qdisc add eth1 1:100 110: fq_codel", "qdisc add eth1 1:100 110: fq_codel", "qdisc add eth1 1:100 111: codel", "qdisc replace eth1 1:100 111: codel", "qdisc replace eth1 1:100 111: pie", "qdisc replace eth1 1:100 0 pie",
		"qdisc add eth1 1:10 112: fq_codel", "qdisc add eth1 1:99 112: fq_codel", "qdisc add eth1 5:1 112: fq_codel", "qdisc delete eth1 1:100 112:", "qdisc delete eth1 1:100 0", "qdisc delete eth1 1:100 0", "qdisc delete eth1 1:99 0",
		"qdisc add eth1 1:100 110: fq_codel", "filter add eth1 1: 1 matchall classid 1:100", "filter add eth1 1: 2 ip u32 match u32 0 0 classid 1:33", "filter add eth1 1:1 3 matchall classid 1:100", "filter add eth1 1:99 3 matchall classid 1:100",
		"class delete eth1 1:1 1:10", "class delete eth1 1:10 1:99", "class delete eth1 1:10 1:100", "class delete eth1 1:10 1:100", "class delete eth1 1:1 1:10", "class add eth1 1: 1:33 htb rate 1mbit", "class delete eth1 1: 1:33",
		"filter delete eth1 1: 2 ip u32", "class delete eth1 1: 1:33", "qdisc delete eth1 root 1:",
	},
	"leaves of tbf": {
		"qdisc add eth1 root 1: tbf rate 3mbit burst 5kb latency 300ms", "qdisc delete eth1 1: 0", "qdisc delete eth1 1:1 110:", "qdisc add eth1 1: 110: fq_codel", "qdisc change eth1 root 1: tbf rate 4mbit burst 5kb latency 300ms",
		"qdisc replace eth1 1: 111: bfifo limit 5000", "qdisc change eth1 root 1: tbf rate 5mbit burst 5kb latency 300ms", "qdisc delete eth1 1: 111:", "filter add eth1 1: 1 matchall classid 1:1", "class add eth1 1: 1:1 htb rate 1mbit",
	},
	"classless": {
		"qdisc add eth1 root 1: cake", "qdisc add eth1 1:1 2: fq_codel", "class add eth1 1: 1:1 htb rate 1mbit", "filter add eth1 1: 9 matchall action skbedit priority 1:1", "qdisc replace eth1 root 2: codel",
		"filter add eth1 2: 9 matchall classid 2:1", "class add eth1 2: 2:1 htb rate 1mbit", "qdisc add eth1 2:1 3: fq_codel", "qdisc replace eth1 root 3: fq_codel", "qdisc add eth1 3:1 4: codel", "filter add eth1 3: 9 matchall classid 3:1",
		"filter add eth1 4: 9 matchall classid 3:1", "filter delete eth1 4: 9 matchall",
	},
	"handles of the kernel's choice": {
		"qdisc add wan0 root 0 htb default 1", "qdisc replace wan0 root 0 tbf rate 3mbit burst 5kb latency 300ms", "qdisc add eth1 root 0 pie",
	},
}
