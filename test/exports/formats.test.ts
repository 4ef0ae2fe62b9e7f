import {describe, expect, test} from 'vitest';
import {printable, safe} from '../../source/util/printable.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {exportFormats, saveFormats, usualFormat} from '../../source/exports/formats/format-registry.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {cellWidth} from '../../source/util/cell-width.js';
import {unattributedReason} from '../../source/model/frame.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {Snapshot, TargetVitals} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {views} from '../../source/views/view-registry.js';
import {sum} from '../helpers/sum.js';
import {parseCsv, parseVotes, textOf, whole} from './parse.js';
import {canonical, hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

/** Sums that a reader can get back from what a format of rows wrote; of those that it holds. */
type Sums = {activeTicks?: number; cpuMs?: number; linesTicks?: number; runnableTicks?: number};

/** Formats of stacks have tests of their own: stacks.test.ts, pprof.test.ts. */
const readBack: Readonly<Record<string, (written: string) => Sums>> = {
	text: written => ({
		activeTicks: sum(written.split('\n\n')[1].split('\n').slice(1).filter(line =>
			/^\s*\d/.test(line)).map(line => Number(line.trim().split(/\s+/)[3]))),
	}),
	json(written) {
		const {lines} = JSON.parse(written) as {lines: Array<{self: number; cpuMs: number}>};
		return {activeTicks: sum(lines.map(line => line.self)), cpuMs: sum(lines.map(line => line.cpuMs))};
	},
	csv(written) {
		const rows = parseCsv(written);
		return {
			activeTicks: sum(rows.map(row => Number(row.self_ticks))),
			cpuMs: sum(rows.map(row => Number(row.self_cpu_ms))),
		};
	},
	lines: written => ({linesTicks: sum(written.split('\n').map(line => Number(line.slice(0, 5))))}),
	votes: written => ({runnableTicks: sum(parseVotes(written).map(row => row.votes))}),
};

/** The same sums from the snapshot itself. */
function sumsOf(snapshot: Snapshot): Required<Sums> {
	const inLines = canonical(snapshot).facts.filter(fact => fact.stack.length > 0);
	const {RUNNABLE, BLOCKED} = stateCode;
	const hasLine = (frame: string) => (JSON.parse(frame) as [string, string, string, number])[3] >= 0;
	const ticksIn = (states: number[]) =>
		sum(inLines.filter(fact => states.includes(fact.state)).map(fact => fact.ticks));
	return {
		activeTicks: ticksIn([RUNNABLE, BLOCKED]),
		runnableTicks: ticksIn([RUNNABLE]),
		cpuMs: sum(inLines.map(fact => fact.cpuNs / 1e6)),
		linesTicks: sum(inLines.filter(({stack}) => stack.some(frame => hasLine(frame))).map(fact => fact.ticks)),
	};
}

describe.each(Object.entries(readBack))('%s read back', (id, sumsIn) => {
	test.each([
		['a service', serviceSnapshots().whole],
		['nothing yet', windowSnapshot(serviceSnapshots().first, serviceSnapshots().first)],
		...Array.from({length: 8}, (_, seed) => [`random ${seed}`, randomSnapshot(seed)] as const),
	] as const)('gives the sums of %s', (_, snapshot) => {
		// A program without CPU time has its waiting lines in the text otherwise.
		const query = {...defaultQuery, summary: {showsWaits: false}};
		const sums = sumsIn(textOf(id, snapshot, {top: Infinity, depth: Infinity, width: 400, query}));
		const expected = sumsOf(snapshot);
		expect(Object.keys(sums)).not.toEqual([]);
		for (const [key, value] of Object.entries(sums)) {
			// Each row is rounded to microseconds.
			expect(value, key).toBeCloseTo(expected[key as keyof Sums], 1);
		}
	});
});

test.each([['line', 'LINE'], ['method', 'METHOD'], ['class', 'CLASS']] as const)(
	'text by %s says so above the names',
	(by, heading) => {
		const [, table] = textOf('text', serviceSnapshots().whole, {query: {...defaultQuery, by}}).split('\n\n');
		expect(table.split('\n')[0].split(/\s+/)).toContain(heading);
	},
);

test.each(['report', 'save'] as const)('one format is the usual one for a %s', use => {
	expect(exportFormats.filter(({usualFor}) => usualFor === use)).toEqual([usualFormat(use)]);
});

test('the save dialogue has every format, the usual one first', () => {
	expect(saveFormats[0]).toBe(usualFormat('save'));
	expect(new Set(saveFormats)).toEqual(new Set(exportFormats));
});

describe.each(exportFormats.map(format => [format.id, format] as const))('%s', (id, format) => {
	test('is described, with an extension and an id of its own', () => {
		expect(format.extension).toMatch(/^(\.[a-z]+)+$/);
		expect(format.description).not.toBe('');
		const alike = exportFormats.filter(other => other.id === id || other.extension === format.extension);
		expect(alike).toEqual([format]);
	});

	test('of a window is that of the difference', () => {
		const {first, whole: last} = serviceSnapshots();
		const written = (snapshot: Snapshot, since?: Snapshot) =>
			whole(format.write(snapshot, since, {version: '1', query: defaultQuery}));
		expect(written(last, first)).toEqual(written(windowSnapshot(last, first)));
		expect(written(last, first)).not.toEqual(written(last));
	});

	test('lets no control character of a hostile name through', () => {
		const query: Query = {...defaultQuery, states: ['RUNNABLE', 'BLOCKED', 'WAITING']};
		const written = whole(format.write(hostileSnapshot(), undefined, {version: '1', query, width: 200}));
		const texts = typeof written === 'string'
			? [written.replaceAll(/[\n\t]|\r\n/g, '')]
			: readPprof(written).dictionary.strings;
		expect(texts.filter(text => /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/.test(text)))
			.toEqual([]);
	});
});

describe('text', () => {
	test('says how much CPU time is unattributed, and why, in the window that is written', () => {
		const builder = new SnapshotBuilder();
		const [worker, selector] = ['worker', 'selector'].map((name, key) => builder.addThread({key: key + 1, name: printable(name)}));
		const work = builder.addStack([builder.addFrame('a.Main', 'work', 'Main.java', 1)]);
		const missing = builder.addStack([builder.addFrame('(unattributed)', '(unattributed)', '', -1)]);
		const reason = unattributedReason.systemCalls;
		builder.count(worker, work, stateCode.RUNNABLE, 1, 97e6);
		builder.count(selector, missing, stateCode.RUNNABLE, 0, 8e6);
		builder.count(worker, missing, stateCode.RUNNABLE, 0, -5e6);
		const before = builder.build({session: {durationMs: 100, unattributedReason: reason}});
		expect(textOf('text', before)).not.toContain('% unattributed');
		builder.count(selector, missing, stateCode.RUNNABLE, 0, 15e6);
		builder.count(worker, work, stateCode.RUNNABLE, 1, 5e6);
		const after = builder.build({session: {durationMs: 200, unattributedReason: reason}});
		expect(textOf('text', after))
			.toContain('note: 15% unattributed: system calls, not recorded without root; this CPU time is shown as (unattributed)');
		// What is below 0 of one thread makes up for what is above of another.
		expect(textOf('text', after)).toMatch(/ 18\.0 \(unattributed\)$/m);
		expect((JSON.parse(textOf('json', after, {}, before)) as {notes: string[]}).notes[0])
			.toMatch(/^75% unattributed: /);
		// Where next to nothing was used, nothing is said.
		builder.count(selector, missing, stateCode.RUNNABLE, 0, 1e6);
		expect(textOf('text', builder.build({session: {durationMs: 1200, unattributedReason: reason}}), {}, after)).not
			.toContain('% unattributed');
	});

	test('has the header, the losses, the lines and the busy threads', () => {
		expect(textOf('text', serviceSnapshots().whole, {notes: [safe`the target ended`]})).toBe(`\
tprof-top 4711 com.acme.Main  JDK 17.0.15 (OpenJDK 64-Bit Server VM)
2026-09-14T14:02:01Z for 10 s | engine attach every 250 ms, 200 ms requested
samples 50 late 3 failed 1 | target stopped 12.5 ms (0.1%) | own CPU 350 ms (3.5%)
pauses p50 210 us p99 800 us worst 901 us
threads 4: RUN 2 BLK 1 WAIT 0 TIMED 0 idle 1 | CPU Java 115% JIT 3% JVM 1%
note: the target ended
note: 4 incomplete stacks (their outer frames are missing)
note: 7 thread samples without a stack: a debugger is attached to the threads, or permission to stop them was lost
note: 5 thread samples without a stack: the threads did not stop in time
note: 2 thread samples counted under "(other)": the table was full
1 thread waits for Pool, for 4s: main has it, at c.a.sort.Bubble.swap:24.

  CPU%  +/-  TOTAL  TICKS THR STATE      CPU ms LINE                                 YOUR CODE
  60.6 14.2   60.6     30   1 RRRRRRRR     6000 com.acme.sort.Bubble.swap:24
  54.5 14.2    115     30   2 RRRRRRRR     5400 com.acme.sort.Bubble.sort:16
   0.0  3.5    0.0     40   1 BBBBBBBB        0 com.acme.db.Pool.take:88 held by main 1 blocked

  CPU%  TICKS  THR STATE STATES    STUCK      TID   CPU ms THREAD                 NOW AT
   101     50    1 RUN   RRRRRRRR     4s     4712    10000 main                   com.acme.sort.Bubble.swap:24
  14.1     50    1 BLK   RRBBBBBB     4s     4730     1400 pool-1-thread-1        com.acme.db.Pool.take:88 held by main
   3.0     50    1 RUN   RRRRRRRR            4720      300 C2 CompilerThread0
   1.0     50    1 RUN   RRRRRRRR            4714      100 GC Thread#0
`);
	});

	test('says what the JVM did meanwhile, as far as that is known', () => {
		const fourth = (vitals: TargetVitals) => textOf('text', serviceSnapshots().whole, {vitals}).split('\n')[5];
		const heap = {heapUsedBytes: 8 * (2 ** 20), heapCapacityBytes: 2 ** 30};
		expect(fourth({
			...heap,
			gcPercent: 3.4,
			gcCause: safe`G1 Evacuation Pause`,
			safepointPercent: 4.6,
			compilationsPerS: 12.3,
		})).toBe('heap 8.0M/1.0G | GC 3% (G1 Evacuation Pause) | safepoints 5% | compiled 12/s');
		expect(fourth({gcPercent: 0.4, gcCause: safe`G1 Evacuation Pause`, safepointPercent: 0.9})).toBe('GC 0%');
		expect(fourth({})).toMatch(/^note: /);
	});

	test.each([40, 50, 60, 70, 80, 100, 120, 200])('keeps to %i columns, and the class and line of a name', width => {
		const [written, hostile] = [serviceSnapshots().whole, hostileSnapshot()].map(snapshot =>
			textOf('text', snapshot, {width}).split('\n'));
		expect([...written, ...hostile].filter(line => cellWidth(printable(line)) > width)).toEqual([]);
		expect(written.join('\n')).toContain('Bubble.swap:24');
	});

	test('a note that is longer than a line goes on in the next', () => {
		const note = safe`engine attach: memory is not available (ptrace is forbidden here by a filter of system calls)`;
		expect(textOf('text', serviceSnapshots().whole, {width: 50, notes: [note]})).toContain(`
note: engine attach: memory is not available
      (ptrace is forbidden here by a filter of
      system calls)
`);
	});

	test('says how many rows it leaves out', () => {
		expect(textOf('text', serviceSnapshots().whole, {top: 2})).toContain('\n... 1 more\n');
	});
});

test('json has the values of its keys, rows with theirs in order', () => {
	const document = JSON.parse(textOf('json', serviceSnapshots().whole)) as Record<string, any>;
	expect(document).toMatchObject({
		tool: 'tprof-top',
		version: '1.2.3',
		schema: 2,
		engine: 'attach',
		timer: '',
		intervalMs: 250,
		requestedIntervalMs: 200,
		startedAt: '2026-09-14T14:02:01.000Z',
		durationMs: 10_000,
		samples: 50,
		late: 3,
		failed: 1,
		threadSamples: 253,
		incompleteStacks: 4,
		skippedThreads: {refused: 7, late: 5},
		findings: [{id: 'contention'}],
	});
	const ordered = (value: unknown) => JSON.stringify(value);
	expect(ordered(document.target))
		.toBe('{"pid":4711,"mainClass":"com.acme.Main","jvmVersion":"17.0.15","vm":"OpenJDK 64-Bit Server VM"}');
	expect(ordered(document.cost))
		.toBe('{"targetStoppedMs":12.5,"targetInterruptedMs":0,"pauseP50Us":210,"pauseP99Us":800,"pauseWorstUs":900.5,"selfCpuMs":350,"cpuIntervalMs":0}');
	expect(ordered(document.lines[1]))
		.toBe('{"class":"com.acme.sort.Bubble","method":"sort","file":"Bubble.java","line":16,"self":30,"total":60,"cpuMs":5400,"totalCpuMs":11400,"states":{"RUNNABLE":30,"BLOCKED":0,"WAITING":0,"TIMED_WAITING":0,"IDLE":0}}');
	expect(ordered(document.threads[1]))
		.toBe('{"name":"pool-1-thread-1","tid":4730,"cpuMs":1400,"states":{"RUNNABLE":10,"BLOCKED":40,"WAITING":0,"TIMED_WAITING":0,"IDLE":0},"stuckMs":4900,"stuckAtLeast":false,"top":{"class":"com.acme.sort.Bubble","method":"sort","line":16},"state":"BLOCKED","now":{"class":"com.acme.db.Pool","method":"take","file":"Pool.java","line":88},"lock":"com.acme.db.Pool","owner":"main","daemon":true,"virtual":false,"carrier":null,"threads":1,"mounted":0,"wait":{"kind":"monitor","peer":"Pool held by main","end":""},"runDelayMs":0}');
	expect(ordered(document.stacks[2]))
		.toBe('{"ticks":40,"cpuMs":0,"state":"BLOCKED","frames":[{"class":"com.acme.db.Pool","method":"take","file":"Pool.java","line":88},{"class":"com.acme.Worker","method":"run","file":"Worker.java","line":30}]}');
});

test('json orders lines by CPU time, then ticks, in any order of the view', () => {
	const {lines} = JSON.parse(textOf('json', serviceSnapshots().whole, {
		query: {...defaultQuery, sort: {column: 'line', reverse: true}},
	})) as {lines: Array<{line: number}>};
	expect(lines.map(({line}) => line)).toEqual([24, 16, 88, 10, 30]);
});

test('csv keeps names that are formulas from being run, and fields apart', () => {
	const rows = parseCsv(textOf('csv', hostileSnapshot()));
	const fields = rows.flatMap(row => [row.class, row.method, row.file, row.top_threads]);
	expect(fields.filter(field => /^\s*[=+\-@]/.test(field))).toEqual([]);
	expect(fields)
		.toEqual(expect.arrayContaining([
			'\'=1+2',
			'\'+cmd|\'/C calc\'!A0',
			'\'-2',
			'\'@SUM(A1)',
			'comma,semi;',
			'quote"s\'',
		]));
});

test('windows in one stream: an empty line before a text, a line each of JSON, one header of CSV', () => {
	const {first, whole} = serviceSnapshots();
	const streamOf = (id: string) => [textOf(id, first, {iteration: 0}), textOf(id, whole, {iteration: 1}, first)];
	expect(streamOf('text').map(text => text.slice(0, 6))).toEqual(['tprof-', '\ntprof']);
	const documents = streamOf('json').join('').trimEnd().split('\n').map(line =>
		JSON.parse(line) as Record<string, any>);
	expect(documents.map(({lines: [{self}], ...others}) => ({self, ...others}))).toMatchObject([
		{samples: 25, late: 1, durationMs: 5000, startedAt: '2026-09-14T14:02:01.000Z', self: 15},
		{samples: 25, late: 2, durationMs: 5000, startedAt: '2026-09-14T14:02:06.000Z', self: 15},
	]);
	const csv = streamOf('csv').join('');
	expect(csv.match(/taken_at/g)).toHaveLength(1);
	expect(new Set(parseCsv(csv).map(row => row.taken_at)))
		.toEqual(new Set(['2026-09-14T14:02:06.000Z', '2026-09-14T14:02:11.000Z']));
});

test('lines counts all threads in all states at their first frame with a line', () => {
	expect(textOf('lines', serviceSnapshots().whole)).toBe(`\
   53 com.acme.Worker.run:30
   40 com.acme.db.Pool.take:88
   30 com.acme.sort.Bubble.sort:16
   30 com.acme.sort.Bubble.swap:24
`);
});

test('votes counts identical RUNNABLE stacks, over threads, with a fingerprint of the frames', () => {
	expect(textOf('votes', serviceSnapshots().whole)).toBe(`\
   30 bca558077a08bda223c17055972cd975
	com.acme.sort.Bubble.sort(Bubble.java:16)
	com.acme.Main.main(Main.java:10)

   30 ec2c540d4c54be6951059986a24ef43c
	com.acme.sort.Bubble.swap(Bubble.java:24)
	com.acme.sort.Bubble.sort(Bubble.java:16)
	com.acme.Main.main(Main.java:10)

`);
});

const viewed = [
	['a service', serviceSnapshots().whole],
	['hostile names', hostileSnapshot()],
	['random', randomSnapshot(7)],
] as const;

describe.each(views.map(view => [view.id, view] as const))('the rows of %s', (id, view) => {
	const query = {
		...defaultQuery,
		sort: view.sort,
		method: 'run',
		baseline: {snapshot: serviceSnapshots().first, since: undefined, title: safe`before`},
	};

	test.each(viewed)('as text, as on the screen: %s', (_, snapshot) => {
		// For people rows that say nothing are left out.
		const {rows} = view.query(snapshot, undefined, {...query, summary: {showsWaits: true}});
		const text = textOf('text', snapshot, {view, query, top: 5});
		expect(text).toContain(`\n${view.title}`);
		expect(text).toContain(view.columns[0].heading);
		const [, table] = text.split('\n\n');
		expect(table.split('\n').slice(1).filter(line => line !== '' && !line.startsWith('... ')))
			.toHaveLength(Math.max(1, Math.min(5, rows.length)));
	});

	test.each(viewed)('as JSON, in a list of its name: %s', (_, snapshot) => {
		for (const iteration of [undefined, 0]) {
			const document = JSON.parse(textOf('json', snapshot, {view, query, iteration})) as Record<
				string,
				unknown[]
			>;
			expect(Array.isArray(document[id])).toBe(true);
			expect(JSON.parse(textOf('json', snapshot, {view, query, iteration, top: 1}))[id].length)
				.toBeLessThanOrEqual(1);
		}
	});

	test.each(viewed)('as CSV, with columns of their own: %s', (_, snapshot) => {
		const rows = parseCsv(textOf('csv', snapshot, {view, query}));
		expect(rows.length).toBeGreaterThanOrEqual(view.query(snapshot, undefined, query).rows.length);
		expect(Object.keys(rows[0] ?? {})).toEqual(rows.length === 0
			? []
			: [
				'taken_at',
				...view.files.csv.map(column => column.id),
			]);
	});
});

test('the votes format is the Stacks view: the same stacks, counts and fingerprints', () => {
	const snapshot = serviceSnapshots().whole;
	const more = {
		query: {...defaultQuery, states: ['RUNNABLE'] as const, depth: 4, sort: {column: 'ticks', reverse: false}},
		depth: 4,
		view: views.find(({id}) => id === 'stacks'),
	};
	const {stacks} = JSON.parse(textOf('json', snapshot, more)) as {
		stacks: Array<{ticks: number; fingerprint: string}>;
	};
	const votes = parseVotes(textOf('votes', snapshot, more));
	expect(new Map(votes.map(({fingerprint, votes: ticks}) => [fingerprint, ticks])))
		.toEqual(new Map(stacks.filter(({ticks}) => ticks > 0).map(({fingerprint, ticks}) => [fingerprint, ticks])));
	expect(votes.length).toBeGreaterThan(1);
});
