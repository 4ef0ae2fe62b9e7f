import {describe, expect, test} from 'vitest';
import {cellWidth} from '../../source/model/cell-width.js';
import {unknownLine, unknownStack} from '../../source/model/frame.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {SnapshotSource, SourceStatus} from '../../source/model/source.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {printable} from '../../source/model/text.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/defaults.js';
import {Controller} from '../../source/ui/controller.js';
import {linesOf} from '../../source/ui/frame.js';
import {Theme} from '../../source/ui/theme.js';
import {picture, Picture} from '../helpers/picture.js';

const plain = new Theme({color: false, ascii: true});
const colored = new Theme({color: true, ascii: false});
const sgr = /\u001B\[[\d;]*m/g;
const live: SourceStatus = {phase: 'sampling', stale: false};

function screenOf(snapshot: Snapshot | undefined, status: SourceStatus = live, saves: string[] = []): Controller {
	const source: SnapshotSource = {
		status: () => status, read: () => snapshot, setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */},
	};
	const controller = new Controller({
		source, vitals: () => ({cpuPercent: 104, heapUsedBytes: 1e9, heapCapacityBytes: 2e9, gcPercent: 1.5, uptimeMs: 3_600_000}),
		async save(_snapshot, _baseline, query, {name}) {
			saves.push(query.filter);
			return `saved ${name ?? 'it'}`;
		},
		saveFormats: [{id: 'pprof', title: 'pprof'}], view: {query: defaultQuery, delayMs: 1000}, onChange() {/* The test looks when it likes. */},
	});
	controller.refresh();
	return controller;
}

function show(controller: Controller, columns = 80, rows = 24, theme = plain): string[] {
	return linesOf(controller.frame({columns, rows}, theme));
}

const busy = (): Snapshot => picture(`
	worker-1
	R R R R R R
	com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3
	com.acme.sort.Bubble.sort:16 com.acme.sort.Bubble.sort:16 com.acme.sort.Bubble.sort:16 com.acme.sort.Bubble.sort:16 com.acme.sort.Bubble.sort:16 com.acme.db.Pool.take:88

	worker-2 <- worker-1@com.acme.db.Pool.take:88
	B B B B B B
	com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3
	com.acme.db.Pool.put:95 com.acme.db.Pool.put:95 com.acme.db.Pool.put:95 com.acme.db.Pool.put:95 com.acme.db.Pool.put:95 com.acme.db.Pool.put:95

	poller
	. . . . . .
	sun.nio.ch.EPoll.wait:native sun.nio.ch.EPoll.wait:native sun.nio.ch.EPoll.wait:native sun.nio.ch.EPoll.wait:native sun.nio.ch.EPoll.wait:native sun.nio.ch.EPoll.wait:native
`);

function hostile(): Snapshot {
	const names = ['\u001B[2J', '\u202Eevil', '名前', '👩‍👩‍👧', 'e\u0301\u0301', 'x'.repeat(600), 'a\nb', '\u009B31m', 'ﷺ'].map(name => printable(name));
	const {builder} = new Picture();
	for (const [index, name] of names.entries()) {
		const thread = builder.addThread({key: index + 1, name: builder.internString(name)});
		const node = builder.addStack([builder.addFrame(`${name}.${name}`, name, name, index), builder.addFrame(name, name, '', -1)]);
		builder.count(thread, node, 1 + (index % 4), 5, 1e7 * index);
		builder.setNow(thread, {node, state: 1 + (index % 4)});
	}

	return builder.build({target: {pid: 1, mainClass: names[3]}, session: {samples: 5, durationMs: 1000, engine: 'attach', intervalMs: 200}});
}

