// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
'require baseclass';
'require uci';
'require ui';
'require sqmd.config as config';
'require sqmd.dialog as dialog';
'require sqmd.format as format';
'require sqmd.page as page';
'require sqmd.rpc as sqmd';
'require sqmd.states as states';

const { str, list, objects } = sqmd;

// rpcd takes a configuration back by itself when nobody confirms it in this time.
const patience = 90;

const wait = (title, text) => dialog.show('busy', title, [ E('p', { class: 'spinning', role: 'status' }, [ text ]) ]);

function lines(queue) {
	const all = list(queue.lines).map(str);
	if (queue.present === false)
		return E('p', [ _('The device does not exist now. It is shaped as soon as it appears.') ]);
	return all.length ? E('pre', { tabindex: 0 }, [ all.join('\n') ]) : E('p', [ _('Nothing changes in the kernel.') ]);
}

function plan(answer, closed) {
	return objects(answer.queues).map((q) => E('details', { open: closed ? null : '' }, [
		E('summary', [ _('What is done about %s').format(q.queue === q.device ? str(q.device) : `${str(q.queue)} (${str(q.device)})`) ]), lines(q)
	]));
}

// others names the configurations of other pages that an apply takes along.
function others(changes) {
	const names = Object.keys(changes ?? {}).filter((name) => name != 'sqm');
	return names.length ? E('p', [ _('Unsaved changes of other pages are applied too: %s.').format(names.join(', ')) ]) : '';
}

// result is a queue of the answer to overview, as one line.
function result(queue) {
	const text = objects(queue.directions).map((d) => [
		`${states.direction(d.direction)}: ${states.label(d.state)}`,
		d.state == 'shaped' && d.rate_kbit ? format.rate(d.rate_kbit) : '',
		d.reason ? `(${str(d.reason)})` : ''
	].filter(Boolean).join(' ')).join('; ');
	const state = states.worst(queue);
	return E('li', { 'data-result': str(queue.device), 'data-state': state }, [ states.badge(state), ' ', E('strong', [ str(queue.queue) ]), ' ', text ]);
}

const results = (queues) => E('ul', { class: 'sqmd-findings' }, queues.map(result));

const fine = (queues) => queues.every((q) => states.fine(states.worst(q)));

// settled asks until the daemon has taken the configuration: it does so at once
// when asked to reload, or within seconds when it has to be started first.
async function settled() {
	let error;
	for (let tries = 0; tries < 8; tries++)
		try {
			const { findings } = await sqmd.reload();
			return { findings, queues: objects((await sqmd.overview()).queues) };
		}
		catch (e) {
			if (!error && sqmd.kind(e) == 'missing')
				await L.resolveDefault(sqmd.init('sqmd', 'start'));
			error = e;
			await new Promise((done) => setTimeout(done, 1000));
		}
	return { error, queues: [] };
}

return baseclass.extend({
	plan,

	// Asks what the configuration would do and, when told to, applies it. before
	// are the sections as they were, done is called at the end with whether all
	// was kept; cancelled when nothing was applied. Both draw the page anew, and
	// the dialog stays until they have.
	ask(before, done, cancelled) {
		const title = _('What will change'), sections = uci.sections('sqm');
		wait(title, _('Asking the daemon'));
		return Promise.all([
			sqmd.preview(config.text(sections)).catch((error) => ({ error })),
			L.resolveDefault(uci.changes(), {})
		]).then(([ answer, pending ]) => {
			const broken = objects(answer.findings).some((f) => f.severity == 'error');
			const changed = config.changes(before, sections);
			dialog.show('preview', title, [
				answer.error ? page.warning(sqmd.explain(answer.error)) : '',
				changed.length ? E('pre', { tabindex: 0 }, [ changed.join('\n') ]) : E('p', [ _('No option has changed.') ]),
				others(pending),
				page.findings(answer.findings),
				E('div', plan(answer)),
				page.bar('right',
					page.button('cancel', _('Cancel'), '', () => dialog.leave(cancelled), { 'data-escape': '' }),
					page.button('apply', broken ? _('Apply with errors') : _('Apply'), broken ? 'cbi-button-negative' : 'cbi-button-apply important', () => this.now(done), { 'data-first': '' })
				)
			]);
		});
	},

	// Saves and applies what is in the forms, and shows what came of it.
	async now(done) {
		const title = _('Applying');
		try {
			wait(title, _('Saving'));
			await uci.save();
			if (Object.keys(await uci.changes() ?? {}).length) {
				await sqmd.apply(patience, true);
				this.deadline = Date.now() + patience * 1000;
			}
			wait(title, _('The daemon takes the configuration'));
			this.report(await settled(), done);
		}
		catch (e) {
			dialog.show('result', _('Not applied'), [ page.warning(sqmd.explain(e)), this.close(done, false) ]);
		}
	},

	close(done, kept) {
		return page.bar('right', page.button('done', _('Close'), '', () => this.end(done, kept), { 'data-escape': '', 'data-first': '' }));
	},

	report(outcome, done) {
		const { error, queues } = outcome, left = E('p', { role: 'timer' });
		if (!error && fine(queues))
			return this.keep(done, queues);
		dialog.show('result', _('Not everything is shaped'), [
			error ? page.warning(sqmd.explain(error)) : '',
			results(queues),
			page.findings(outcome.findings),
			left,
			page.bar('right',
				this.deadline ? page.button('undo', _('Undo'), 'cbi-button-negative important', () => this.undo(done), { 'data-first': '', 'data-escape': '' }) : '',
				page.button('keep', _('Keep it so'), 'cbi-button-apply', () => this.keep(done, queues))
			)
		]);
		this.countdown(left, done);
	},

	// What is not kept in time is taken back by rpcd itself.
	countdown(node, done) {
		if (!this.deadline || !node.isConnected)
			return;
		const seconds = Math.round((this.deadline - Date.now()) / 1000);
		node.textContent = _('It is undone by itself in %d s.').format(seconds);
		if (seconds <= 0)
			this.end(done, false);
		else
			setTimeout(() => this.countdown(node, done), 1000);
	},

	async keep(done, queues) {
		try {
			if (this.deadline)
				await sqmd.confirm();
		}
		catch (error) {
			return this.report({ error, queues }, done);
		}
		this.deadline = null;
		dialog.show('result', queues.length && fine(queues) ? _('Applied') : _('Kept'), [
			queues.length ? results(queues) : E('p', [ _('No queue is enabled, nothing is shaped.') ]), this.close(done, true)
		]);
	},

	async undo(done) {
		this.deadline = null;
		wait(_('Undo'), _('Going back to the configuration before'));
		try {
			await sqmd.rollback();
			await L.resolveDefault(sqmd.revert('sqm'));
			await L.resolveDefault(sqmd.reload());
		}
		catch (e) {
			page.notify(e);
		}
		this.end(done, false);
	},

	end(done, kept) {
		this.deadline = null;
		this.indicate();
		return dialog.leave(() => done(kept));
	},

	// Brings LuCI's count of unsaved changes up to date.
	indicate() {
		uci.unload('sqm');
		L.resolveDefault(ui.changes?.init?.());
	}
});
