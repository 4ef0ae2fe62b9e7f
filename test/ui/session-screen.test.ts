/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {describe, expect, test} from 'vitest';
import {cellWidth} from '../../source/model/cell-width.js';
import {unknownLine, unknownStack} from '../../source/model/frame.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {SnapshotSource, SourceStatus} from '../../source/model/source.js';
import type {SessionStats, Snapshot, TargetVitals} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {starvedText} from '../../source/query/summary/summary.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {views} from '../../source/views/registry.js';
import {hostileSnapshot} from '../exports/snapshots.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {deadlocked, picture, Picture} from '../helpers/picture.js';
import {openScreen, sourceOf, storeOf} from '../helpers/session-screen.js';

const plain = new Theme({color: false, ascii: true});
const colored = new Theme({color: true, ascii: false});
const sgr = /\u001B\[[\d;]*m/g;
const live: SourceStatus = {phase: 'sampling', stale: false};

type Made = NonNullable<Parameters<typeof openScreen>[2]> & Partial<Pick<SnapshotSource, 'read' | 'askForHolders'>> & {readonly status?: SourceStatus; readonly vitals?: TargetVitals; readonly isRead?: boolean; readonly columns?: number; readonly rows?: number};
type Screen = {
	readonly screen: ComponentScreen;
	readonly store: SessionStore;
	/** How often it asked to be ended. */
	quits(): number;
};

const figures: TargetVitals = {
	cpuPercent: 104, heapUsedBytes: 1e9, heapCapacityBytes: 2e9, gcPercent: 1.5, uptimeMs: 3_600_000,
};

/** The screen of a session that is read when the test says so. */
function screenOf(snapshot: Snapshot | undefined, {status = live, read = () => snapshot, vitals = figures, isRead = true, columns = 80, rows = 24, askForHolders, ...props}: Made = {}): Screen {
	const store = storeOf(read, {status: () => status, askForHolders}, vitals);
	if (isRead) {
		store.refresh();
	}

	let quits = 0;
	const screen = openScreen(store, {columns, rows}, {
		...props, onQuit() {
			quits++;
		},
	});
	return {screen, store, quits: () => quits};
}

async function show({screen}: Screen, columns = 80, rows = 24): Promise<string[]> {
	await screen.resize({columns, rows});
	return screen.lines();
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

test('a deadlock is a red line below the header in every view and size, until it is over', async () => {
	let shown = deadlocked();
	const session = screenOf(shown, {theme: colored, read: () => shown});
	for (const {title} of views) {
		const screen = await show(session);
		expect(screen.join('\n').replaceAll(sgr, '')).toMatch(new RegExp(`\\[${title}(?: 2!)?]`));
		expect(screen.slice(0, 5).join('\n')).toMatch(/\u001B\[(?:1;)?31m(?:\u001B\[1m)?! DEADLOCK: one -> two -> one/);
		await session.screen.press('tab');
	}

	expect((await show(session, 60, 10))[0]).toContain('DEADLOCK: one -> two -> one');
	await session.screen.press('?');
	expect((await show(session)).join(' ').replaceAll(sgr, '').replaceAll(/\s+/g, ' ')).toContain('deadlock of 2 threads: one waits at A.enter:4 for java.lang.Object held by two');
	await session.screen.press('escape');
	shown = deadlocked(100_000);
	session.store.refresh();
	expect(await session.screen.text()).not.toContain('DEADLOCK');
});

describe('a frame fits its screen', () => {
	const layers = [
		...[['?'], ['f6'], ['/', 'x', '名'], ['c', 'right'], ['x', 'x'], ['S', 'enter', 'n'], ['i', 'tab', 'l']].map(keys => ({view: 'lines', keys})),
		...views.flatMap(({id}) => [[], ['enter']].map(keys => ({view: id, keys}))),
	];
	const cases: ReadonlyArray<readonly [name: string, snapshotOf: () => Snapshot | undefined]> = [['busy', busy], ['hostile', hostileSnapshot], ['empty', () => undefined]];
	const heights = [1, 2, 3, 5, 8, 9, 15, 16, 24, 60];
	const sizes = [1, 2, 3, 10, 20, 35, 38, 49, 50, 64, 79, 80, 119, 120, 150, 200].flatMap(columns => heights.map(rows => [columns, rows] as const));
	test.each(cases)('%s, with every layer, at every size', async (_, snapshotOf) => {
		const snapshot = snapshotOf();
		for (const [turn, {view, keys}] of layers.entries()) {
			for (const theme of [plain, colored]) {
				// Each of the sizes has its turn with two of the layers.
				const inTurn = sizes.filter((_size, index) => index % layers.length === (theme === plain ? turn : (turn + 5) % layers.length));
				const session = screenOf(snapshot, {theme, view: {view}});
				await session.screen.press(...keys);
				for (const [columns, rows] of inTurn) {
					const lines = await show(session, columns, rows);
					expect(lines.length, `${columns} x ${rows}`).toBeLessThanOrEqual(rows);
					for (const line of lines) {
						const text = line.replaceAll(sgr, '');
						expect(cellWidth(text), `${columns} x ${rows} ${view} ${keys.join(' ')}: ${text}`).toBeLessThanOrEqual(Math.max(0, columns - 1));
						expect(text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
					}
				}

				session.screen.close();
			}
		}
	});

	test('without colour there is no escape sequence, with --ascii nothing but ASCII', async () => {
		const session = screenOf(busy());
		for (const rows of [24, 60]) {
			for (const line of await show(session, 200, rows)) {
				expect(line).toMatch(/^[\u0020-\u007E]*$/);
			}
		}

		expect((await show(screenOf(busy(), {theme: colored}))).join('')).toMatch(sgr);
	});
});

describe('the Lines view', () => {
	test('hot lines first, with their states, and what is held up', async () => {
		const lines = await show(screenOf(busy()));
		expect(lines[0]).toMatch(/LIVE \d\d:\d\d$/);
		expect(lines[1]).toMatch(/^CPU \. 104% +heap 954M\/1\.9G +GC 2% +JIT 0%$/);
		expect(lines[2]).toBe('3 threads: 1 running  1 BLOCKED  1 idle');
		expect(lines[3]).toMatch(/^\[Lines] +Threads +Blockers 1! .*since start 1s$/);
		expect(lines[4]).toMatch(/^ +CPU%v +\+\/- +TOTAL STATE +LINE +1-3 of 3$/);
		expect(lines[5]).toMatch(/^> +83\.3 .* R{8} c\.a\.sort\.Bub{2}le\.sort:16/);
		expect(lines[6]).toMatch(/^ +16\.7 .* R{8} c\.a\.db\.Po{2}l\.take:8{2}/);
		expect(lines.find(line => line.includes('Pool.put:95'))).toMatch(/B{8}.*1 blocked/);
	});

	test('a filter that cannot be read says why in its own line, whole at 80 columns, and is not shown as in force', async () => {
		const session = screenOf(busy());
		await show(session);
		const all = (await show(session)).filter(line => line.includes('c.a.')).length;
		await session.screen.press(...'//(', 'enter');
		expect((await show(session)).at(-1)).toMatch(/^filter: \/\(_ {2}the closing \/ is missing +Esc:clear$/);
		expect((await show(session)).filter(line => line.includes('c.a.'))).toHaveLength(all);
		await session.screen.press('ctrl-u', ...'foo>1');
		expect((await show(session)).slice(-2)).toEqual(['filter: foo>1_', 'cannot compare "foo"; use pct, total, cpu, ticks, threads, blocked, stuck']);
		expect((await show(session))[3]).not.toContain('foo>1');
		await session.screen.press('ctrl-u', ...'PCT > 50');
		expect((await show(session)).at(-1)).toMatch(/^filter: PCT > 50_ +Enter:keep +Esc:clear$/);
		expect((await show(session))[4]).toMatch(/1-1 of 1, \d in all$/);
	});

	test('the screen of 200 x 60 has a column for each state, the files and a pane for the selected row', async () => {
		const text = (await show(screenOf(busy()), 200, 60)).join('\n');
		expect(text).toMatch(/CPU ms.*RUN.*BLK.*WAIT.*TIMED.*IDLE.*LAST 60s.*TOP THREADS.*OWN CODE/);
		expect(text).toContain('Bubble.java');
		expect(text).toContain('TOP STACKS');
	});
});

describe('what the session does is said', () => {
	const said = async (status: SourceStatus, snapshot: Snapshot | undefined = busy()) => (await show(screenOf(snapshot, {status}))).join('\n');
	test('the target ended: when, and what can be done', async () => {
		expect(await said({phase: 'ended', stale: false})).toMatch(/ENDED \d\d:\d\d:\d\d\n[^]*target ended \d\d:\d\d:\d\d; s saves, q quits/);
	});

	test('failed, stale, stopped, starting, recorded', async () => {
		expect(await said({phase: 'failed', stale: false, message: 'the socket is gone', hint: 'start again'})).toMatch(/FAILED\n[^]*the socket is gone; start again; s saves, q quits/);
		expect(await said({phase: 'sampling', stale: true})).toMatch(/STALE\n[^]*these numbers are old/);
		expect(await said({phase: 'sampling', stale: false, silentS: 12, note: 'sampling fails: no answer in time'})).toMatch(/NO SAMPLE 12s\n[^]*no sample for 12 s; sampling fails: no answer in time/);
		expect(await said({phase: 'paused', stale: false})).toMatch(/STOPPED\n[^]*o restarts it/);
		expect((await show(screenOf(undefined, {status: {phase: 'starting', stale: false}}))).join('\n')).toMatch(/STARTING\n[^]*waiting for the first sample/);
		expect(await said({phase: 'recording', stale: false})).toMatch(/RECORDED \d{4}-\d\d-\d\d \d\d:\d\d {2}\d+\/s\n/);
	});
});

test('the screen holds still while it is paused, and says how many samples came', async () => {
	let samples = 50;
	const session = screenOf(undefined, {read: () => picture('one\nR\na:1', {samples})});
	await session.screen.press(' ');
	samples = 120;
	session.store.refresh();
	expect(await session.screen.text()).toContain('PAUSED +70 samples');
	expect(await session.screen.text(' ')).toMatch(/LIVE \d\d:\d\d/);
});

describe('how sampling goes', () => {
	type Moment = readonly [s: number, samples: number, cpuS: number];

	/** The screen at the last of these moments of a session: seconds of sampling, samples, our own CPU seconds. */
	function screenOver(moments: readonly Moment[], status = live, more: Partial<SessionStats> = {}): ComponentScreen {
		const snapshots = moments.map(([s, samples, cpuS]) => picture('one\nR\na:1', {
			engine: 'memory', requestedIntervalMs: 20, intervalMs: 20, samples, durationMs: s * 1000, takenAtMs: s * 1000, lastSampleAtMs: s * 1000, selfCpuMs: cpuS * 1000, ...more,
		}));
		let read = 0;
		const {screen, store} = screenOf(undefined, {status, read: () => snapshots[read++], vitals: {heapCapacityBytes: 2 ** 30}});
		while (read < snapshots.length) {
			store.refresh();
		}

		return screen;
	}

	const recorded: SourceStatus = {phase: 'recording', stale: false};
	const slow = {intervalMs: 100, cpuIntervalMs: 100};
	test.each<[string, readonly Moment[], RegExp, SourceStatus?, Partial<SessionStats>?]>([
		['nothing before there is something to say', [[0.2, 8, 1]], / LIVE \d\d:\d\d$/],
		['the rate reached lately, and the one asked for', [[0.2, 8, 1], [10, 400, 1.3], [20, 520, 1.4]], / 12 of 50\/s$/],
		['both where an engine is slow', [[1, 40, 1], [11, 140, 1.5]], / 10 of 50\/s$/, live, slow],
		['one rate where all samples were taken', [[1, 50, 1], [11, 550, 1.5]], / 50\/s$/, live, slow],
		['one rate where the difference is small', [[1, 50, 1], [11, 500, 1.5]], / 45\/s$/, live, {intervalMs: 22, cpuIntervalMs: 22}],
		['no rate while nothing is sampled', [[1, 40, 1], [11, 140, 1.5]], /^(?!.*\/s)/, {phase: 'paused', stale: false}, slow],
		['the rate of all of a recording', [[20, 500, 2]], / 25 of 50\/s$/, recorded],
		['nothing of costs and losses that are small', [[0.2, 8, 1], [5, 200, 1], [20, 900, 1.2]], /^(?!.*!)/],
		['losses, and the cost to the target', [[0.2, 8, 1], [5, 200, 1], [20, 900, 1.2]], /! 10% of samples failed {2}! costs 10% of target/, live, {failed: 100, targetStoppedMs: 2000}],
		['that our own CPU time is high', [[0.2, 8, 1], [5, 200, 1], [20, 900, 6]], /! own CPU 33\.?\d*%/],
		['when the next sample comes while the budget puts it off', [[1, 40, 1], [11, 41, 1]], /THROTTLED next in 42s +\d/, {...live, nextS: 42}],
		['that it is due', [[1, 40, 1], [11, 41, 1]], /THROTTLED next is due +\d/, {...live, nextS: 0}],
	])('the header says %s', async (_, moments, expected, status, more) => {
		expect((await screenOver(moments, status, more).lines())[0]).toMatch(expected);
	});

	test.each<[readonly Moment[], string | undefined, SourceStatus?]>([
		[[[0.2, 8, 1], [10, 400, 1.3], [20, 520, 1.4]], '1'],
		// Ours of the first seconds is that of starting up.
		[[[0.2, 8, 1], [3.1, 150, 3], [8, 400, 3.1]], '2'],
		[[[0.2, 8, 1], [3.1, 150, 3]], undefined],
		[[[20, 500, 2]], '10', recorded],
	])('the help has our own CPU time of the last ten seconds, or of all of a recording: %j', async (moments, percent, status) => {
		const screen = screenOver(moments, status);
		await screen.resize({columns: 120, rows: 150});
		expect(/ own +([\d.]+)%: /.exec(await screen.text('?'))?.[1]).toBe(percent);
	});

	test('why samples are put off is said below; what is not known of the heap is a dash', async () => {
		expect(await screenOver([[1, 40, 1], [11, 41, 1]], {...live, nextS: 42}).text()).toContain('--max-overhead allows; the next sample comes in 42s');
		expect((await screenOver([[1, 40, 1]]).lines())[1]).toContain('heap -/1.0G');
	});
});

describe('what must be known of the figures', () => {
	const times = (mark: string) => Array.from({length: 200}, () => mark).join(' ');
	// Threads that wait are no part of what was refused.
	const refused = () => picture(`one\n${times('R')}\n${times('a:1')}\n\ntwo\n${times('w')}\n${times('b:1')}`, {refusedThreads: 80, otherTicks: 5, samples: 50, late: 1});
	test('is in the header of 80 columns, the most urgent first', async () => {
		expect((await show(screenOf(refused())))[0]).toContain('! 40% of running samples have no stack');
		expect((await show(screenOf(refused()), 200, 60))[0]).toContain('! 40% of running samples have no stack  ! table full: 5 at (other)');
	});

	const sparse = {intervalMs: 3000, requestedIntervalMs: 1000, threadSamples: 100, samples: 2};
	const starved = {intervalMs: 20, requestedIntervalMs: 20, timer: 'perf', samples: 1, late: 1, durationMs: 27_000};
	test.each<[string, string, Partial<SessionStats>, string?]>([
		['unattributed CPU time not before two seconds', 'R900 R100', {durationMs: 1900, sampledMs: 1900}],
		['unattributed CPU time', 'R900 R100', {durationMs: 2000, sampledMs: 2000}, '! 10% unattributed'],
		['not where it is little of all', 'R960 R40', {durationMs: 2000, sampledMs: 2000}],
		['not of next to none', 'R19 R171', {durationMs: 60_000, sampledMs: 60_000}],
		['samples that are seconds apart, and the option that allows more', 'R', sparse, '! one sample every 3 s: --max-overhead'],
		['the other option', 'R', {...sparse, cpuIntervalMs: 3000}, '! one sample every 3 s: --max-cpu'],
		['not where no more are asked for', 'R', {...sparse, requestedIntervalMs: 3000}],
		['not below two seconds', 'R', {...sparse, intervalMs: 1900}],
		['next to no samples, and why', 'R', starved, '! 1 sample in 27 s: tprof-top had no CPU'],
		['who may have had no CPU', 'R', {...starved, timer: ''}, '! 1 sample in 27 s: tprof-top or the target had no CPU'],
		['that the target did not answer', 'R', {...starved, samples: 2, late: 2, failed: 3}, '! 2 samples in 27 s: the target did not answer'],
		['not where the sample came in time', 'R', {...starved, late: 0}],
		['not of a short time', 'R', {...starved, durationMs: 1900}],
		['not where there are enough', 'R', {...starved, samples: 300, late: 300}],
		['not where few were asked for', 'R', {...starved, intervalMs: 9000, requestedIntervalMs: 9000}],
	])('the header says %s: %s %j', async (_, marks, session, said) => {
		const [header] = await show(screenOf(picture(`one\n${marks}\na:1 (unattributed).(unattributed)`, session)));
		expect(header).toMatch(said ? new RegExp(said) : /^(?!.*(?:!.*unattributed|one sample every|had no CPU))/);
	});

	test('what earlier windows lost is not said of a window, and the help says what a sample costs', async () => {
		const build = (samples: number, late: number, durationMs: number) => picture('one\nR\na:1', {...starved, samples, late, failed: 50, durationMs});
		const before = build(100, 100, 10_000);
		expect(starvedText(build(103, 103, 30_000), before)).toBe('3 samples in 20 s: tprof-top had no CPU');
		expect(starvedText(build(103, 100, 30_000), before)).toBe('');
		const {screen} = screenOf(picture('one\nR\na:1', sparse), {rows: 60});
		expect((await screen.text('?')).replaceAll(/\s+/g, ' ')).toContain('A sample of 50 threads costs so much that one is taken every 3 s, not every 1 s: more would stop the target for longer than --max-overhead allows.');
	});

	test('another tracer is named in the header of 80 columns, the help and the detail of the stacks that are not known', async () => {
		const builder = new SnapshotBuilder();
		const thread = builder.addThread({key: 1, name: 'one'});
		builder.count(thread, builder.addStack([builder.addFrame(unknownStack.className, unknownStack.method, '', unknownLine)]), stateCode.RUNNABLE, 200, 1e7);
		const unknown = builder.build({session: {durationMs: 10_000, threadSamples: 200, refusedThreads: 80, samples: 50}});
		const session = screenOf(unknown, {status: {...live, tracer: 'gdb (process 4711)'}});
		expect((await show(session))[0]).toContain('! 40% without stack: gdb 4711');
		expect(await session.screen.text('enter')).toContain('not stopped for reading: gdb (process 4711) is tracing threads of this JVM');
		await session.screen.press('?');
		expect((await show(session, 80, 60)).join('').replaceAll(/\s+/g, ' ')).toContain('80 thread samples have no stack: not sampled while gdb (process 4711) is attached to the threads');
	});

	test('stands whole in the help, with the note of the session, at any width', async () => {
		for (const columns of [200, 80, 38]) {
			const session = screenOf(refused(), {status: {...live, note: `a note of ${'many '.repeat(30)}words`}});
			await show(session, columns, 60);
			await session.screen.press('?');
			const text = (await show(session, columns, 60)).join('').replaceAll(/\s+/g, ' ');
			expect(text).toContain('80 thread samples have no stack: a debugger or another profiler is attached to the threads');
			expect(text).toContain('5 thread samples with new stacks are counted under (other)');
			expect(text).toContain(`a note of ${'many '.repeat(30)}words`);
		}
	});
});

describe('a message is never cut', () => {
	const reason = `${'/srv/a-very-long-folder-name'.repeat(4)}/tprof-4711-20260914T140201Z.pb.gz: no space left on device; free some, or choose another folder`;
	const long = `not saved: ${reason}`;
	async function afterSave(columns: number, rows: number): Promise<Screen> {
		const session = screenOf(busy(), {
			async save() {
				throw new Error(reason);
			}, columns, rows,
		});
		await session.screen.press('s');
		return session;
	}

	const squeezed = (lines: readonly string[]) => lines.join('').replaceAll(/\s/g, '');

	test('at 80 columns it takes lines of the table; the screen stays as high, with its cursor on it', async () => {
		const session = await afterSave(80, 24);
		await session.screen.press('G');
		const lines = await show(session);
		expect(lines).toHaveLength(24);
		expect(squeezed(lines)).toContain(squeezed([long]));
		expect(lines.at(-1)).toMatch(/q:quit/);
		expect(lines.some(line => line.startsWith('>'))).toBe(true);
	});

	test.each([[38, 9], [40, 6], [30, 8]])('at %i x %i all of it can be read in the help', async (columns, rows) => {
		const session = await afterSave(columns, rows);
		await session.screen.press('?');
		const read: string[] = [];
		for (let lines = 0; lines < 40; lines++) {
			read.push((await show(session, columns, rows))[3]);
			await session.screen.press('j');
		}

		expect(squeezed(read)).toContain(squeezed([long]));
	});
});

test('L in Blockers says what a full dump costs before it asks for one', async () => {
	let asked = 0;
	const session = screenOf(busy(), {
		status: {...live, canAskForHolders: true}, askForHolders() {
			asked++;
		}, view: {view: 'blockers'},
	});
	expect(await session.screen.text('L')).toContain('full dump stops the JVM: it walks 954M of heap, up to 279ms (ZGC 838ms)');
	await session.screen.press('escape', 'L');
	expect(asked).toBe(0);
	await session.screen.press('enter');
	expect(asked).toBe(1);
	const other = screenOf(busy(), {view: {view: 'blockers'}});
	expect(await other.screen.text('L')).toContain('only with the attach engine');
});

test('a session that is over and has nothing to show ends the screen, once it was asked for samples', async () => {
	const ended: SourceStatus = {phase: 'ended', stale: false};
	const unread = screenOf(busy(), {status: ended, isRead: false});
	await show(unread);
	expect(unread.quits()).toBe(0);
	unread.store.refresh();
	expect((await show(unread)).join('\n')).toContain('Bubble.sort:16');
	expect(unread.quits()).toBe(0);
	const empty = screenOf(undefined, {status: ended, isRead: false});
	empty.store.refresh();
	await show(empty);
	expect(empty.quits()).toBe(1);
});

describe('what the configuration file says', () => {
	test('chosen columns are shown in their order, at any width that has room for them, and kept when the menu is left', async () => {
		const kept: unknown[] = [];
		const made = screenOf(busy(), {
			view: {columns: {lines: ['file', 'self']}}, async keepColumns(...columns) {
				kept.push(columns);
				return 'columns kept';
			},
		});
		expect((await show(made)).find(line => line.includes('CPU%'))).toMatch(/^ FILE +CPU%. LINE/);
		expect((await show(made, 30, 12)).find(line => line.includes('LINE'))).not.toContain('CPU%');
		await made.screen.press('C', 'down', 'down', 'enter', 'escape');
		expect(kept).toEqual([['lines', ['file', 'self', 'error']]]);
		const lines = await show(made);
		expect(lines.join('\n')).toContain('columns kept');
		expect(lines.find(line => line.includes('CPU%'))).toMatch(/^ FILE +CPU%. +\+\/- LINE/);
	});

	test('help and key line have the changed keys, and the help what is wrong with the file', async () => {
		const made = screenOf(busy(), {view: {keyChanges: new Map([['X', 'q'], ['q', null]]), notes: ['config.json:3: no'], message: {text: 'config.json:3: no', tone: 'error'}}});
		const lines = await show(made);
		expect(lines.at(-1)).toMatch(/^config\.json:3: no +X:quit/);
		await made.screen.press('h');
		const help = (await show(made, 100, 150)).join('\n');
		expect(help).toContain('config.json:3: no');
		expect(help).toMatch(/^ X +close help, detail or menu/m);
	});
});

describe('the keys that help most with the selected row', () => {
	const hints = async (made: Screen, columns = 80, ...keys: readonly string[]) => {
		await made.screen.press(...keys);
		return (await show(made, columns)).at(-1);
	};

	test('stand in the last line behind quitting and help, by view and row', async () => {
		const made = screenOf(busy());
		expect(await hints(made)).toMatch(/^q:quit {2}\?:help {2}Enter:stacks {2}f:focus {2}t:threads {2}\/:filter {2}F6:sort/);
		expect(await hints(made, 120)).toMatch(/^q:quit {2}\?:help {2}Enter: stacks and callers {2}f: where its time goes {2}t: only its thread {2}\/:filter/);
		expect(await hints(made, 80, 'j', 'j')).toMatch(/^q:quit {2}\?:help {2}Enter: who holds the lock {2}t: only its thread {2}\/: filter/);
		expect(await hints(made, 80, 't')).toMatch(/ t: all threads /);
		expect(await hints(made, 120, 't', 'tab')).toMatch(/(?:l: each thread {2})?Enter: /);
	});

	test('are others where no row is left, and those that the user changed', async () => {
		const made = screenOf(busy(), {view: {keyChanges: new Map([['n', 'escape'], ['escape', null]])}});
		await made.screen.type('/nowhere\r');
		expect(await hints(made)).toContain('n: clear the filter  /: another filter  x: other states');
		// Each view has its own.
		const unmarked = screenOf(busy(), {view: {view: 'changes'}});
		expect(await hints(unmarked)).toContain('m: set the baseline  D: back  Tab: next view');
	});

	test('q goes back in Focus where another view led there, and quits where it was the first', async () => {
		const made = screenOf(busy());
		expect(await hints(made, 80, 'f')).toMatch(/^q:back {2}\?:help/);
		expect(await hints(made, 80, 'enter')).toContain('q:back');
		expect(await hints(made, 80, 'escape', 'q')).toMatch(/^q:quit {2}\?:help {2}Enter:stacks/);
		expect(await hints(screenOf(busy(), {view: {view: 'focus'}}))).toMatch(/^q:quit/);
	});
});

test.each([['/', 'Enter:keep'], ['d', 'Enter:set'], ['M', 'Enter:look up']])('on a low screen the line typed after %s says what Enter does', async (key, keys) => {
	const session = screenOf(busy(), {columns: 100, rows: 6});
	await session.screen.press(key);
	expect((await show(session, 100, 6))[0]).toContain(keys);
});

describe('what is said follows what is known', () => {
	/** The same snapshot all the time. */
	function screenWith(snapshot: Snapshot) {
		const known: {status: SourceStatus; vitals: TargetVitals} = {status: live, vitals: {}};
		const store = new SessionStore({source: sourceOf(() => snapshot, {status: () => known.status}), delayMs: 1000, vitals: () => known.vitals});
		store.refresh();
		const screen = openScreen(store, {columns: 120, rows: 40});
		const text = async (change: Partial<typeof known> = {}) => {
			Object.assign(known, change);
			store.refresh();
			return (await screen.lines()).join('\n');
		};

		return {screen, text};
	}

	const heldText = `
		holder
		t
		com.acme.Main.main:1

		waiter <- holder park
		w
		com.acme.Dao.find:88
	`;

	test('without a new sample: the heap, a tracer, how exact lines are', async () => {
		const {screen, text} = screenWith(picture(heldText));
		expect(await text()).not.toContain('heap is full');
		expect(await text({vitals: {heapUsedBytes: 99e6, heapMaxBytes: 100e6}})).toContain('! The heap is full');
		await screen.press('enter');
		expect(await text()).not.toContain('approximate');
		expect(await text({status: {...live, lineNote: 'lines are approximate'}})).toContain('lines are approximate');
	});

	test('in the same window: with Java alone, what is found where Java waits while the JVM works', async () => {
		const drawing = new Picture().draw(heldText);
		const {screen, text} = screenWith(drawing.draw('GC Thread#0 [vm]\nR300\n-').build());
		expect(await text()).not.toContain('1 thread waits for');
		await screen.press('J');
		expect(await text()).toContain('! 1 thread waits for Object: holder has it');
	});
});

describe('the mouse', () => {
	/** Where a text is on the screen, as a terminal reports a click on it. */
	const click = async (made: Screen, text: string, columns = 80, rows = 24) => {
		const lines = await show(made, columns, rows);
		const line = lines.findIndex(candidate => candidate.includes(text));
		await made.screen.type(`\u001B[<0;${lines[line].indexOf(text) + 2};${line + 1}M`);
		return show(made, columns, rows);
	};

	test.each([[80, 24], [200, 60], [50, 16], [80, 8]])('at %d x %d a click selects a row, and sorts by a heading, then the other way', async (columns, rows) => {
		const made = screenOf(busy());
		const lines = await click(made, 'Pool.put:95', columns, rows);
		expect(lines.find(line => line.includes('Pool.put:95'))).toMatch(/^>/);
		const byName = await click(made, 'LINE', columns, rows);
		expect(byName.find(line => line.includes('LINE'))).toContain('LINE^');
		expect((await click(made, 'LINE', columns, rows)).find(line => line.includes('LINE'))).toContain('LINEv');
		expect((await click(made, 'CPU%', columns, rows)).find(line => line.includes('CPU%'))).toContain('CPU%v');
	});

	test('a click on a tab goes to the view, from a row\'s detail too; elsewhere it does nothing', async () => {
		const made = screenOf(busy());
		expect((await click(made, 'Threads'))[3]).toMatch(/\[Threads]/);
		await made.screen.press('enter');
		expect((await click(made, 'Stacks'))[3]).toMatch(/\[Stacks]/);
		expect((await show(made, 120)).join('\n')).toContain('compare fewer frames');
		const before = await show(made);
		for (const spot of ['1;1', '79;4', '40;12', '1;24', '200;100']) {
			await made.screen.type(`\u001B[<0;${spot}M`);
		}

		expect(await show(made)).toEqual(before);
	});

	test('a click selects the row that was drawn there, though a refresh comes before it is dealt with', async () => {
		let shown = picture('one\nR30 R20 R10\na:1 b:2 c:3');
		const made = screenOf(shown, {read: () => shown});
		const lines = await show(made);
		shown = picture('one\nR30 R20 R90\na:1 b:2 c:3');
		made.screen.terminal.emit('mouse', {mouse: 'click', line: lines.findIndex(line => line.includes('A.b:2')), column: 10});
		made.store.refresh();
		expect((await show(made)).find(line => line.startsWith('>'))).toContain('A.b:2');
	});

	test('the wheel scrolls tables, help and menus; letters that are typed are left alone', async () => {
		const made = screenOf(busy());
		const [up, down] = ['\u001B[<64;10;10M', '\u001B[<65;10;10M'];
		await made.screen.type(down);
		expect((await show(made)).findIndex(line => line.startsWith('>'))).toBe(7);
		await made.screen.type(up, 'h');
		const top = (await show(made))[5];
		await made.screen.type(down, down);
		expect((await show(made))[5]).not.toBe(top);
		await made.screen.type(up, up);
		expect((await show(made))[5]).toBe(top);
		await made.screen.type('q', '/x', down, 'y');
		expect(await made.screen.text()).toContain('filter: xy');
	});

	test('a click moves to an item of a menu, another on it chooses it', async () => {
		const made = screenOf(busy());
		await made.screen.press('f6');
		const lines = await click(made, 'ticks (TICKS)');
		expect(lines.find(line => line.includes('(TICKS)'))).toMatch(/^> ticks/);
		expect((await click(made, 'ticks (TICKS)', 120)).join('\n')).toContain('TICKSv');
	});
});
