/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {printable, safe} from '../../source/util/printable.js';
import {cellWidth} from '../../source/util/cell-width.js';
import {pseudoFrame, unknownStack} from '../../source/model/frame.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import type {SourceStatus} from '../../source/model/source.js';
import type {SessionStats, Snapshot, TargetVitals} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {starvedText} from '../../source/query/summary/summary.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {fittingLines} from '../../source/ui/status/finding-lines.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {views} from '../../source/views/view-registry.js';
import {hostileSnapshot} from '../exports/snapshots.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {deadlocked, picture, Picture} from '../helpers/picture.js';
import {report, taskReport} from '../helpers/reports.js';
import {openScreen, screenOf, sourceOf, storeOf} from '../helpers/session-screen.js';

const plain = new Theme({color: false, ascii: true});
const colored = new Theme({color: true, ascii: false});
const sgr = /\u001B\[[\d;]*m/g;
const live: SourceStatus = {phase: 'sampling', stale: false};

/** A text whose lines were broken anywhere between words, in one line. */
const unwrapped = (text: string) => text.replaceAll(sgr, '').replaceAll(/\s+/g, ' ');

const busy = (): Snapshot => picture(`
	worker-1 | R R R R R | com.acme.Main.main:3 | com.acme.sort.Bubble.sort:16
	worker-1 | R         | com.acme.Main.main:3 | com.acme.db.Pool.take:88
	worker-2 <- worker-1@com.acme.db.Pool.take:88 | B B B B B B | com.acme.Main.main:3 | com.acme.db.Pool.put:95
	poller   | . . . . . . | sun.nio.ch.EPoll.wait:native
`);

const alone = picture('worker-1 | R | com.acme.Main.main:3');

test('a deadlock is a red line below the header in every view and size, until it is over', async () => {
	let shown = deadlocked();
	const screen = screenOf(() => shown, {theme: colored});
	for (const {title} of views) {
		const lines = await screen.lines();
		expect(lines.join('\n').replaceAll(sgr, '')).toMatch(new RegExp(`\\[(?:\\d )?${title}(?: 2!)?]`));
		expect(lines.slice(0, 5).join('\n'))
			.toMatch(/\u001B\[(?:1;)?31m(?:\u001B\[1m)?! (?:1\/2 )?DEADLOCK: one -> two -> one/);
		await screen.press('tab');
	}

	expect((await screen.at(60, 10))[0]).toContain('DEADLOCK: one -> two -> one');
	await screen.at(80, 24);
	expect(unwrapped(await screen.text('?')))
		.toContain('deadlock of 2 threads: one waits at A.enter:4 for java.lang.Object held by two');
	shown = deadlocked(100_000);
	screen.store.refresh();
	expect(await screen.text('escape')).not.toContain('DEADLOCK');
});

test('a finding without room for all of it ends with a whole word', async () => {
	const text = safe`one two three four five six seven eight nine ten `.repeat(6);
	const findings = [text, safe`other`].map(each => ({id: 'server', text: each, figures: {}} as const));
	for (let width = 40; width < 100; width++) {
		const [, {text: last}] = fittingLines({finding: 0, isFindingSelected: false}, {findings}, width, 2);
		expect(last).toMatch(/ (?:one|two|three|four|five|six|seven|eight|nine|ten)… \(!:next\)$/);
		expect(cellWidth(last)).toBeLessThanOrEqual(width);
	}
});

test('a line of the program is selected before what the JVM uses itself', async () => {
	const drawing = new Picture().draw('a | R*40 | com.acme.Main.main:3\nC2 CompilerThread0 [compiler] | R0');
	const node = drawing.builder.addStack(new JvmStacks(drawing.builder).ofCompilation('C2', 'com.acme.Main.main'));
	for (let piece = 0; piece < 50; piece++) {
		drawing.builder.count(drawing.thread('C2 CompilerThread0'), node, stateCode.RUNNABLE, 0, 10e6);
	}

	const screen = screenOf(drawing.build({sampledMs: 1000, durationMs: 1000}));
	expect(await screen.text()).toMatch(/^ {2,4}50\.0 .*\[jit].*\n> +40\.0 .*Main\.main:3/m);
	expect(await screen.text('up')).toMatch(/^> +50\.0 .*\[jit]/m);
	const onlyJvm = new Picture().draw('VM Thread [vm] | R*50 | a.A.b:1');
	expect(await screenOf(onlyJvm.build()).text()).toMatch(/^> /m);
});

test('a program that uses about 1 % of a core has one table, of waits once it used less, until it uses 3 %', async () => {
	const using = (cpuMs: number) => new Picture().draw(`
		a | R${cpuMs} | com.acme.Main.main:3
		a | t t t     | com.acme.Main.pause:9 | java.lang.Thread.sleep:native
	`).build({sampledMs: 10_000, durationMs: 10_000});
	let cpuMs = 110;
	const screen = screenOf(() => using(cpuMs));
	const headings: string[] = [];
	for (cpuMs of [110, 101, 99, 110, 250, 299, 301, 150, 101, 99]) {
		screen.store.refresh();
		const text = await screen.text();
		headings.push(/(?:CPU|WAIT)%/.exec(text)?.[0] ?? text);
	}

	expect(headings).toEqual([
		'CPU%', 'CPU%', 'WAIT%', 'WAIT%', 'WAIT%', 'WAIT%', 'CPU%', 'CPU%', 'CPU%', 'WAIT%',
	]);
});

test('! selects a finding, and Enter goes to its row in the view that has one', async () => {
	const screen = screenOf(deadlocked);
	expect(await screen.text()).toMatch(/^! 1\/2 DEADLOCK: one -> two -> one \(!:next\)$/m);
	expect(await screen.text('!')).toMatch(/^! 2\/2 2 threads wait for locks, up to .*\n +\(Enter:go\)$/m);
	expect(await screen.text('!')).toMatch(/^! 1\/2 DEADLOCK: one -> two -> one \(Enter:go\)$/m);
	expect(await screen.text('enter')).toMatch(/\[3 Blockers 2!][^]*^>.* !one/m);
	expect(await screen.text('!', 'j')).toMatch(/^! 2\/2 .*\(!:next\)$/m);
});

describe('a frame fits its screen', () => {
	const layers = [
		...[['?'], ['f6'], ['/', 'x', '名'], ['c', 'right'], ['x', 'x'], ['S', 'enter', 'n'], ['i', 'tab', 'l']].map(keys => ({view: 'lines', keys})),
		...views.flatMap(({id}) => [[], ['enter']].map(keys => ({view: id, keys}))),
	];
	const cases: ReadonlyArray<readonly [name: string, snapshotOf: () => Snapshot | undefined]> = [['busy', busy], [
		'hostile',
		hostileSnapshot,
	], ['empty', () => undefined]];
	const heights = [1, 2, 3, 5, 8, 9, 15, 16, 24, 60];
	const sizes = [1, 2, 3, 10, 20, 35, 38, 49, 50, 64, 79, 80, 119, 120, 150, 200].flatMap(columns =>
		heights.map(rows => [columns, rows] as const));
	test.each(cases)('%s, with every layer, at every size', async (_, snapshotOf) => {
		const snapshot = snapshotOf();
		for (const [turn, {view, keys}] of layers.entries()) {
			for (const theme of [plain, colored]) {
				// Each of the sizes has its turn with two of the layers.
				const inTurn = sizes.filter((_size, index) =>
					index % layers.length === (theme === plain ? turn : (turn + 5) % layers.length));
				const screen = screenOf(snapshot, {theme, view: {view}});
				await screen.press(...keys);
				for (const [columns, rows] of inTurn) {
					const lines = await screen.at(columns, rows);
					expect(lines.length, `${columns} x ${rows}`).toBeLessThanOrEqual(rows);
					for (const line of lines) {
						expect(theme === colored || /^[ -~]*$/.test(line), `--ascii: ${line}`).toBe(true);
						const text = line.replaceAll(sgr, '');
						expect(cellWidth(printable(text)), `${columns} x ${rows} ${view} ${keys.join(' ')}: ${text}`)
							.toBeLessThanOrEqual(Math.max(0, columns - 1));
						expect(text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
					}
				}

				screen.close();
			}
		}
	});

	test('without colour there is no escape sequence, with --ascii nothing but ASCII', async () => {
		for (const rows of [24, 60]) {
			expect(await screenOf(busy(), {columns: 200, rows}).text()).toMatch(/^[\n -~]*$/);
		}

		const tasks = {...taskReport, history: [[1, 0], [2, 0], [4, 0]]};
		const view = {view: 'tasks', query: {...defaultQuery, tasksBy: 'state'}} as const;
		const text = await screenOf({...traced, tasks}, {columns: 100, view, status: recording}).text();
		expect(text).toMatch(/in the queue .*:=#/);
		expect(text).toMatch(/^[\n -~]*$/);
		expect(await screenOf(busy(), {theme: colored}).text()).toMatch(sgr);
	});
});

test('a window that is being resized is repainted once, when it rests; a repaint takes the place of one that waits', async () => {
	const screen = screenOf(alone);
	await screen.lines();
	const before = screen.repaints;
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	onTestFinished(() => {
		vi.useRealTimers();
	});
	const repaintsAfter = async (ms: number, ...events: ReadonlyArray<'resize' | 'repaint'>) => {
		for (const event of events) {
			screen.terminal.emit(event);
		}

		vi.advanceTimersByTime(ms);
		await screen.lines();
		return screen.repaints - before;
	};

	for (let step = 0; step < 5; step++) {
		expect(await repaintsAfter(1, 'resize')).toBe(0);
	}

	expect(await repaintsAfter(60)).toBe(1);
	expect(await repaintsAfter(0, 'resize', 'repaint')).toBe(2);
	expect(await repaintsAfter(60)).toBe(2);
});

test('a figure on sampling that is bad takes the room that what is said of the JVM leaves', async () => {
	const many = picture('worker-1 | R | com.acme.Main.main:3', {samples: 100, incompleteStacks: 144});
	const mainClass = safe`com.acme.orders.service.OrderServiceApplication`;
	const named = {...many, target: {...many.target, mainClass, jvmVersion: safe`17.0.15`}};
	const screen = screenOf(named, {vitals: {uptimeMs: 11_000}});
	expect((await screen.lines())[0]).toMatch(/OrderServiceApplication +JDK 17 +up 11s +LIVE/);
	expect((await screen.at(120, 24))[0]).toMatch(/JDK 17\.0\.15 +up 11s +! 144 truncated stacks +LIVE/);
	// A figure is whole, or it is not shown.
	for (let columns = 80; columns <= 120; columns++) {
		const [line] = await screen.at(columns, 24);
		expect(line).toMatch(/^[^!]*$|! 144 truncated stacks/);
	}
});

test('a thread, class or method named 0 is shown; a figure that is 0 is blank', async () => {
	const named = picture('0 | R R | 0.0:1');
	expect(await screenOf(named, {view: {view: 'threads'}}).text()).toMatch(/^>.* 0 +0\.0:1$/m);
	expect(await screenOf(named, {columns: 200}).text()).toMatch(/^> +2\.0 .* 20\.0 +2 +2 +# 0\.0:1 .* 0 *$/m);
});

describe('the Lines view', () => {
	test('hot lines first, with their states, and what is held up; above them what the program uses', async () => {
		const vitals = {
			cpuPercent: 122,
			hostCpus: 2,
			heapUsedBytes: 11 * (2 ** 20),
			heapCapacityBytes: 128 * (2 ** 20),
			gcPercent: 1.5,
			allocBytesPerS: 310 * (2 ** 20),
			uptimeMs: 31_000,
		};
		const lines = await screenOf(busy(), {vitals}).lines();
		expect(lines[0]).toMatch(/LIVE \d\d:\d\d$/);
		expect(lines[1]).toMatch(/^CPU \S* ?122% of 200% +GC \. 2% +heap 11M in use +alloc 310M\/s$/);
		expect(lines[2]).toBe('3 threads: 1 running  1 BLOCKED  1 idle');
		expect(lines[3]).toMatch(/^\[1 Lines] +2 Threads +3 Blockers 1! .*since start 1s$/);
		expect(lines[4]).toMatch(/^ +CPU%v {10}STATE {4}LINE {21}YOUR CODE +1-3 of 3$/);
		expect(lines[5]).toMatch(/^> +5\.0 \| {8}R{8} c\.a\.sort\.Bub{2}le\.sort:16/);
		expect(lines[6]).toMatch(/^ +~1\.0 .* R{8} c\.a\.db\.Po{2}l\.take:8{2}/);
		expect(lines.find(line => line.includes('Pool.put:95'))).toMatch(/B{8}.*1 blocked/);
	});

	test('each row has a bar, and a line of a library the program\'s own, also in 80 columns and in ASCII', async () => {
		const hot = picture(`
			a | R*64 | com.acme.Main.main:3 | java.util.HashMap.get:557
			b | R*32 | com.acme.Main.main:4
			c | R*9  | java.util.concurrent.ThreadPoolExecutor$Worker.runWorkerLoop:1144
			d | B    | com.acme.Main.main:5 | com.acme.Lock.take:7
		`);
		const screen = screenOf(hot, {theme: new Theme({color: false, ascii: false})});
		const lines = await screen.lines();
		const heading = lines.findIndex(line => line.includes('CPU%'));
		expect(lines.slice(heading, heading + 4)).toEqual([
			'  CPU%▼          STATE    LINE                     YOUR CODE           1-4 of 4',
			'>  64.0 █████▏   RRRRRRRR j.util.HashMap.get:557   c.acme.Main.main:3',
			'   32.0 ██▌      RRRRRRRR c.acme.Main.main:4',
			'    9.0 ▊        RRRRRRRR j.u.c.ThreadPoolExecutor$Worker.runWorkerLoop:1144',
		]);
		expect(await screenOf(hot).text()).toMatch(/^> +64\.0 #{5}\| {3}R[^]*^ +32\.0 ##\| [^]*^ +9\.0 # {8}R/m);
		// With more than a core in a line, that line has the full bar.
		const busier = picture('a b | R*80 R*80 | x.A.a:1\na | R*40 | x.A.b:2');
		expect(await screenOf(busier).text()).toMatch(/^> +160 #{8} R[^]*^ +40\.0 ## {7}R/m);
	});

	test('a figure within its error is dim, or marked where there are no colours', async () => {
		const few = picture('a | R*30 | x.A.a:1\na | R | x.A.b:2');
		expect(await screenOf(few).text()).toMatch(/^ +~1\.0 \| +R{8} x\.A\.b:2$/m);
		const colored = screenOf(few, {theme: new Theme({color: true, ascii: true})});
		expect(await colored.text()).toMatch(/\[2m {4}1\.0 .* x\.A\.b:2/);
	});

	test('% goes on to bytes and exceptions where these were recorded, in all that counts by stack', async () => {
		const builder = new SnapshotBuilder();
		const thread = builder.addThread({key: 1, name: safe`main`});
		const [run, copy] = ['run', 'copy'].map((name, at) => builder.addFrame('a.Main', name, 'Main.java', 1 + (4 * at)));
		const [atRun, atCopy] = [builder.addStack([run]), builder.addStack([copy, run])];
		builder.count(thread, atRun, stateCode.RUNNABLE, 50, 1e9);
		for (let event = 0; event < 100; event++) {
			builder.countEvent(thread, event < 25 ? atRun : atCopy, 'alloc', 2 ** 20);
		}

		const snapshot = builder.build({session: {durationMs: 1000, eventsMs: 1000, samples: 50}});
		const screen = screenOf(snapshot, {rows: 38});
		expect(await screen.text()).toMatch(/^> +100 .* a\.Main\.run:1/m);
		expect(await screen.text('enter')).toMatch(/25\.0% of the bytes allocated \+\/- 8\.4, 25\.0M allocated/);
		await screen.press('escape');
		expect(await screen.text('%', '%', '%', '%')).toMatch(/unit: share of the bytes allocated/);
		expect(await screen.text()).toMatch(/BYTE%v[^]*^> *75\.0 .* a\.Main\.copy:5.*\n +25\.0 .*a\.Main\.run:1/m);
		const detail = await screen.text('enter');
		expect(detail).toMatch(/75\.0% of the bytes allocated \+\/- 8\.4, 75\.0M allocated; with what it\s+called 75\.0M allocated/);
		expect(detail).toMatch(/THREADS \(BYTES\)\n +75\.0M +main[^]*TOP STACKS\n +75\.0M allocated, 1 thread/);
		expect(await screen.text('escape', '6')).toMatch(/BYTE%[^]*^.*100 +25\.0 .*a\.Main\.run:1/m);
		expect(await screen.text('7')).toMatch(/a\.Main\.run:1 .* 100% +100M allocated +self 25\.0%/);
		expect(await screen.text('%', '%')).toMatch(/unit: share of CPU time/);
		expect(await screenOf(busy()).text('%', '%', '%', '%')).toMatch(/unit: percent of a core/);
	});

	test('the column by which rows are sorted is on every screen', async () => {
		const screen = screenOf(busy());
		expect(await screen.text('T')).toMatch(/^ +CPU% {10}TOTALv STATE/m);
		expect(await screen.text('P')).toMatch(/^ +CPU%v {10}STATE/m);
	});

	test('a filter that cannot be read says why in its own line, whole at 80 columns, and is not shown as in force', async () => {
		const screen = screenOf(busy());
		const rowsOf = (lines: readonly string[]) => lines.filter(line => line.includes('c.a.')).length;
		const all = rowsOf(await screen.lines());
		const unclosed = await screen.lines(...'//(', 'enter');
		expect(unclosed.at(-1)).toMatch(/^filter: \/\(_ {2}the closing \/ is missing +Esc:clear$/);
		expect(rowsOf(unclosed)).toBe(all);
		const unknown = await screen.lines('ctrl-u', ...'foo>1');
		expect(unknown.slice(-2)).toEqual([
			'filter: foo>1_',
			'cannot compare "foo"; use pct, total, cpu, ticks, threads, blocked, stuck',
		]);
		expect(unknown[3]).not.toContain('foo>1');
		const right = await screen.lines('ctrl-u', ...'PCT > 2');
		expect(right.at(-1)).toMatch(/^filter: PCT > 2_ +Enter:keep +Esc:clear$/);
		expect(right[4]).toMatch(/1-1 of 1, \d in all$/);
	});

	test('the screen of 200 x 60 has a column for each state of its rows, and a pane for the selected row', async () => {
		const text = await screenOf(busy(), {columns: 200, rows: 60}).text();
		expect(text).toMatch(/CPU ms.*RUN +BLK +LAST 60s.*YOUR CODE.*TOP THREADS/);
		expect(text).toContain('Bubble.java');
		expect(text).toContain('TOP STACKS');
	});
});

describe('what the program nears', () => {
	const mb = 2 ** 20;
	const header = async (vitals: TargetVitals, columns = 80, theme = plain) =>
		(await screenOf(alone, {vitals, columns, theme}).lines())[1];
	const fine: TargetVitals = {
		heapAfterGcBytes: 60 * mb,
		heapMaxBytes: 100 * mb,
		openFiles: 700,
		openFilesMax: 1024,
		hostCpus: 2,
		cpuPercent: 30,
	};

	test.each<[string, TargetVitals, RegExp]>([
		['nothing where no limit is known', {cpuPercent: 12, heapAfterGcBytes: mb}, /^(?!.*limits)/],
		['no compilations where the JIT is not shown', {...fine, compilationsPerS: 5}, /limits ok(?!.*compiled)/],
		['ok below 70 %', fine, / heap \+ 60% of 100M {3}limits ok/],
		['open files', {...fine, openFiles: 717}, / open files 70% of 1024/],
		[
			'the nearest',
			{...fine, openFiles: 1000, metaspaceCommittedBytes: 79 * mb, metaspaceMaxBytes: 80 * mb},
			/ metaspace 99% of 80M/,
		],
		[
			'class space',
			{...fine, classSpaceCommittedBytes: 900 * mb, classSpaceMaxBytes: 1024 * mb},
			/ class space 88% of 1G/,
		],
		['direct memory', {...fine, directBytes: 44 * mb, directMaxBytes: 50 * mb}, / direct memory 88% of 50M/],
		['threads', {...fine, tasks: 95, tasksMax: 100}, / threads 95% of 100/],
		['memory', {...fine, memoryBytes: 1.4 * 1024 * mb, memoryMaxBytes: 1.5 * 1024 * mb}, / memory 93% of 1\.5G/],
		// Heap and CPU have their own figures.
		['a heap', {...fine, heapAfterGcBytes: 91 * mb}, / heap # 91% of 100M(?!.*limits)/],
		['CPU', {...fine, cpuPercent: 140, cpuLimitPercent: 150}, /CPU (?:\S+ )?140% of 150%(?!.*limits)/],
	])('is told: %s', async (_, vitals, expected) => {
		expect(await header(vitals)).toMatch(expected);
	});

	test('is yellow from 70 % on, and red from 85 %', async () => {
		const colors = async (openFiles: number) =>
			/(?:\u001B\[\d+m)+(?=open files)/.exec(await header({...fine, openFiles}, 80, colored))?.[0];
		expect(await colors(0.84 * 1024)).toBe('\u001B[33m');
		expect(await colors(0.86 * 1024)).toMatch(/\u001B\[31m/);
		const heap = await header({...fine, heapAfterGcBytes: 86 * mb}, 80, colored);
		expect(heap).toMatch(/\u001B\[31m(?:\u001B\[\d+m)*86%/);
	});

	test('has what is reached within ten minutes at this pace, long before it is near', async () => {
		const grows = async (directGrowthBytesPerMin: number, directBytes = 20 * mb) =>
			header({...fine, directBytes, directMaxBytes: 100 * mb, directGrowthBytesPerMin}, 120);
		expect(await grows(8 * mb)).toMatch(/ direct memory 20% of 100M \^ 8M\/min/);
		expect(await grows(7.9 * mb)).toMatch(/limits ok/);
		expect(await grows(0)).toMatch(/limits ok/);
		expect(await grows(8 * mb, 75 * mb)).toMatch(/ direct memory 75% of 100M \^ 8M\/min/);
		expect(await grows(-30 * mb, 75 * mb)).toMatch(/ direct memory 75% of 100M v/);
	});

	test('has arrows of growth, which a heap that is nearly empty has not', async () => {
		const grows = async (heapAfterGcBytes: number, heapGrowthBytesPerMin: number) =>
			header({...fine, heapAfterGcBytes, heapGrowthBytesPerMin}, 120);
		expect(await grows(60 * mb, 8 * mb)).toMatch(/60% of 100M \^ 8M\/min /);
		expect(await grows(60 * mb, -8 * mb)).toMatch(/60% of 100M v 8M\/min /);
		expect(await grows(60 * mb, 3.9 * mb)).toMatch(/60% of 100M {3}limits/);
		expect(await grows(mb, 0.9 * mb)).toMatch(/1% of 100M {3}limits/);
	});
});

test.each([['1.8.0_504', 'JDK 8'], ['17.0.15', 'JDK 17'], ['27-ea', 'JDK 27']])(
	'the release of a JVM of version %s is %s',
	async (jvmVersion, release) => {
		const [program] = await screenOf({...alone, target: {...alone.target, jvmVersion: printable(jvmVersion)}}, {
			vitals: {uptimeMs: 31_000},
		}).lines();
		expect(program).toMatch(new RegExp(`^${release}  up 31s `));
	},
);

test('a view without rows says what fills it', async () => {
	const screen = screenOf(alone);
	const hints = [];
	for (let view = 1; view < views.length; view++) {
		const lines = await screen.lines('tab');
		hints.push(lines.slice(5, 7).join(' ').trim());
	}

	expect(hints.filter(hint => !hint.startsWith('>'))).toEqual([
		expect.stringMatching(/^no thread waited in this window for a lock/),
		'no thread waits now',
		expect.stringMatching(/^memory and limits are not known here: live sessions/),
		expect.stringMatching(/^pools are not known here/),
		expect.stringMatching(/^nothing to compare with: m makes/),
		expect.stringMatching(/^no method is traced; M on a row/),
		expect.stringMatching(/^no tasks are followed.*tprof-top tasks PID/),
		expect.stringMatching(/^no method is chosen: press f on a row/),
	]);
});

test.each([[80, 24], [80, 15], [80, 6], [60, 16]])(
	'at %i x %i tabs without room stand behind …, at 160 x 24 there is room for all',
	async (columns, rows) => {
		const screen = screenOf(alone, {columns, rows});
		expect(await screen.text()).toMatch(/^\[1 Lines] {1,2}2 Threads {1,2}3 Blockers .* ~/m);
		expect((await screen.at(160, 24)).join('\n')).toMatch(/^\[1 Lines] {2}2 Threads .* {2}Focus(?!.*~)/m);
	},
);

test('that lines are approximate is said in the detail and the help, not above the table', async () => {
	for (const key of ['enter', '?']) {
		const screen = screenOf(alone, {status: {...live, lineNote: safe`lines are approximate`}});
		expect(await screen.text()).not.toContain('approximate');
		expect(await screen.text(key)).toContain('lines are approximate');
	}
});

test.each<[RegExp, SourceStatus, Snapshot?]>([
	[/ENDED \d\d:\d\d:\d\d\n[^]*target ended \d\d:\d\d:\d\d; s saves, q quits/, {phase: 'ended', stale: false}, alone],
	[/FAILED\n[^]*the socket is gone; start again; s saves, q quits/, {
		phase: 'failed',
		stale: false,
		message: safe`the socket is gone`,
		hint: safe`start again`,
	}, alone],
	[/STALE\n[^]*these numbers are old/, {phase: 'sampling', stale: true}, alone],
	[/NO SAMPLE 12s\n[^]*no sample for 12 s; sampling fails: no answer in time/, {
		...live,
		silentS: 12,
		note: safe`sampling fails: no answer in time`,
	}, alone],
	[/STOPPED\n[^]*o restarts it/, {phase: 'paused', stale: false}, alone],
	[/STARTING\n[^]*waiting for the first sample/, {phase: 'starting', stale: false}],
	[/RECORDED \d{4}-\d\d-\d\d \d\d:\d\d {2}\d+\/s\n/, {phase: 'recording', stale: false}, alone],
])('what the session does is said: %s', async (said, status, snapshot) => {
	expect(await screenOf(snapshot, {status}).text()).toMatch(said);
});

test('the screen holds still while it is paused, and says how many samples came', async () => {
	let samples = 50;
	const screen = screenOf(() => picture('one | R | a:1', {samples}));
	await screen.press(' ');
	samples = 120;
	screen.store.refresh();
	expect(await screen.text()).toContain('PAUSED +70 samples');
	expect(await screen.text(' ')).toMatch(/LIVE \d\d:\d\d/);
});

describe('how sampling goes', () => {
	type Moment = readonly [s: number, samples: number, cpuS: number];

	/** The screen at the last of these moments of a session: seconds of sampling, samples, our own CPU seconds. */
	function screenOver(moments: readonly Moment[], status = live, more: Partial<SessionStats> = {}): ComponentScreen {
		const snapshots = moments.map(([s, samples, cpuS]) =>
			picture('one | R | a:1', {
				engine: safe`memory`,
				requestedIntervalMs: 20,
				intervalMs: 20,
				samples,
				durationMs: s * 1000,
				takenAtMs: s * 1000,
				lastSampleAtMs: s * 1000,
				selfCpuMs: cpuS * 1000,
				...more,
			}));
		let read = 0;
		const screen = screenOf(() => snapshots[read++], {status, vitals: {heapCapacityBytes: 2 ** 30}});
		while (read < snapshots.length) {
			screen.store.refresh();
		}

		return screen;
	}

	const recorded: SourceStatus = {phase: 'recording', stale: false};
	const slow = {intervalMs: 100, cpuIntervalMs: 100};
	test.each<[string, readonly Moment[], RegExp, SourceStatus?, Partial<SessionStats>?]>([
		['nothing before there is something to say', [[0.2, 8, 1]], / LIVE \d\d:\d\d$/],
		[
			'the rate reached lately, and the one asked for',
			[[0.2, 8, 1], [10, 400, 1.3], [20, 520, 1.4]],
			/ 12 of 50\/s$/,
		],
		['both where an engine is slow', [[1, 40, 1], [11, 140, 1.5]], / 10 of 50\/s$/, live, slow],
		['no rate where half of the samples were taken', [[1, 50, 1], [11, 300, 1.5]], /LIVE \d\d:\d\d$/, live, slow],
		['a rate that is low, as requested', [[1, 4, 1], [11, 44, 1.5]], / 4\/s$/, live, {requestedIntervalMs: 250}],
		['no rate while nothing is sampled', [[1, 40, 1], [11, 140, 1.5]], /^(?!.*\/s)/, {
			phase: 'paused',
			stale: false,
		}, slow],
		['the rate of all of a recording', [[20, 400, 2]], / 20 of 50\/s$/, recorded],
		['nothing of costs and losses that are small', [[0.2, 8, 1], [5, 200, 1], [20, 900, 1.2]], /^(?!.*!)/],
		[
			'losses, and the cost to the target',
			[[0.2, 8, 1], [5, 200, 1], [20, 900, 1.2]],
			/! 10% of samples failed {2}! costs 10% of target/,
			live,
			{failed: 100, targetStoppedMs: 2000},
		],
		['that our own CPU time is high', [[0.2, 8, 1], [5, 200, 1], [20, 900, 6]], /! own CPU 33\.?\d*%/],
		[
			'when the next sample comes while the budget puts it off',
			[[1, 40, 1], [11, 41, 1]],
			/NEXT SAMPLE in 42s +\d/,
			{...live, nextS: 42},
		],
		['that it is due', [[1, 40, 1], [11, 41, 1]], /NEXT SAMPLE is due +\d/, {...live, nextS: 0}],
	])('the header says %s', async (_, moments, expected, status, more) => {
		expect((await screenOver(moments, status, more).lines())[0]).toMatch(expected);
	});

	test.each<[readonly Moment[], string | undefined, SourceStatus?]>([
		[[[0.2, 8, 1], [10, 400, 1.3], [20, 520, 1.4]], '1'],
		// Ours of the first seconds is that of starting up.
		[[[0.2, 8, 1], [3.1, 150, 3], [8, 400, 3.1]], '2'],
		[[[0.2, 8, 1], [3.1, 150, 3]], undefined],
		[[[20, 500, 2]], '10', recorded],
	])(
		'the help has our own CPU time of the last ten seconds, or of all of a recording: %j',
		async (moments, percent, status) => {
			const screen = screenOver(moments, status);
			await screen.at(120, 150);
			expect(/ own +\| ([\d.]+)%: /.exec(await screen.text('?'))?.[1]).toBe(percent);
		},
	);

	test('why samples are put off is said below', async () => {
		const screen = async (more: Partial<SessionStats>) =>
			screenOver([[1, 40, 1], [11, 41, 1]], {...live, nextS: 42}, {intervalMs: 4000, ...more}).text();
		expect(await screen({cpuIntervalMs: 20}))
			.toContain('sampling costs more than --max-overhead allows; the next sample comes in 42s');
		expect(await screen({cpuIntervalMs: 4000}))
			.toContain('sampling costs more than --max-cpu allows; the next sample comes in 42s');
	});
});

describe('what must be known of the figures', () => {
	// Threads that wait are no part of what was refused.
	const refused = () =>
		picture('one | R*200 | a:1\ntwo | w*200 | b:1', {refusedThreads: 80, otherTicks: 5, samples: 50, late: 1});
	test('is in the header of 80 columns, the most urgent first', async () => {
		const screen = screenOf(refused());
		expect((await screen.lines())[0]).toContain('! 40% of running samples have no stack');
		expect((await screen.at(200, 60))[0])
			.toContain('! 40% of running samples have no stack  ! table full: 5 at (other)');
	});

	const sparse = {intervalMs: 3000, requestedIntervalMs: 1000, threadSamples: 300, sampleTicks: 6, samples: 2};
	const starved = {intervalMs: 20, requestedIntervalMs: 20, timer: safe`perf`, samples: 1, late: 1, durationMs: 27_000};
	test.each<[string, string, Partial<SessionStats>, string?]>([
		['unattributed CPU time not before two seconds', 'R900 R100', {durationMs: 1900, sampledMs: 1900}],
		['unattributed CPU time', 'R900 R100', {durationMs: 2000, sampledMs: 2000}, '! 10% unattributed'],
		['not where it is little of all', 'R960 R40', {durationMs: 2000, sampledMs: 2000}],
		['not of next to none', 'R19 R171', {durationMs: 60_000, sampledMs: 60_000}],
		[
			'samples that are seconds apart, and the option that allows more',
			'R',
			sparse,
			'! one sample every 3 s: --max-overhead',
		],
		['the other option', 'R', {...sparse, cpuIntervalMs: 3000}, '! one sample every 3 s: --max-cpu'],
		['not where no more are asked for', 'R', {...sparse, requestedIntervalMs: 3000}],
		['not below two seconds', 'R', {...sparse, intervalMs: 1900}],
		['next to no samples, and why', 'R', starved, '! 1 sample in 27 s: tprof-top had no CPU'],
		[
			'who may have had no CPU',
			'R',
			{...starved, timer: safe``},
			'! 1 sample in 27 s: tprof-top or the target had no CPU',
		],
		[
			'that the target did not answer',
			'R',
			{...starved, samples: 2, late: 2, failed: 3},
			'! 2 samples in 27 s: the target did not answer',
		],
		['not where the sample came in time', 'R', {...starved, late: 0}],
		['not of a short time', 'R', {...starved, durationMs: 1900}],
		['not where there are enough', 'R', {...starved, samples: 300, late: 300}],
		['not where few were asked for', 'R', {...starved, intervalMs: 9000, requestedIntervalMs: 9000}],
	])('the header says %s: %s %j', async (_, marks, session, said) => {
		const [header] = await screenOf(picture(`one | ${marks} | a:1 (unattributed).(unattributed)`, session)).lines();
		expect(header).toMatch(said ? new RegExp(said) : /^(?!.*(?:!.*unattributed|one sample every|had no CPU))/);
	});

	test('what earlier windows lost is not said of a window, and the help says what a sample costs', async () => {
		const build = (samples: number, late: number, durationMs: number) =>
			picture('one | R | a:1', {...starved, samples, late, failed: 50, durationMs});
		const before = build(100, 100, 10_000);
		expect(starvedText(build(103, 103, 30_000), before)).toBe('3 samples in 20 s: tprof-top had no CPU');
		expect(starvedText(build(103, 100, 30_000), before)).toBe('');
		const screen = screenOf(picture('one | R | a:1', sparse), {rows: 60});
		expect(unwrapped(await screen.text('?')))
			.toContain('A sample of 50 threads costs so much that one is taken every 3 s, not every 1 s: more would stop the target for longer than --max-overhead allows.');
	});

	test('another tracer is named in the header of 80 columns, the help and the detail of the stacks that are not known', async () => {
		const drawing = new Picture();
		drawing.builder.count(
			drawing.thread('one'),
			drawing.builder.addStack([pseudoFrame(drawing.builder, unknownStack)]),
			stateCode.RUNNABLE,
			200,
			1e7,
		);
		const unknown = drawing.build({durationMs: 10_000, threadSamples: 200, refusedThreads: 80, samples: 50});
		const idle = drawing.build({durationMs: 10_000, threadSamples: 200, samples: 50});
		expect(await screenOf(idle).text()).toMatch(/all its threads wait for work(?![^]*stack unknown)/);
		const screen = screenOf(unknown, {status: {...live, tracer: safe`gdb (process 4711)`}, rows: 60});
		expect((await screen.lines())[0]).toContain('! 40% without stack: gdb 4711');
		expect(await screen.text('enter'))
			.toContain('not stopped for reading: gdb (process 4711) is tracing threads of this JVM');
		expect(unwrapped(await screen.text('?')))
			.toContain('80 thread samples have no stack: not sampled while gdb (process 4711) is attached to the threads');
	});

	test('stands whole in the help, with the note of the session, at any width', async () => {
		const note = safe`a note of ${safe`many `.repeat(30)}words`;
		for (const columns of [200, 80, 38]) {
			const text = unwrapped(await screenOf(refused(), {status: {...live, note}, columns, rows: 60}).text('?'));
			expect(text)
				.toContain('80 thread samples have no stack: a debugger or another profiler is attached to the threads');
			expect(text).toContain('5 thread samples with new stacks are counted under (other)');
			expect(text).toContain(note);
		}
	});
});

describe('a message is never cut', () => {
	const reason = `${'/srv/a-very-long-folder-name'.repeat(4)}/tprof-4711-20260914T140201Z.pb.gz: no space left on device; free some, or choose another folder`;
	const afterSave = (columns: number, rows: number) => screenOf(busy(), {
		async save() {
			throw new Error(reason);
		}, columns, rows,
	});
	const squeezed = (lines: readonly string[]) => lines.join('').replaceAll(/\s/g, '');

	test('at 80 columns it takes lines of the table; the screen stays as high, with its cursor on it', async () => {
		const lines = await afterSave(80, 24).lines('s', 'G');
		expect(lines).toHaveLength(24);
		expect(squeezed(lines)).toContain(squeezed([`not saved: ${reason}`]));
		expect(lines.at(-1)).toMatch(/q:quit/);
		expect(lines.some(line => line.startsWith('>'))).toBe(true);
	});

	test.each([[38, 9], [40, 6], [30, 8]])('at %i x %i all of it can be read in the help', async (columns, rows) => {
		const screen = afterSave(columns, rows);
		await screen.press('s', '?');
		const read: string[] = [];
		for (let lines = 0; lines < 40; lines++) {
			read.push((await screen.lines())[3]);
			await screen.press('j');
		}

		expect(squeezed(read)).toContain(squeezed([`not saved: ${reason}`]));
	});
});

test('a table of the help keeps its heading while it is scrolled, and no line is passed over by pages', async () => {
	const seenBy = async (key: string) => {
		const screen = screenOf(busy());
		const [seen, firsts] = [new Set<string>(), new Set<string>()];
		for (let lines = await screen.lines('?'), before = ''; lines.join('\n') !== before; lines = await screen.lines(key)) {
			const top = lines.findIndex(line => line.startsWith('-- Help'));
			const body = lines.slice(top + 1, lines.findLastIndex(line => line.startsWith('-- ')));
			before = lines.join('\n');
			firsts.add(body[0]);
			for (const line of body) {
				seen.add(line);
			}
		}

		return {seen, firsts: [...firsts]};
	};

	const [byLine, byPage] = [await seenBy('j'), await seenBy('pagedown')];
	expect([...byPage.seen].sort()).toEqual([...byLine.seen].sort());
	expect(byLine.firsts.filter(line => line.startsWith('|')).map(line => line.split('|')[1].trim()))
		.toEqual(['Columns', 'Keys']);
});

test('L in Blockers says what a full dump costs before it asks for one', async () => {
	let asked = 0;
	const screen = screenOf(busy(), {
		status: {...live, canAskForHolders: true}, vitals: {heapUsedBytes: 1e9}, askForHolders() {
			asked++;
		}, view: {view: 'blockers'},
	});
	expect(await screen.text('L')).toContain('full dump stops the JVM: it walks 954M of heap, up to 279ms (ZGC 838ms)');
	await screen.press('escape', 'L');
	expect(asked).toBe(0);
	await screen.press('enter');
	expect(asked).toBe(1);
	expect(await screenOf(busy(), {view: {view: 'blockers'}}).text('L')).toContain('only with the attach engine');
});

test('a session that is over and has nothing to show ends the screen, once it was asked for samples', async () => {
	for (const [snapshot, quitsAfterAsking] of [[busy(), 0], [undefined, 1]] as const) {
		let quits = 0;
		const store = storeOf(() => snapshot, {status: () => ({phase: 'ended', stale: false})});
		const screen = openScreen(store, {
			onLeave() {
				quits++;
			},
		});
		await screen.lines();
		expect(quits).toBe(0);
		store.refresh();
		await screen.lines();
		expect(quits).toBe(quitsAfterAsking);
	}
});

describe('what the configuration file says', () => {
	test('chosen columns are shown in their order, at any width that has room for them, and kept when the menu is left', async () => {
		const kept: unknown[] = [];
		const screen = screenOf(busy(), {
			view: {columns: {lines: ['file', 'self']}}, async keepColumns(...columns) {
				kept.push(columns);
				return safe`columns kept`;
			},
		});
		expect(await screen.text()).toMatch(/^ FILE +CPU%. LINE/m);
		expect((await screen.at(30, 12)).find(line => line.includes('LINE'))).not.toContain('CPU%');
		await screen.press('C', 'down', 'down', 'enter', 'escape');
		expect(kept).toEqual([['lines', ['file', 'self', 'bar']]]);
		const text = (await screen.at(80, 24)).join('\n');
		expect(text).toContain('columns kept');
		expect(text).toMatch(/^ FILE +CPU%. {10}LINE/m);
	});

	test('help and key line have the changed keys, and the help what is wrong with the file', async () => {
		const screen = screenOf(busy(), {
			rows: 300,
			view: {
				keyChanges: new Map([['X', 'q'], ['q', null]]),
				notes: [safe`config.json:3: no`],
				message: {text: safe`config.json:3: no`, tone: 'error'},
			},
		});
		expect((await screen.lines()).at(-1)).toMatch(/^config\.json:3: no +X:quit/);
		const help = await screen.text('h');
		expect(help).toContain('config.json:3: no');
		expect(help).toMatch(/^\| X +\| close help, detail or menu/m);
	});
});

describe('the keys that help most with the selected row', () => {
	const hints = async (screen: ComponentScreen, ...keys: readonly string[]) => (await screen.lines(...keys)).at(-1);

	test('stand in the last line behind quitting and help, by view and row', async () => {
		const screen = screenOf(busy());
		expect(await hints(screen))
			.toMatch(/^q:quit {2}\?:help {2}Enter:stacks {2}f:focus {2}t:threads {2}\/:filter {2}F6:sort/);
		expect(await hints(screenOf(busy(), {columns: 120})))
			.toMatch(/^q:quit {2}\?:help {2}Enter: stacks and callers {2}f: where its time goes {2}t: only its thread {2}\/:filter/);
		expect(await hints(screen, 'j', 'j'))
			.toMatch(/^q:quit {2}\?:help {2}Enter: who holds the lock {2}t: only its thread {2}\/: filter/);
		expect(await hints(screen, 't')).toMatch(/ t: all threads /);
	});

	test('are others where no row is left, and those that the user changed', async () => {
		const screen = screenOf(busy(), {view: {keyChanges: new Map([['n', 'escape'], ['escape', null]])}});
		expect(await hints(screen, '/', ...'nowhere', 'enter'))
			.toContain('n: clear the filter  /: another filter  x: other states');
		// Each view has its own.
		expect(await hints(screenOf(busy(), {view: {view: 'changes'}})))
			.toContain('m: set the baseline  D: back  Tab: next view');
	});

	test('q goes back in Focus where another view led there, and quits where it was the first', async () => {
		const screen = screenOf(busy());
		expect(await hints(screen, 'f')).toMatch(/^q:back {2}\?:help/);
		expect(await hints(screen, 'enter')).toContain('q:back');
		expect(await hints(screen, 'escape', 'q')).toMatch(/^q:quit {2}\?:help {2}Enter:stacks/);
		expect(await hints(screenOf(busy(), {view: {view: 'focus'}}))).toMatch(/^q:quit/);
	});
});

test.each([['/', 'Enter:keep'], ['d', 'Enter:set'], ['M', 'Enter:look up']])(
	'on a low screen the line typed after %s says what Enter does',
	async (key, keys) => {
		expect((await screenOf(busy(), {columns: 100, rows: 6}).lines(key))[0]).toContain(keys);
	},
);

describe('what is said follows what is known', () => {
	/** The same snapshot all the time. */
	function screenWith(snapshot: Snapshot) {
		const known: {status: SourceStatus; vitals: TargetVitals} = {status: live, vitals: {}};
		const store = new SessionStore({
			source: sourceOf(() => snapshot, {status: () => known.status}),
			delayMs: 1000,
			vitals: () => known.vitals,
		});
		store.refresh();
		const screen = openScreen(store, {columns: 120, rows: 40});
		const text = async (change: Partial<typeof known> = {}) => {
			Object.assign(known, change);
			store.refresh();
			return screen.text();
		};

		return {screen, text};
	}

	const held = 'holder | t | com.acme.Main.main:1\nwaiter <- holder park | w | com.acme.Dao.find:88';

	test('without a new sample: the heap, a tracer, how exact lines are', async () => {
		const {screen, text} = screenWith(picture(held));
		expect(await text()).not.toContain('heap is full');
		expect(await text({vitals: {heapUsedBytes: 99e6, heapMaxBytes: 100e6}})).toContain('! The heap is full');
		await screen.press('enter');
		expect(await text()).not.toContain('approximate');
		expect(await text({status: {...live, lineNote: safe`lines are approximate`}})).toContain('lines are approximate');
	});

	test('in the same window: with Java alone, what is found where Java waits while the JVM works', async () => {
		const {screen, text} = screenWith(picture(`${held}\nGC Thread#0 [vm] | R300`));
		expect(await text()).not.toContain('1 thread waits for');
		await screen.press('J');
		expect(await text()).toContain('! 1 thread waits for Object: holder has it');
	});
});

describe('the mouse', () => {
	/** Where a text is on the screen, as a terminal reports a click on it. */
	const click = async (screen: ComponentScreen, text: string) => {
		const lines = await screen.lines();
		const line = lines.findIndex(candidate => candidate.includes(text));
		await screen.type(`\u001B[<0;${lines[line].indexOf(text) + 2};${line + 1}M`);
		return screen.text();
	};

	test.each([[80, 24], [200, 60], [50, 16], [80, 8]])(
		'at %d x %d a click selects a row, and sorts by a heading, then the other way',
		async (columns, rows) => {
			const screen = screenOf(busy(), {columns, rows});
			expect(await click(screen, 'Pool.put:95')).toMatch(/^>.*Pool\.put:95/m);
			expect(await click(screen, 'LINE')).toContain('LINE^');
			expect(await click(screen, 'LINE')).toContain('LINEv');
			expect(await click(screen, 'CPU%')).toContain('CPU%v');
		},
	);

	test('a click on a tab goes to the view, from a row\'s detail too; elsewhere it does nothing', async () => {
		const screen = screenOf(busy(), {columns: 120});
		expect(await click(screen, 'Threads')).toContain('[2 Threads]');
		await screen.press('enter');
		const before = await click(screen, 'Stacks');
		expect(before).toMatch(/\[5 Stacks][^]*compare fewer frames/);
		for (const spot of ['1;1', '119;4', '40;12', '1;24', '200;100']) {
			await screen.type(`\u001B[<0;${spot}M`);
		}

		expect(await screen.text()).toBe(before);
	});

	test('a click on a key of the key line presses it, where text is typed too', async () => {
		const screen = screenOf(busy(), {columns: 120});
		expect(await click(screen, '/:filter')).toMatch(/filter: .*Enter:keep/s);
		await screen.text('P');
		expect(await click(screen, 'Enter:keep')).toContain('filter: P');
		expect(await click(screen, '?:help')).toContain('Help, Lines');
		expect(await click(screen, 'q:back')).not.toContain('Help, Lines');
	});

	test('a click selects the row that was drawn there, though a refresh comes before it is dealt with', async () => {
		let shown = picture('one | R30 R20 R10 | a:1 b:2 c:3');
		const screen = screenOf(() => shown);
		const lines = await screen.lines();
		shown = picture('one | R30 R20 R90 | a:1 b:2 c:3');
		screen.terminal.emit('mouse', {
			mouse: 'click',
			line: lines.findIndex(line => line.includes('A.b:2')),
			column: 10,
		});
		screen.store.refresh();
		expect(await screen.text()).toMatch(/^>.*A\.b:2/m);
	});

	test('the wheel scrolls tables, help and menus; letters that are typed are left alone', async () => {
		const screen = screenOf(busy());
		const [up, down] = ['\u001B[<64;10;10M', '\u001B[<65;10;10M'];
		const after = async (...bytes: readonly string[]) => {
			await screen.type(...bytes);
			return screen.lines();
		};

		expect((await after(down))[7]).toMatch(/^>/);
		const top = (await after(up, 'h'))[6];
		expect((await after(down, down))[6]).not.toBe(top);
		expect((await after(up, up))[6]).toBe(top);
		expect(await after('q', '/x', down, 'y')).toContainEqual(expect.stringContaining('filter: xy'));
	});

	test('a click moves to an item of a menu, another on it chooses it', async () => {
		const screen = screenOf(busy(), {columns: 120});
		await screen.press('f6');
		expect(await click(screen, 'ticks (TICKS)')).toMatch(/^> ticks \(TICKS\)/m);
		expect(await click(screen, 'ticks (TICKS)')).toContain('TICKSv');
	});
});

const traced = {...picture('main | R | a.B.c:1'), traces: report, tasks: taskReport};
const recording: SourceStatus = {phase: 'recording', stale: false};
const openTraced = (view: string, status = recording): ComponentScreen =>
	screenOf(traced, {columns: 100, view: {view}, status});

describe('the Traces view', () => {
	test('l shows the tree of calls, then that of each thread, whose rows open and close', async () => {
		const screen = openTraced('traces');
		expect(await screen.text()).toMatch(/a\.B\.outer\n/);
		expect(await screen.text('l')).toMatch(/- a\.B\.outer *\n.* {3}a\.B\.in<&>ner *\n.* {3}a\.B\.outer/);
		expect(await screen.text('left')).toMatch(/\+ a\.B\.outer *\n(?!.*ner)/);
		expect(await openTraced('traces').text('l', 'l', 'right'))
			.toMatch(/- t "1" *\n.* - a\.B\.outer *\n.* {3}a\.B\.outer *\n.*\+ \(ended threads\)/);
	});

	test('the detail of a row has its slowest traces whole: when each call began, its time, its own', async () => {
		expect(await openTraced('traces').text('enter'))
			.toMatch(/SLOW TRACE \(began, time, own\): 2\.00ms in t "1", 1000-1 *\n +0ns {2}2\.00ms {2}1\.80ms {2}a\.B\.outer \(exception\) *\n +500us +200us +200us {3}a\.B\.in<&>ner/);
	});
});

test('before a method is traced what that does to the JVM stands below the question', async () => {
	const traceNote
		= safe`Enter loads an agent into JVM 7 (JDK 21), which finds how many methods match. Nothing is traced before you have confirmed.`;
	const text = await openTraced('lines', {phase: 'sampling', stale: false, traceNote}).text('M');
	expect(text.replaceAll(/\s+/g, ' '))
		.toMatch(/ trace: a\.B\.c.* Enter loads an agent .* you have confirmed\. .*Enter:look up/);
	expect(await openTraced('lines', {phase: 'sampling', stale: false}).text('M')).not.toContain('Enter loads');
});

test.each(['traces', 'tasks'])('no key of a row of %s is offered that does nothing', async view => {
	expect(await openTraced(view).text('enter')).toMatch(/\n(?!.*(?:Tab|Enter):).*q:back.*$/);
	// Without a selected line, Enter closes.
	expect(await openTraced('lines').text('enter')).toMatch(/Tab:next(?!.*Enter).*$/);
	expect(await openTraced('lines').text('enter', 'tab')).toMatch(/Tab:next +Enter:open.*$/);
});
