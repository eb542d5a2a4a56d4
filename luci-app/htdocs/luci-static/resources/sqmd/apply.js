// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require ui';
'require sqmd.config as config';
'require sqmd.dialog as dialog';
'require sqmd.format as format';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

// rpcd takes a configuration back by itself when nobody confirms it in this time.
const patience = 90;

const pause = (ms) => new Promise((done) => window.setTimeout(done, ms));

function button(action, label, style, click, more) {
	return E('button', Object.assign({
		'class': 'btn cbi-button %s'.format(style),
		'data-action': action,
		'click': click
	}, more), [ label ]);
}

function wait(text) {
	dialog.show('busy', _('Applying'), [ E('p', { 'class': 'spinning', 'role': 'status' }, [ text ]) ]);
}

// findings lists what preview or check says, the errors first.
function findings(list) {
	const labels = { error: _('Error'), warning: _('Warning') };
	return E('ul', { 'class': 'sqmd-findings' }, sqmd.objects(list).map((f) => E('li', { 'data-severity': sqmd.str(f.severity) }, [
		E('strong', {}, [ labels[f.severity] ?? _('Note') ]), ' ',
		[ [ f.section, f.option ].map((s) => sqmd.str(s, 60)).filter(Boolean).join('.'), sqmd.str(f.message ?? f.problem, 400) ].filter(Boolean).join(': ')
	])));
}

function lines(queue) {
	const all = sqmd.list(queue.lines).map((l) => sqmd.str(l, 500));
	if (queue.present === false)
		return E('p', {}, [ _('The device does not exist now. It is shaped as soon as it appears.') ]);
	return all.length ? E('pre', { 'tabindex': '0' }, [ all.join('\n') ]) : E('p', {}, [ _('Nothing changes in the kernel.') ]);
}

function plan(answer, closed) {
	return sqmd.objects(answer.queues).map((q) => E('details', { 'open': closed ? null : '' }, [
		E('summary', {}, [ _('What is done about %s').format(q.queue === q.device ? sqmd.str(q.device) : '%s (%s)'.format(sqmd.str(q.queue), sqmd.str(q.device))) ]),
		lines(q)
	]));
}

// others names the configurations of other pages that an apply takes along.
function others(changes) {
	const names = Object.keys(changes ?? {}).filter((name) => name != 'sqm');
	return names.length ? E('p', {}, [ _('Unsaved changes of other pages are applied too: %s.').format(names.join(', ')) ]) : '';
}

// result is a queue of the answer to overview, as one line.
function result(queue) {
	const text = sqmd.objects(queue.directions).map((d) => {
		const rate = d.state == 'shaped' && d.rate_kbit ? ' %s'.format(format.rate(d.rate_kbit)) : '';
		const reason = d.reason ? ' (%s)'.format(sqmd.str(d.reason)) : '';
		return '%s: %s%s%s'.format(states.direction(d.direction), states.label(d.state), rate, reason);
	});
	const state = states.worst(queue);
	return E('li', { 'data-result': sqmd.str(queue.device), 'data-state': state }, [
		states.badge(state), ' ',
		E('strong', {}, [ sqmd.str(queue.queue) ]), ' ', text.join('; ')
	]);
}

// settled asks until the daemon has taken the configuration: it does so at once
// when asked to reload, or within seconds when it has to be started first.
async function settled() {
	let error;
	for (let tries = 0; tries < 8; tries++) {
		try {
			const reload = await sqmd.reload();
			return { reload, overview: await sqmd.overview() };
		}
		catch (e) {
			if (!error && sqmd.kind(e) == 'missing')
				await L.resolveDefault(sqmd.init('sqmd', 'start'));
			error = e;
			await pause(1000);
		}
	}
	return { error };
}

