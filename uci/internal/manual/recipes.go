// SPDX-License-Identifier: GPL-2.0-or-later

package manual

// Recipe is what people are told about a value of script.
type Recipe struct {
	Name    string
	Summary string   // one sentence
	Goals   []string // the values of goal that it serves
}

// Recipes are all of them; their labels are those of the option script.
var Recipes = []Recipe{
	{"piece_of_cake.qos", "Cake shapes and queues, all traffic in one tin: the right one for most lines.", []string{"device", "flow"}},
	{"layer_cake.qos", "Cake shapes and queues, with tins by DSCP: for the upload, and for the download if its DSCP is not ignored.", []string{"priorities", "device", "flow"}},
	{"simple.qos", "htb shapes, with three classes by DSCP and a leaf under each; or one cake, if that is the queue discipline.", []string{"priorities"}},
	{"simplest.qos", "htb shapes, with one leaf; or one cake, if that is the queue discipline.", []string{"flow"}},
	{"simplest_tbf.qos", "tbf shapes, with one leaf that is never cake.", []string{"flow"}},
}

// Goal is what a page that asks for nothing but the goal writes down.
type Goal struct {
	Name          string // the value of goal
	Script, Qdisc string
	Summary       string // one sentence
}

// Goals are all values of goal, in the order in which a page would show them.
var Goals = []Goal{
	{"device", "piece_of_cake.qos", "cake", "Every device at home gets its share, however many connections it opens."},
	{"flow", "piece_of_cake.qos", "cake", "Every connection gets its share."},
	{"priorities", "layer_cake.qos", "cake", "Calls and games go first and bulk last, as their packets are marked (DSCP)."},
}
