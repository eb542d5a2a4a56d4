// SPDX-License-Identifier: GPL-2.0-or-later

// Package luci shows the pages of luci-app in a browser without LuCI and without a router to put them on: a web server
// on the host gives the pages, with a stand-in for LuCI's own scripts (folder standin), and passes their calls on to a
// router in a guest of package lab, on which the real sqmd runs (lab/luci/router).
//
// The stand-in is written from what is documented of LuCI, and behaves like it where a page can tell, also where that
// is a trap: a string given to E() as its children becomes markup.
package luci