describe('a frame fits its screen', () => {
	const keys: readonly string[][] = [[], ['tab'], ['enter'], ['tab', 'enter'], ['?'], ['f6'], ['/', 'x', '名'], ['c', 'right'], ['x', 'x'], ['S', 'enter', 'n'], ['i', 'tab', 'l']];
	const cases: ReadonlyArray<readonly [name: string, snapshotOf: () => Snapshot | undefined]> = [['busy', busy], ['hostile', hostile], ['empty', () => undefined]];
	test.each(cases)('%s, at every size, with every layer', (_, snapshotOf) => {
		const snapshot = snapshotOf();
		for (const pressed of keys) {
			for (const theme of [plain, colored]) {
				const controller = screenOf(snapshot);
				controller.frame({columns: 80, rows: 24}, theme);
				for (const key of pressed) {
					controller.press(key, theme);
				}

				for (const columns of [1, 2, 3, 10, 20, 35, 49, 50, 64, 79, 80, 119, 120, 150, 200]) {
					for (const rows of [1, 2, 3, 4, 5, 7, 8, 15, 16, 24, 40, 60]) {
						const lines = show(controller, columns, rows, theme);
						expect(lines.length, `${columns} x ${rows}`).toBeLessThanOrEqual(Math.max(0, rows - 1));
						for (const line of lines) {
							const text = line.replaceAll(sgr, '');
							expect(cellWidth(text), `${columns} x ${rows} ${pressed.join(' ')}: ${text}`).toBeLessThanOrEqual(Math.max(0, columns - 1));
							expect(text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
						}
					}
				}
			}
		}
	});

	test('its height does not change with what is on it', () => {
		const controller = screenOf(busy());
		const heights = new Set<number>();
		for (const key of ['x', 'tab', 'tab', '?', 'escape', 'enter', 'escape', 'f6', 'escape', '/', 'q', 'enter', 'escape', 'S', 'enter', 'escape']) {
			controller.press(key, plain);
			heights.add(show(controller).length);
		}

		expect([...heights]).toEqual([23]);
	});

	test('without colour there is no escape sequence, with --ascii nothing but ASCII', () => {
		const controller = screenOf(busy());
		for (const rows of [24, 60]) {
			for (const line of show(controller, 200, rows)) {
				expect(line).toMatch(/^[\u0020-\u007E]*$/);
			}
		}

		expect(show(controller, 80, 24, colored).join('')).toMatch(sgr);
	});
});

describe('the Lines view', () => {
	test('hot lines first, with their states, and what is held up', () => {
		const lines = show(screenOf(busy()));
		expect(lines[0]).toMatch(/LIVE \d\d:\d\d$/);
		expect(lines[2]).toContain('RUN 1 BLK 1! WAIT 0 TIMED 0 idle 1');
		expect(lines[3]).toMatch(/^R+B+\.+$/);
		expect(lines[4]).toMatch(/^\[Lines] +Threads /);
		expect(lines[5]).toMatch(/^ %SELFv.*%TOT.*STATE.*LINE/);
		expect(lines[6]).toMatch(/^> +83\.3 .* R{8} c\.a\.sort\.Bub{2}le\.sort:16/);
		expect(lines[7]).toMatch(/^ +16\.7 .* R{8} c\.a\.db\.Po{2}l\.take:8{2}/);
		expect(lines.find(line => line.includes('Pool.put:95'))).toMatch(/B{8}.*1 blocked/);
	});

	test('narrow screens keep share, states and name', () => {
		expect(show(screenOf(busy()), 45, 24)[6]).toMatch(/^> +83\.3 R{8} .*Bub{2}le\.sort:16/);
	});

	test('the detail says who holds the lock and at which line', () => {
		const controller = screenOf(busy());
		show(controller);
		for (const key of ['/', 'p', 'u', 't', 'enter', 'enter']) {
			controller.press(key, plain);
			show(controller);
		}

		const text = show(controller, 100, 40).join('\n');
		expect(text).toContain('com.acme.db.Pool.put:95');
		expect(text).toMatch(/BLOCKED BY[^]*6 +worker-1 holds java\.lang\.Object\n +took it at c\.a\.db\.Pool\.take:88/);
		expect(text).toMatch(/THREADS[^]*B{8} worker-2/);
		expect(text).toMatch(/CALLERS[^]*c\.acme\.Main\.main:3/);
	});

	test('a filter that cannot be read says why in its own line, whole at 80 columns, and is not shown as in force', () => {
		const controller = screenOf(busy());
		show(controller);
		const all = show(controller).filter(line => line.includes('c.a.')).length;
		for (const key of '//(') {
			controller.press(key, plain);
		}

		controller.press('enter', plain);
		expect(show(controller).at(-2)).toBe('filter: /(_  the closing / is missing');
		expect(show(controller).filter(line => line.includes('c.a.'))).toHaveLength(all);
		for (const key of ['ctrl-u', ...'foo>1']) {
			controller.press(key, plain);
		}

		expect(show(controller).slice(-3)).toEqual([
			'filter: foo>1_', 'cannot compare "foo"; use pct, total, cpu, ticks, threads, blocked, stuck', expect.stringMatching(/^Enter:keep .*Esc:clear/),
		]);
		expect(show(controller)[4]).not.toContain('foo>1');
		for (const key of ['ctrl-u', ...'PCT > 50']) {
			controller.press(key, plain);
		}

		expect(show(controller).at(-2)).toBe('filter: PCT > 50_');
		expect(show(controller)[5]).toMatch(/1\/\d+ *$/);
	});

	test('the screen of 200 x 60 has a column for each state, the files and a pane for the selected row', () => {
		const text = show(screenOf(busy()), 200, 60).join('\n');
		expect(text).toMatch(/CPU ms.*RUN.*BLK.*WAIT.*TIMED.*IDLE.*LAST 60s.*TOP THREADS.*FILE/);
		expect(text).toContain('Bubble.java');
		expect(text).toContain('TOP STACKS');
	});
});

describe('the Threads view', () => {
	test('shows CPU, state, and where each thread is; idle ones when asked for', () => {
		const controller = screenOf(busy());
		show(controller);
		controller.press('tab', plain);
		controller.press('l', plain);
		const text = show(controller).join('\n');
		expect(text).toMatch(/worker-1 .*c\.a\.d.*Pool\.take:88/);
		expect(text).toMatch(/BLK .*worker-2/);
		expect(text).not.toContain('poller');
		controller.press('i', plain);
		expect(show(controller).join('\n')).toContain('poller');
	});
});

describe('what the session does is said', () => {
	const said = (status: SourceStatus, snapshot: Snapshot | undefined = busy()) => show(screenOf(snapshot, status)).join('\n');
	test('the target ended: when, and what can be done', () => {
		expect(said({phase: 'ended', stale: false})).toMatch(/ENDED \d\d:\d\d:\d\d\n[^]*target ended \d\d:\d\d:\d\d; s saves, q quits/);
	});

	test('failed, stale, stopped, starting, recorded', () => {
		expect(said({phase: 'failed', stale: false, message: 'the socket is gone', hint: 'start again'})).toMatch(/FAILED\n[^]*the socket is gone; start again; s saves, q quits/);
		expect(said({phase: 'sampling', stale: true})).toMatch(/STALE\n[^]*these numbers are old/);
		expect(said({phase: 'sampling', stale: false, silentS: 12, note: 'sampling fails: no answer in time'})).toMatch(/NO SAMPLE 12s\n[^]*no sample for 12 s; sampling fails: no answer in time/);
		expect(said({phase: 'paused', stale: false})).toMatch(/STOPPED\n[^]*o restarts it/);
		expect(show(screenOf(undefined, {phase: 'starting', stale: false})).join('\n')).toMatch(/STARTING\n[^]*waiting for the first sample/);
		expect(said({phase: 'recording', stale: false})).toMatch(/RECORDED \d{4}-\d\d-\d\d \d\d:\d\d\n/);
	});
});

describe('how sampling goes', () => {
	/** Screens at these moments of a session: seconds of sampling, samples, our own CPU seconds. */
	function over(moments: ReadonlyArray<readonly [s: number, samples: number, cpuS: number]>, status: SourceStatus): string[] {
		const snapshots = moments.map(([s, samples, cpuS]) => picture('one\nR\na:1', {
			engine: 'memory', requestedIntervalMs: 20, intervalMs: 20, samples, durationMs: s * 1000, takenAtMs: s * 1000, lastSampleAtMs: s * 1000, selfCpuMs: cpuS * 1000,
		}));
		let read = 0;
		const source: SnapshotSource = {
			status: () => status, read: () => snapshots[read++], setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */},
		};
		const controller = new Controller({
			source, vitals: () => ({heapCapacityBytes: 2 ** 30}), save: async () => '', saveFormats: [], view: {query: defaultQuery, delayMs: 1000}, onChange() {/* The test looks when it likes. */},
		});
		for (const snapshot of snapshots) {
			expect(snapshot).toBeDefined();
			controller.refresh();
		}

		return show(controller);
	}

	test('the rate is the one reached lately, and our own CPU time is that of the last ten seconds, without our start', () => {
		const [first, session] = over([[0.2, 8, 1], [10, 400, 1.3], [20, 520, 1.4]], live);
		expect(first).toContain('memory 12/s');
		expect(session).toContain('1% own');
		// Nothing is said before there is something to say.
		const young = over([[0.2, 8, 1]], live);
		expect(young[0]).toMatch(/memory {2,}LIVE/);
		expect(young[1]).toContain('- own');
	});

	test('without sampling there is no rate', () => {
		expect(over([[1, 40, 1], [11, 440, 1]], {phase: 'paused', stale: false})[0]).toMatch(/memory {2,}STOPPED/);
	});

	test('a recording has the rate and the cost of all of it', () => {
		const lines = over([[20, 500, 2]], {phase: 'recording', stale: false});
		expect(lines[0]).toContain('memory 25/s');
		expect(lines[1]).toContain('10% own');
	});

	test('while the budget puts samples off, when the next one comes', () => {
		const lines = over([[1, 40, 1], [11, 41, 1]], {...live, nextS: 42});
		expect(lines[0]).toMatch(/THROTTLED next in 42s$/);
		expect(lines.join('\n')).toContain('--max-overhead allows; the next sample comes in 42s');
		expect(over([[1, 40, 1], [11, 41, 1]], {...live, nextS: 0})[0]).toMatch(/THROTTLED next is due$/);
	});

	test('what is not known of the heap is a dash', () => {
		expect(over([[1, 40, 1]], live)[2]).toContain('heap -/1.0G');
	});
});

