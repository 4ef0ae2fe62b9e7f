import {describe, expect, test} from 'vitest';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {JvmMetrics, metricsText} from '../../source/fleet/metrics.js';
import {otlp} from '../../source/fleet/otlp.js';
import {pyroscope} from '../../source/fleet/pyroscope.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {sumUpTo} from '../../source/util/sum.js';
import {locationName} from '../../source/query/counters/location.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {randomSession} from '../helpers/random-session.js';
import {sum, sumsByName} from '../helpers/sum.js';
import {decodeOtlp, decodePush, eventsWindow, labels, windows, type Decoded} from './decode.js';

const {first, whole} = serviceSnapshots();

const sumOf = (stacks: Readonly<Record<string, number>>) => sum(Object.values(stacks));
const stateOf = ({Labels}: Decoded) => Labels.state ?? Labels['thread.state'];

describe.each(Object.entries({
	push: {protocol: pyroscope, decode: decodePush},
	otlp: {protocol: otlp, decode: decodeOtlp},
}))('%s', (_, {protocol, decode}) => {
	test.each(Object.entries(windows))('the sums of %s', (_, window) => {
		const profiles = decode(protocol.encode(window, labels));
		const {counters, session} = window;
		const cpu = profiles.find(profile => stateOf(profile) === undefined);
		expect(sumOf(cpu?.Stacks ?? {})).toBe(sumUpTo(counters.count, at => counters.cpuNs[at]));
		const wallNs = sum(profiles.filter(profile =>
			stateOf(profile) !== undefined).map(({Stacks}) => sumOf(Stacks)));
		expect(wallNs).toBe(sumUpTo(counters.count, at => counters.ticks[at] * session.requestedIntervalMs * 1e6));
		expect(profiles.every(({Period}) => Period > 0)).toBe(true);
	});

	test('a line has what the Lines view says', () => {
		for (const [snapshot, since] of [[whole, first], [whole, undefined]] as const) {
			const profiles = decode(protocol.encode(windowSnapshot(snapshot, since), labels));
			const byLine
				= sumsByName(Object.entries(profiles[0].Stacks).map(([stack, ns]) => [stack.split(';', 1)[0], ns]));
			const {rows} = queryLines(snapshot, since, defaultQuery);
			const lines = rows.filter(row => row.line >= 0 && row.selfCpuNs > 0);
			expect(lines.length).toBeGreaterThan(1);
			expect(lines.map(row => byLine[locationName(row)])).toEqual(lines.map(row => row.selfCpuNs));
			const blocked = profiles.find(profile => stateOf(profile) === 'BLOCKED')!;
			expect(blocked.Stacks).toEqual({
				'com.acme.db.Pool.take:88;com.acme.Worker.run:30': (since ? 20 : 40) * 200 * 1e6,
			});
		}
	});
});

test('events of each kind are profiles of their own, and none if they were not recorded', () => {
	const ofEvents = (profiles: readonly Decoded[]) =>
		profiles.filter(({Type}) => !/cpu|wall/.test(Type)).map(({Type, Stacks, Period, Labels}) => {
			expect([Period, Object.keys(Labels).filter(name => name.startsWith('sampling'))]).toEqual([1, []]);
			return [Type, Stacks];
		});
	const [bytes, exceptions] = [{'a.Main.copy:5;a.Main.run:1': 7e6}, {'a.NotFound.<init>:0;a.Main.run:1': 12}];
	const starts = {'a.Main.copy:5;a.Main.run:1': 3};
	const body = pyroscope.encode(eventsWindow(), labels);
	expect(ofEvents(decodePush(body)))
		.toEqual([
			['memory:alloc_space:bytes:space:bytes', bytes],
			['exceptions:exceptions:count:exceptions:count', exceptions],
			['thread_starts:thread_starts:count:thread_starts:count', starts],
		]);
	expect(ofEvents(decodeOtlp(otlp.encode(eventsWindow(), labels))))
		.toEqual([['alloc_space:bytes', bytes], ['exceptions:count', exceptions], ['thread_starts:count', starts]]);
	expect(ofEvents(decodePush(pyroscope.encode(whole, labels)))).toEqual([]);
});

test('labels are those of each backend', () => {
	const [cpu, wall] = decodePush(pyroscope.encode(whole, labels));
	expect(cpu.Labels).toEqual({
		__name__: 'process_cpu', service_name: 'shop', hostname: 'host-1', pid: '4711', jvm_version: '17.0.15',
		k8s_pod: 'shop-0', sampling_period: '200ms',
	});
	expect(cpu.Type).toBe('process_cpu:cpu:nanoseconds:cpu:nanoseconds');
	expect(wall.Type).toBe('wall:wall:nanoseconds:wall:nanoseconds');
	expect(wall.Labels).toMatchObject({state: 'RUNNABLE', sampling_period: '200ms'});
	const attributes = {
		'service.name': 'shop', 'host.name': 'host-1', 'process.pid': '4711', 'process.runtime.version': '17.0.15',
		'k8s.pod': 'shop-0',
	};
	const [otlpCpu, otlpWall] = decodeOtlp(otlp.encode(whole, labels));
	expect(otlpCpu.Labels).toEqual({...attributes, 'sampling.period': '200ms'});
	expect(otlpWall.Labels).toEqual({...attributes, 'sampling.period': '200ms', 'thread.state': 'RUNNABLE'});
});

test('Prometheus gets a bounded number of lines, with hostile names in quotes', () => {
	const metrics = new JvmMetrics({service_name: String.raw`a"b\c`, pid: '1', env: 'prod'});
	const seen: string[] = [];
	let since: Snapshot | undefined;
	for (const snapshot of randomSession(300)) {
		metrics.update(snapshot, since, {heapUsedBytes: 5});
		since = snapshot;
		const lines = metricsText([metrics], {sent: 1, refused: 2, dropped: 3, waitingBytes: 4}).trimEnd().split('\n');
		const values = lines.filter(line => !line.startsWith('#'));
		expect(values.filter(line =>
			!/^tprof_\w+{(?:\w+="(?:[^"\\]|\\.)*",?)*} -?\d+(?:\.\d+)?(?:e[+-]\d+)?$/.test(line))).toEqual([]);
		const names = new Set(values.map(line => line.slice(0, line.lastIndexOf(' '))));
		expect(names.size).toBe(values.length);
		seen.push(...[...names].filter(name => name.startsWith('tprof_line_cpu_cores')));
	}

	expect(new Set(seen).size).toBeGreaterThan(150);
	expect(new Set(seen).size).toBeLessThanOrEqual(201);
	expect(metricsText([metrics], undefined)).toContain(String.raw`service_name="a\"b\\c"`);
});