return baseclass.extend({
	findings,
	plan,

	// Asks what the configuration would do and, when told to, applies it. before
	// are the sections as they were, done is called at the end with whether all
	// was kept; cancelled when nothing was applied.
	ask(before, done, cancelled) {
		dialog.show('busy', _('What will change'), [ E('p', { 'class': 'spinning', 'role': 'status' }, [ _('Asking the daemon…') ]) ]);
		const sections = uci.sections('sqm');
		return Promise.all([
			sqmd.preview(config.text(sections)).catch((error) => ({ error })),
			L.resolveDefault(uci.changes(), {})
		]).then(([ answer, pending ]) => {
			const broken = sqmd.objects(answer.findings).some((f) => f.severity == 'error');
			const changed = config.changes(before, sections);
			dialog.show('preview', _('What will change'), [
				answer.error ? E('p', { 'class': 'alert-message warning' }, [ sqmd.explain(answer.error) ]) : '',
				changed.length ? E('pre', { 'tabindex': '0' }, [ changed.join('\n') ]) : E('p', {}, [ _('No option has changed.') ]),
				others(pending),
				findings(answer.findings),
				E('div', {}, plan(answer)),
				E('div', { 'class': 'right' }, [
					button('cancel', _('Cancel'), 'cbi-button-neutral', () => { dialog.hide(); cancelled?.(); }, { 'data-escape': '' }), ' ',
					button('apply', broken ? _('Apply with errors') : _('Apply'), broken ? 'cbi-button-negative' : 'cbi-button-apply important',
						() => this.now(done), { 'data-first': '' })
				])
			]);
		});
	},

	// Saves and applies what is in the forms, and shows what came of it.
	async now(done) {
		try {
			wait(_('Saving…'));
			await uci.save();
			if (Object.keys(await uci.changes() ?? {}).length) {
				await sqmd.apply(patience, true);
				this.deadline = Date.now() + patience * 1000;
			}
			wait(_('The daemon takes the configuration…'));
			this.report(await settled(), done);
		}
		catch (e) {
			dialog.show('result', _('Not applied'), [
				E('p', { 'class': 'alert-message warning' }, [ sqmd.explain(e) ]),
				E('div', { 'class': 'right' }, [ button('done', _('Close'), '', () => this.end(done, false), { 'data-escape': '', 'data-first': '' }) ])
			]);
		}
	},

	report({ error, reload, overview }, done) {
		const queues = sqmd.objects(overview?.queues);
		const fine = !error && queues.every((q) => states.fine(states.worst(q)));
		if (fine)
			return this.keep(done, queues);
		const left = E('p', { 'role': 'timer' });
		dialog.show('result', _('Not everything is shaped'), [
			error ? E('p', { 'class': 'alert-message warning' }, [ sqmd.explain(error) ]) : '',
			E('ul', { 'class': 'sqmd-findings' }, queues.map(result)),
			findings(sqmd.list(reload?.findings).concat(sqmd.list(overview?.config_findings)).map((f) => L.isObject(f) ? f : { severity: 'error', message: f })),
			this.deadline ? left : '',
			E('div', { 'class': 'right' }, [
				this.deadline ? button('undo', _('Undo'), 'cbi-button-negative important', () => this.undo(done), { 'data-first': '', 'data-escape': '' }) : '', ' ',
				button('keep', _('Keep it so'), 'cbi-button-apply', () => this.keep(done, queues))
			])
		]);
		this.countdown(left, done);
	},

	// What is not kept in time is taken back by rpcd itself.
	countdown(node, done) {
		if (!this.deadline || !node.isConnected)
			return;
		const seconds = Math.round((this.deadline - Date.now()) / 1000);
		if (seconds <= 0) {
			this.deadline = null;
			return this.end(done, false);
		}
		node.textContent = _('It is undone by itself in %d s.').format(seconds);
		window.setTimeout(() => this.countdown(node, done), 1000);
	},

	async keep(done, queues) {
		try {
			if (this.deadline)
				await sqmd.confirm();
		}
		catch (e) {
			return this.report({ error: e, overview: { queues } }, done);
		}
		this.deadline = null;
		const fine = queues.length && queues.every((q) => states.fine(states.worst(q)));
		dialog.show('result', fine ? _('Applied') : _('Kept'), [
			queues.length ? E('ul', { 'class': 'sqmd-findings' }, queues.map(result)) : E('p', {}, [ _('No queue is enabled, nothing is shaped.') ]),
			E('div', { 'class': 'right' }, [ button('done', _('Close'), 'cbi-button-positive', () => this.end(done, true), { 'data-escape': '', 'data-first': '' }) ])
		]);
	},

	async undo(done) {
		this.deadline = null;
		wait(_('Going back to the configuration before…'));
		try {
			await sqmd.rollback();
			await L.resolveDefault(sqmd.revert('sqm'));
			await L.resolveDefault(sqmd.reload());
		}
		catch (e) {
			ui.addNotification(null, E('p', {}, [ _('Going back failed: %s').format(sqmd.explain(e)) ]), 'warning');
		}
		this.end(done, false);
	},

	end(done, kept) {
		dialog.hide();
		uci.unload('sqm');
		if (typeof ui.changes?.init == 'function')
			L.resolveDefault(ui.changes.init());
		done(kept);
	}
});
