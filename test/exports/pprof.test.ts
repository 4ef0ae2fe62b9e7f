import {readFileSync} from 'node:fs';
import path from 'node:path';
import {deflateRawSync, gunzipSync, gzipSync} from 'node:zlib';
import {Profile, Sample, StringTable} from 'pprof-format';
import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {UserError} from '../../source/runtime/errors.js';
import {statesLine} from '../../source/exports/formats/session-lines.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {writePprof} from '../../source/exports/pprof/write.js';
import {snapshotBytes} from '../../source/exports/recording/moment.js';
import {nativeCodeLine} from '../../source/model/frame.js';
import {threadFlag} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {locationName} from '../../source/query/counters/location.js';
import {querySummaryLines, queryLines} from '../../source/views/lines/lines.js';
import {viewOf} from '../../source/views/view-registry.js';
import {threadsViewColumns} from '../../source/views/threads/columns.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {threadsView} from '../../source/views/threads/threads-view.js';
import {taskRows} from '../../source/views/tasks/task-rows.js';
import {traceMethods, threadTrees} from '../../source/views/traces/traced-methods.js';
import {report, taskReportOf, traceReport} from '../helpers/reports.js';
import {pick, seeded} from '../helpers/random.js';
import {canonical, hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

const encoded = (profile: Profile) => profile.encode();
const refusal = (bytes: Uint8Array) => {
	try {
		readPprof(bytes, 'x.pb.gz');
	} catch (error) {
		if (error instanceof UserError) {
			return error.message;
		}

		throw error;
	}

	return 'opened';
};

describe('our own files', () => {
	test.each([
		['of a service', serviceSnapshots().whole],
		['of a window', windowSnapshot(serviceSnapshots().whole, serviceSnapshots().first)],
		['with hostile names', hostileSnapshot()],
		...Array.from({length: 20}, (_, seed) => [`random ${seed}`, randomSnapshot(seed)] as const),
	] as const)('come back whole, %s', (_, snapshot) => {
		expect(canonical(readPprof(writePprof(snapshot, '1.0.0')))).toEqual(canonical(snapshot));
	});

	test('a saved file opens again: every tick of the session, lines, threads, states, holders of locks', () => {
		// Ten seconds of demo/shop.jar on JDK 17, saved by version 0.1.0.
		const snapshot = readPprof(readFileSync(new URL('../fixtures/exports/shop-jdk17.pb.gz', import.meta.url)));
		const {facts, threads, contention, session, target} = canonical(snapshot);
		expect(target).toMatchObject({command: 'shop.jar', jvmVersion: '17.0.15'});
		expect(session).toMatchObject({engine: 'attach', samples: 51});
		expect(facts.reduce((sum, {ticks}) => sum + ticks, 0)).toBe(session.threadSamples);
		expect(threads.map(({name}) => name))
			.toEqual(expect.arrayContaining([
				'main',
				'pricing-1',
				'search-1',
				'checkout-1',
				'VM Thread',
				'C2 CompilerThread0',
			]));
		expect(new Set(contention.map(({lockClass}) => lockClass))).toContain('demo.Ledger');
		const {rows} = queryLines(snapshot, undefined, defaultQuery);
		expect(rows[0].className).toBe('demo.Pricing');
		expect(rows.find(({states}) => states[stateCode.BLOCKED] > 0)).toMatchObject({
			className: 'demo.Ledger',
			method: 'post',
		});
	});

	test('hold what was traced, of a window what was traced in it', () => {
		const {first, whole} = serviceSnapshots();
		expect(readPprof(writePprof({...whole, traces: report}, '1.0.0')).traces).toEqual(report);
		expect(readPprof(writePprof(whole, '1.0.0')).traces).toBeUndefined();
		const half = traceReport([2, 5, 0], 1e9);
		const traces
			= readPprof(writePprof(windowSnapshot({...whole, traces: report}, {...first, traces: half}), '1.0.0'))
				.traces!;
		expect(traces).toEqual({...report, since: half});
		expect(traceMethods(traces, undefined).map(({calls, callsPerS}) => [calls, callsPerS])).toEqual([
			[3, 3],
			[5, 5],
		]);
		expect(threadTrees(traces, undefined)).toEqual(threadTrees(report, half));
	});

	test('hold the tasks that were followed, of a window what they did in it', () => {
		const {first, whole} = serviceSnapshots();
		const counter = {
			name: safe`jobs in a queue`,
			root: 'instance',
			className: 'a.Scheduler',
			path: 'queue.size()',
		} as const;
		const about = {notes: [safe`a note`], history: [[1, 0], [2, 0]], counters: [counter]};
		const tasks = taskReportOf([2, 2], 2e9, {
			about,
			longest: [1, 0, 0, 4e6, 0],
			readings: [1, 0, 'a.Scheduler', 7],
		});
		expect(tasks).toMatchObject({
			readings: [{counter: 0, of: 'a.Scheduler', value: 7}],
			longest: [{ageNs: 4e6, worker: ''}],
		});
		expect(readPprof(writePprof({...whole, tasks}, '1.0.0')).tasks).toEqual(tasks);
		expect(readPprof(writePprof(whole, '1.0.0')).tasks).toBeUndefined();
		const before = taskReportOf([1, 0], 1e9, {about});
		const window = readPprof(writePprof(windowSnapshot({...whole, tasks}, {...first, tasks: before}), '1.0.0'))
			.tasks!;
		expect(taskRows(window, undefined, 'kind').map(({count, perS}) => [count, perS])).toEqual([[1, 1], [2, 2]]);
	});

	test('open again where something could not be measured', () => {
		const {whole} = serviceSnapshots();
		const session = {
			...whole.session,
			pauseP50Us: Number.NaN,
			selfCpuMs: -1,
			startedAtMs: Number.NaN,
			targetStoppedMs: Infinity,
		};
		expect(readPprof(writePprof({...whole, session}, '1.0.0')).session).toEqual({
			...whole.session,
			pauseP50Us: 0,
			selfCpuMs: 0,
			startedAtMs: 0,
			targetStoppedMs: 0,
		});
	});

	test('have a mapping for each library of native code', () => {
		const builder = new SnapshotBuilder();
		const java = builder.addFrame('com.acme.Zip', 'pack', 'Zip.java', 7);
		const native = ['/lib/libz.so', '/lib/libc.so', '/lib/libz.so'].map((library, index) =>
			builder.addFrame(path.basename(library), `f${index}`, library, nativeCodeLine));
		const thread = builder.addThread({key: 1, name: safe`worker`});
		for (const frame of native) {
			builder.count(thread, builder.addStack([frame, java]), stateCode.RUNNABLE, 1, 1e6);
		}

		const snapshot = builder.build();
		const bytes = writePprof(snapshot, '1.0.0');
		const {mapping, location, function: functions, stringTable: {strings}} = Profile.decode(gunzipSync(bytes));
		const files = mapping.map(({filename, hasFunctions}) => `${strings[Number(filename)]} ${hasFunctions}`);
		expect(files).toEqual([
			`${snapshot.target.mainClass || 'java'} true`,
			'/lib/libz.so true',
			'/lib/libc.so true',
		]);
		expect(location.map(({mappingId, line}) =>
			`${mappingId} ${strings[Number(functions[Number(line[0].functionId) - 1].name)]}`)).toEqual(['2 libz.so!f0', '1 com.acme.Zip.pack', '3 libc.so!f1', '2 libz.so!f2']);
		expect(canonical(readPprof(bytes))).toEqual(canonical(snapshot));
	});

	test('have bytes allocated, exceptions and starts if these were recorded', () => {
		const builder = new SnapshotBuilder();
		const thread = builder.addThread({key: 1, name: safe`main`, nativeId: 7});
		const node = builder.addStack([builder.addFrame('a.Main', 'copy', 'Main.java', 5)]);
		builder.count(thread, node, stateCode.RUNNABLE, 3, 2e9);
		builder.countEvent(thread, node, 'alloc', 5e6);
		const thrown = builder.addStack([builder.addFrame('a.NotFound', '<init>', '', -1)]);
		builder.countEvent(thread, thrown, 'exceptions', 12);
		builder.countEvent(thread, node, 'starts', 4);
		const snapshot = builder.build();
		const bytes = writePprof(snapshot, '1.2.3');
		const {sampleType, sample, stringTable: {strings}} = Profile.decode(gunzipSync(bytes));
		expect(sampleType.map(({type, unit}) => `${strings[Number(type)]}/${strings[Number(unit)]}`).slice(-3))
			.toEqual(['alloc_space/bytes', 'exceptions/count', 'thread_starts/count']);
		expect(sample.map(({value}) => value.map(Number)))
			.toEqual([
				[3, 2e9, 3, 3, 0, 0, 0], [0, 0, 0, 0, 5e6, 0, 0], [0, 0, 0, 0, 0, 12, 0], [0, 0, 0, 0, 0, 0, 4],
			]);
		expect(sample[1].locationId).toEqual(sample[0].locationId);
		expect(canonical(readPprof(bytes))).toEqual(canonical(snapshot));
	});

	test('say to pprof tools what they need', () => {
		const {whole} = serviceSnapshots();
		const profile = Profile.decode(gunzipSync(writePprof(whole, '1.2.3')));
		const text = (index: number | bigint) => profile.stringTable.strings[Number(index)];
		expect(profile.sampleType.map(({type, unit}) => `${text(type)}/${text(unit)}`)).toEqual([
			'ticks/count',
			'cpu/nanoseconds',
			'records/count',
			'samples/count',
		]);
		expect(text(profile.defaultSampleType)).toBe('cpu');
		expect(BigInt(profile.timeNanos)).toBe(BigInt(whole.session.startedAtMs) * 1_000_000n);
		expect(profile.comment.map(index => text(index))).toEqual([
			'tprof-top 1.2.3',
			'pid 4711 com.acme.Main --port 80',
			'JVM 17.0.15 OpenJDK 64-Bit Server VM',
			'engine attach interval 250 ms samples 50 late 3 failed 1',
		]);
		const first = profile.sample[1];
		const frames = first.locationId.map(id => profile.location[Number(id) - 1].line[0]).map(({functionId, line}) =>
			`${text(profile.function[Number(functionId) - 1].name)}:${line}`);
		expect(frames).toEqual([
			'com.acme.sort.Bubble.swap:24',
			'com.acme.sort.Bubble.sort:16',
			'com.acme.Main.main:10',
		]);
		expect(first.value.map(Number)).toEqual([30, 6_000_000_000, 30, 30]);
		expect(Object
			.fromEntries(first.label.map(label => [text(label.key), label.str ? text(label.str) : Number(label.num)])))
			.toEqual({
				thread: 'main',
				tid: 4712,
				java_thread_id: 1,
				state: 'RUNNABLE',
			});
	});

	test('rewritten by another tool keep threads, states and figures', () => {
		const {whole} = serviceSnapshots();
		const profile = Profile.decode(gunzipSync(writePprof(whole, '1.0.0')));
		profile.sample.reverse();
		const read = canonical(readPprof(encoded(profile)));
		const sum = (facts: Array<{ticks: number}>) => facts.reduce((total, {ticks}) => total + ticks, 0);
		expect(sum(read.facts)).toBe(sum(canonical(whole).facts));
		expect(read.threads.map(({name}) => name)).toContain('pool-1-thread-1');
		expect(read.facts.filter(({stack}) => stack.length === 0).map(({ticks}) => ticks)).toEqual([50, 50]);
		expect(read.threads.filter(({flags}) => Number(flags) > 0).map(({name, flags}) => ({name, flags}))).toEqual([{
			name: 'GC Thread#0',
			flags: threadFlag.vmInternal,
		}, {name: 'C2 CompilerThread0', flags: threadFlag.compiler}]);
		expect(read.session.engine).toBe('pprof');
	});
});

describe('files of other tools', () => {
	test('open with samples, CPU time and stacks, inlined frames included', () => {
		const read = canonical(readPprof(gzipSync(encoded(goProfile()))));
		expect(read.facts).toEqual([{
			thread: 0,
			state: 1,
			ticks: 7,
			cpuNs: 70_000_000,
			stack: ['["main.(*T)","inner","t.go",5]', '["main.(*T)","outer","t.go",9]', '["main","main","main.go",-1]'],
		}]);
		expect(read.threads[0]).toMatchObject({name: 'all threads', alive: 0});
		expect(read.session).toMatchObject({intervalMs: 10, durationMs: 1000, samples: 100});
		expect(read.target.mainClass).toBe('server');
	});

	test('with less than half a period a sample count them together, and are of CPU time however little', () => {
		const profile = goProfile();
		const [, cpu] = profile.sampleType;
		const rowsOf = (samples: number) => {
			const sample = Array.from({length: samples}, () => new Sample({locationId: [2], value: [45_000_000]}));
			const read
				= readPprof(encoded(new Profile({
					...profile,
					sampleType: [cpu],
					sample,
					period: 100_000_000,
					durationNanos: 10_000_000_000,
				})));
			const {rows, measure, finding} = querySummaryLines(read, undefined, {
				...defaultQuery,
				summary: {showsWaits: true},
			});
			expect(queryThreads(read, undefined, defaultQuery).rows).toHaveLength(1);
			return [measure, finding, ...rows.map(row => [locationName(row), row.selfTicks, row.selfPercent])];
		};

		expect(rowsOf(3000)).toEqual([undefined, undefined, ['main.main', 1350, 100]]);
		expect(rowsOf(1)).toEqual([undefined, undefined, ['main.main', 0, 100]]);
	});

	test('do not say what threads do at the end: nothing is known of it', () => {
		const read = readPprof(gzipSync(encoded(goProfile())));
		expect(statesLine(read, undefined)).toBe('CPU Java 7% JIT 0% JVM 0%');
		const [row] = queryThreads(read, undefined, defaultQuery).rows;
		const state = threadsViewColumns.find(({id}) => id === 'state')!;
		expect(state.value(row, {measure: 'cpu', overMs: 0, fullNames: true, room: 5})).toBe('');
		expect(threadsView.titleLines(row, 80, undefined).map(line => line?.text))
			.toContain('state unknown: the profile is of another tool');
		const said = [viewOf('blockers'), viewOf('waits')].map(view =>
			view.emptyText!(view.query(read, undefined, defaultQuery), defaultQuery));
		expect(new Set(said)).toEqual(new Set(['a profile of another tool does not say what threads wait for']));
	});

	test('without samples of threads are refused by what they hold', () => {
		const profile = goProfile();
		const strings = profile.stringTable;
		const heap = new Profile({
			...profile,
			sampleType: [{type: strings.dedup('inuse_space'), unit: strings.dedup('bytes')}],
			sample: [],
		});
		expect(refusal(encoded(heap)))
			.toBe('cannot open x.pb.gz as a CPU profile in pprof format: it holds inuse_space/bytes, not samples of threads');
	});
});

describe('hostile files', () => {
	const good = () => gunzipSync(writePprof(serviceSnapshots().whole, '1.0.0'));

	test.each([
		['open only where a part is whole, and never break', good, /^opened$|^cannot open x\.pb\.gz as a CPU profile/],
		[
			'when compressed are refused',
			() => writePprof(serviceSnapshots().whole, '1.0.0'),
			/^cannot open x\.pb\.gz as a CPU profile/,
		],
	])('cut at any byte %s', (_, bytesOf, outcome) => {
		const bytes = bytesOf();
		for (let length = 0; length < bytes.length; length++) {
			expect(refusal(bytes.subarray(0, length))).toMatch(outcome);
		}
	});

	const session = () =>
		snapshotBytes({...serviceSnapshots().whole, traces: report, tasks: taskReportOf([1, 0], 1e9)});

	test.each<[string, () => Uint8Array, (bytes: Uint8Array) => Uint8Array]>([
		['random bytes changed', good, bytes => bytes],
		['a session that lies', session, withSession],
	])('with %s are opened or refused in one line, and give only printable names', (_, unchanged, fileOf) => {
		const random = seeded(7);
		const original = unchanged();
		for (let round = 0; round < 1000; round++) {
			const bytes = Buffer.from(original);
			for (let change = 0; change < 3; change++) {
				bytes[pick(random, bytes.length)] = pick(random, 256);
			}

			try {
				const snapshot = readPprof(fileOf(bytes));
				expect([...snapshot.dictionary.strings, ...snapshot.threads.name].join('')).not
					.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
				canonical(snapshot);
			} catch (error) {
				expect(error).toBeInstanceOf(UserError);
				expect((error as UserError).message).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
			}
		}
	});

	test('with a number of many bytes are refused', () => {
		expect(refusal(Uint8Array.from([0x48, ...Array.from({length: 5000}, () => 0xFF), 1])))
			.toContain('a number that is too long');
	});

	test.each<[string, (profile: Profile) => void]>([
		['location', ({sample}) => sample[0].locationId.push(99)],
		['function', ({location}) => Object.assign(location[0].line[0], {functionId: 98})],
		['string', profile => Object.assign(profile.function[0], {name: 97})],
	])('that refer to a missing %s are refused', (what, harm) => {
		const profile = goProfile();
		harm(profile);
		expect(refusal(encoded(profile))).toContain(`a reference to a missing ${what}`);
	});

	test('whose few bytes mean endless stacks are refused', () => {
		const inlined = goProfile();
		inlined.location[0].line = Array.from({length: 900}, () => inlined.location[0].line[0]);
		inlined.sample[0].locationId = Array.from({length: 1000}, () => 1);
		expect(refusal(encoded(inlined))).toContain('more than 100,000 frames in a stack');
		const many = goProfile();
		const [{value, label}] = many.sample;
		many.location[0].line = Array.from({length: 999}, () => many.location[0].line[0]);
		many.sample = Array.from(
			{length: 101},
			() => Sample.create({locationId: Array.from({length: 100}, () => 1), value, label}),
		);
		expect(refusal(encoded(many))).toContain('more than 6,000,000 frames of all stacks');
	});

	test('with a session of another version, or of none, are refused', () => {
		const {whole} = serviceSnapshots();
		const saved = Buffer.from(snapshotBytes(whole));
		const other = Buffer.from(saved.toString('latin1').replace('"late"', '"l_te"'), 'latin1');
		expect(refusal(withSession(saved))).toBe('opened');
		expect(refusal(withSession(other))).toContain('it is of another version of tprof-top');
		expect(refusal(withSession(Buffer.from('{"schema":1}')))).toContain('cannot open x.pb.gz as a CPU profile');
		expect(refusal(withSession(Buffer
			.from(snapshotBytes({...whole, traces: {...report, bytes: Uint8Array.of(2, 8, 1, 1, 1)}})))))
			.toContain('unknown report format');
	});

	test('with stacks that would never end are refused', () => {
		const deep = (counters: number) => {
			const builder = new SnapshotBuilder();
			const [frame, other] = ['run', 'go'].map(method => builder.addFrame('Hot', method, 'Hot.java', 1));
			const node = builder.addStack([other, ...Array.from({length: 90_000}, () => frame)]);
			for (let counter = 0; counter < counters; counter++) {
				builder.count(builder.addThread({key: counter + 1, name: safe`t`}), node, 1, 1, 0);
			}

			return withSession(snapshotBytes(builder.build()));
		};

		expect(refusal(deep(66))).toBe('opened');
		expect(refusal(deep(67))).toContain('more than 6,000,000 frames of all stacks');
	});

	/** A file of ours with this as its session. */
	function withSession(session: Uint8Array): Uint8Array {
		const head = '#tprof-top-session\n';
		const bytes = good();
		const savedAt = bytes.lastIndexOf(head) + head.length + 64;
		return Buffer.concat([bytes.subarray(0, savedAt), Buffer.from(deflateRawSync(session).toString('base64'))]);
	}
});

/** What Go's CPU profiler writes: samples and cpu, a period of 10 ms, an inlined call. */
function goProfile(): Profile {
	const stringTable = new StringTable();
	const text = (value: string) => stringTable.dedup(value);
	return new Profile({
		stringTable,
		sampleType: [{type: text('samples'), unit: text('count')}, {type: text('cpu'), unit: text('nanoseconds')}],
		mapping: [{id: 1, memoryStart: 4_194_304, memoryLimit: 8_388_608, filename: text('/usr/local/bin/server')}],
		function: [
			{id: 1, name: text('main.(*T).inner'), filename: text('/src/t.go')},
			{id: 2, name: text('main.(*T).outer'), filename: text('/src/t.go')},
			{id: 3, name: text('main.main'), filename: text('/src/main.go')},
		],
		location: [
			{id: 1, mappingId: 1, address: 0x40_10_00, line: [{functionId: 1, line: 5}, {functionId: 2, line: 9}]},
			{id: 2, mappingId: 1, address: 0x40_20_00, line: [{functionId: 3}]},
		],
		sample: [{locationId: [1, 2], value: [7, 70_000_000]}],
		timeNanos: 1_789_000_000_000_000_000n,
		durationNanos: 1_000_000_000,
		periodType: {type: text('cpu'), unit: text('nanoseconds')},
		period: 10_000_000,
	});
}