describe('what must be known of the figures', () => {
	const refused = () => picture('one\nR\na:1', {threadSamples: 200, refusedThreads: 80, otherTicks: 5, samples: 50, late: 1});
	test('is in the header of 80 columns, the most urgent first, beside samples and cost', () => {
		const [, session] = show(screenOf(refused()));
		expect(session).toMatch(/^! 40% of samples have no stack \| samples 50 .*cost 0% of target/);
		expect(show(screenOf(refused()), 200, 60)[1]).toContain('! table full: 5 at (other)');
	});

	test('another tracer is named in the header of 80 columns, the help and the detail of the stacks that are not known', () => {
		const builder = new SnapshotBuilder();
		const thread = builder.addThread({key: 1, name: builder.internString('one')});
		builder.count(thread, builder.addStack([builder.addFrame(unknownStack.className, unknownStack.method, '', unknownLine)]), stateCode.RUNNABLE, 5, 1e7);
		const unknown = builder.build({session: {durationMs: 10_000, threadSamples: 200, refusedThreads: 80, samples: 50}});
		const controller = screenOf(unknown, {...live, tracer: 'gdb (process 4711)'});
		expect(show(controller)[1]).toMatch(/^! 40% without stack: gdb 4711 \| samples 50 .*cost 0% of target/);
		controller.press('enter', plain);
		expect(show(controller).join('\n')).toContain('not stopped to be read: gdb (process 4711) traces threads of this JVM');
		controller.press('?', plain);
		expect(show(controller, 80, 60).join('').replaceAll(/\s+/g, ' ')).toContain('80 thread samples have no stack: gdb (process 4711) is attached to the threads');
	});

	test('stands whole in the help, with the note of the session, at any width', () => {
		for (const columns of [200, 80, 38]) {
			const controller = screenOf(refused(), {...live, note: `a note of ${'many '.repeat(30)}words`});
			show(controller, columns, 60);
			controller.press('?', plain);
			const text = show(controller, columns, 60).join('').replaceAll(/\s+/g, ' ');
			expect(text).toContain('80 thread samples have no stack: a debugger or another profiler is attached to the threads');
			expect(text).toContain('5 thread samples with new stacks are counted under (other)');
			expect(text).toContain(`a note of ${'many '.repeat(30)}words`);
		}
	});
});

describe('a message is never cut', () => {
	const long = `not saved: ${'/srv/a-very-long-folder-name'.repeat(4)}/tprof-4711-20260914T140201Z.pb.gz: no space left on device; free some, or choose another folder`;
	async function afterSave(columns: number, rows: number): Promise<Controller> {
		const controller = new Controller({
			source: {
				status: () => live, read: busy, setPaused() {/* Nothing samples here. */}, async close() {/* Nothing is open. */}, onChange: () => () => {/* It never changes. */},
			},
			vitals: () => ({}), save: async () => long, saveFormats: [], view: {query: defaultQuery, delayMs: 1000}, onChange() {/* The test looks when it likes. */},
		});
		controller.refresh();
		show(controller, columns, rows);
		controller.press('s', plain);
		await Promise.resolve();
		await Promise.resolve();
		return controller;
	}

	const squeezed = (lines: readonly string[]) => lines.join('').replaceAll(/\s/g, '');

	test('at 80 columns it takes lines of the table, which stays as high and keeps its cursor on the screen', async () => {
		const controller = await afterSave(80, 24);
		controller.press('G', plain);
		const lines = show(controller);
		expect(lines).toHaveLength(23);
		expect(squeezed(lines)).toContain(squeezed([long]));
		expect(lines.at(-1)).toMatch(/^q:quit/);
		expect(lines.some(line => line.startsWith('>'))).toBe(true);
	});

	test.each([[38, 9], [40, 6], [30, 8]])('at %i x %i all of it can be read in the help', async (columns, rows) => {
		const controller = await afterSave(columns, rows);
		controller.press('?', plain);
		const read: string[] = [];
		for (let lines = 0; lines < 40; lines++) {
			read.push(show(controller, columns, rows)[1]);
			controller.press('j', plain);
		}

		expect(squeezed(read)).toContain(squeezed([long]));
	});

	test('why a table is empty is said whole', () => {
		const lines = show(screenOf(picture('one\nw\na:1')));
		expect(lines.slice(6, 8).join(' ')).toContain('nothing in this window in the counted states: active (RUNNABLE, BLOCKED); x for others');
	});
});

test('a recording offers no key that means nothing for it', () => {
	const controller = screenOf(busy(), {phase: 'recording', stale: false});
	show(controller);
	expect(show(controller).at(-1)).not.toContain('pause');
	controller.press('?', plain);
	const help = show(controller, 80, 100).join('\n');
	expect(help).toMatch(/^ s +save/m);
	expect(help).not.toMatch(/^ [doruz] /m);
});

test('a save has what is on the screen, and its answer is the message', async () => {
	const saves: string[] = [];
	const controller = screenOf(busy(), live, saves);
	show(controller);
	for (const key of ['/', 's', 'o', 'r', 't', 'enter', 's']) {
		controller.press(key, plain);
	}

	await Promise.resolve();
	await Promise.resolve();
	expect(saves).toEqual(['sort']);
	expect(show(controller).join('\n')).toContain('saved it');
});
