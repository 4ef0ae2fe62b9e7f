import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {gunzipSync, gzipSync} from 'node:zlib';
import {createInterface} from 'node:readline';
import {Profile} from 'pprof-format';
import {expect, test} from 'vitest';
import {openSaved} from '../../source/commands/recording.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {Names} from '../../source/exports/pprof/profile-names.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {writePprof} from '../../source/exports/pprof/write.js';
import {otlp} from '../../source/fleet/otlp.js';
import {post} from '../../source/fleet/post.js';
import {pyroscope} from '../../source/fleet/pyroscope.js';
import type {Labels, Protocol} from '../../source/fleet/sender.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode, threadStates} from '../../source/model/thread-state.js';
import {VarintWriter} from '../../source/util/varints.js';
import type {LineRow} from '../../source/query/counted-lines.js';
import {locationName} from '../../source/query/counters/location.js';
import {codeKind} from '../../source/query/counters/own-code.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {closedAfterTest, folderForTest, sharedFolder, spawnForTest} from '../helpers/for-test.js';
import {cli, goProgram, run, runCli} from '../helpers/run.js';
import {TerminalSession} from '../helpers/terminal.js';
import {decodeOtlp, decodePush, labels, windows, type Decoded} from './decode.js';
import {serve} from './serve.js';

/**
The program of a backend of Pyroscope's and OpenTelemetry's own code; undefined where Go or its modules are not to be
had.
*/
const goBackend = path.join(sharedFolder(), 'backend');
const build = spawnSync(goProgram() ?? 'go', ['build', '-o', goBackend, '.'], {
	cwd: path.join(import.meta.dirname, 'backend'),
	encoding: 'utf8',
	timeout: 180_000,
});
const builtBackend = build.status === 0 ? goBackend : undefined;
process.stderr.write(builtBackend ? '' : `no backend in Go: ${build.stderr ?? 'no go'}\n`);

/** Starts it; `printed` has the profiles that it was sent, and the queries. */
async function startBackend(program: string) {
	const backend = spawnForTest(program, [], {stdio: ['ignore', 'pipe', 'pipe']});
	const printed: string[] = [];
	createInterface(backend.stdout!).on('line', line => {
		printed.push(line);
	});
	const [data] = await once(backend.stderr!, 'data') as [Buffer];
	return {port: data.toString().trim(), printed};
}

const startedAtMs = 1_700_000_000_000;
const {first, whole} = serviceSnapshots();
const between = windowSnapshot(whole, first);
const window: Snapshot = {...between, session: {...between.session, startedAtMs}};

/** Sends a window as the JVM with these labels; what was sent. */
async function push(
	port: string,
	of: Labels,
	sent: Snapshot,
	protocol: Protocol = pyroscope,
	at = '',
): Promise<Uint8Array> {
	const body = protocol.encode(sent, of);
	const {headers} = protocol;
	expect(await post(protocol.urlOf(new URL(`http://127.0.0.1:${port}${at}`)), {
		body, headers, hasCredentials: false, timeoutMs: 10_000, signal: new AbortController().signal,
	})).toMatchObject({kind: 'accepted'});
	return body;
}

test('Pyroscope\'s and OpenTelemetry\'s own code read the same', async ({skip}) => {
	const {port, printed} = await startBackend(builtBackend ?? skip('no Go'));
	for (
		const [protocol, decode, at] of [
			[pyroscope, decodePush, ''],
			[otlp, decodeOtlp, '/v1development/profiles'],
		] as const
	) {
		for (const window of Object.values(windows)) {
			printed.length = 0;
			const expected = decode(await push(port, labels, window, protocol, at));
			await expect.poll(() => printed.length).toBe(expected.length);
			expect(printed.map(line => JSON.parse(line) as Decoded)).toEqual(expected);
		}
	}

	await push(port, labels, window);
	const span = `from=${startedAtMs - 1000}&until=${startedAtMs + 59_000}`;
	const address = (query: string) => `pyroscope://127.0.0.1:${port}/?query=${query}&${span}`;
	const {snapshot} = await openSaved(address('{service_name="shop"}'));
	await expect.poll(() => JSON.parse(printed.at(-1)!) as Decoded).toEqual({
		Labels: {selector: '{service_name="shop"}'},
		Type: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
		Period: 60_000,
		Start: startedAtMs - 1000,
		Stacks: null,
	});
	const cpuByLine = (lines: ReturnType<typeof queryLines>) =>
		lines.rows.filter(({line, selfCpuNs}) => line >= 0 && selfCpuNs > 0)
			.map(row => [locationName(row), row.selfCpuNs]);
	expect(cpuByLine(queryLines(snapshot, undefined, defaultQuery)))
		.toEqual(cpuByLine(queryLines(whole, first, defaultQuery)));
	expect(snapshot.session).toMatchObject({startedAtMs: startedAtMs - 1000, durationMs: 60_000});

	/** The ticks of each line in each state, with its share and that one's error. */
	const ofStates = (opened: Snapshot, since?: Snapshot) =>
		threadStates.flatMap(state => {
			const {rows} = queryLines(opened, since, {...defaultQuery, unit: 'ticks', states: [state]});
			const textOf = ({selfTicks, selfPercent, errorPercent}: LineRow) =>
				`${selfTicks} ${selfPercent} ${errorPercent}`;
			return rows.filter(row => row.selfTicks > 0).map(row => `${state} ${locationName(row)} ${textOf(row)}`);
		}).sort();
	const {snapshot: wall} = await openSaved(address('wall:wall:nanoseconds:wall:nanoseconds{service_name="shop"}'));
	expect(wall.session).toMatchObject({requestedIntervalMs: 200, samples: 300});
	expect(ofStates(wall)).toHaveLength(5);
	// pprof does not tell native methods from Java methods without lines.
	const withoutNative = (rows: readonly string[]) => rows.filter(row => !row.startsWith('IDLE'));
	expect(withoutNative(ofStates(wall))).toEqual(withoutNative(ofStates(whole, first)));
	const wallType = 'wall:wall:nanoseconds:wall:nanoseconds';
	const {stdout} = await runCli('open', address(`${wallType}{service_name="shop",state="BLOCKED"}`));
	expect(stdout).toMatch(/ticks: BLOCKED\n[^]*BLK% .*\n *100 .* B+ .*com\.acme\.db\.Pool\.take:88/);
	const nothing = await runCli('open', address(`${wallType}{service_name="none"}`));
	expect(nothing.stderr).toContain(`has nothing of ${wallType} of {service_name="none"} in that span`);
	expect(nothing.status).toBe(1);

	// As Pyroscope keeps what comes by OTLP.
	const asByOtlp = (body: Uint8Array) => {
		const text = gunzipSync(body).toString('latin1').replaceAll('sampling_period', 'sampling.period');
		const renamed = text.replaceAll('thread_state', 'thread.state').replaceAll('\u0005state', '\u0005other');
		return gzipSync(Buffer.from(renamed, 'latin1'));
	};

	const byOtlp: Protocol = {...pyroscope, encode: (...given) => asByOtlp(pyroscope.encode(...given))};
	await push(port, {service_name: 'otlp', thread_state: 'BLOCKED'}, window, byOtlp);
	const blocked = address(`${wallType}{service_name="otlp","thread.state"="BLOCKED"}`);
	const {snapshot: {session, counters}} = await openSaved(blocked);
	expect(session.requestedIntervalMs).toBe(200);
	expect(counters.state.subarray(0, counters.count).every(code => code === stateCode.BLOCKED)).toBe(true);

	// Without our label, the error is unknown, and thread time is in milliseconds.
	const withoutLabel = (body: Uint8Array) => {
		const text = gunzipSync(body).toString('latin1').replaceAll('200ms', '200 s');
		return gzipSync(Buffer.from(text, 'latin1'));
	};

	const stranger: Protocol = {...pyroscope, encode: (...given) => withoutLabel(pyroscope.encode(...given))};
	await push(port, {service_name: 'other'}, window, stranger);
	const other = await runCli('open', address('{service_name="other"}'), '--format', 'csv');
	expect(other.stdout).toMatch(/^taken_at,[^]*\n[^,]*,com\.acme\.sort\.Bubble,swap,Bubble\.java,24,[\d.]+,,/);
	const {snapshot: unknown} = await openSaved(address(`${wallType}{service_name="other",state="BLOCKED"}`));
	expect(ofStates(unknown)).toEqual(['BLOCKED com.acme.db.Pool.take:88 4000 100 NaN']);
});

test('names of classes as in class files have dots, as those of push', async () => {
	const names = new Names();
	const locations = [
		'/usr/lib/x.so.f',
		'com/acme/Job$$Lambda$14+0x7f2c.run',
		'com/acme/Order$$Lambda.0x7f2c.run',
		'com/acme/Order.six',
	];
	const valueType = {type: names.text('cpu'), unit: names.text('nanoseconds')};
	const sample = locations.map((name, index) => ({
		locationId: [names.location(name, {line: index + 1})],
		value: [1e9],
	}));
	const bytes = new Profile({
		sampleType: [valueType], periodType: valueType, period: 1e9, sample, location: names.locations,
		function: names.functions, stringTable: names.strings,
	}).encode();
	const {rows} = queryLines(readPprof(bytes), undefined, defaultQuery);
	expect(rows.every(row => codeKind(row) === 'own')).toBe(true);
	expect(rows.map(row => locationName(row)).sort()).toEqual([
		'/usr/lib/x.so.f:1', 'com.acme.Job$$Lambda.run:2', 'com.acme.Order$$Lambda.run:3', 'com.acme.Order.six:4',
	]);
});

/** What the backend was asked and answered below, in base64. */
type Exchange = ReadonlyArray<
	{readonly path: string; readonly type: string; readonly request: string; readonly answer: string}
>;

const recording = path.join(import.meta.dirname, 'exchange.json');
const exchange = JSON.parse(readFileSync(recording, 'utf8')) as Exchange;

/** Serves the recorded exchange, or records that with the backend behind it. */
async function serveExchange(behind?: string) {
	const recorded = new Map<string, Exchange[number]>();
	const {port} = await serve(async (incoming, body, outgoing) => {
		const request = body.toString('base64');
		const [url, type] = [incoming.url!, incoming.headers['content-type']!];
		let answer = exchange.find(one => one.path === url && one.request === request)?.answer;
		if (behind) {
			const response = await fetch(`http://127.0.0.1:${behind}${url}`, {
				method: 'POST',
				headers: {'content-type': type},
				body,
			});
			answer = Buffer.from(await response.arrayBuffer()).toString('base64');
			recorded.set(url + request, {path: url, type, request, answer});
		}

		outgoing.writeHead(answer === undefined ? 404 : 200, {'content-type': type})
			.end(Buffer.from(answer ?? '', 'base64'));
	});
	return {recorded, port};
}

/** Looks at what the backend has, as text and on the screen. */
async function watchFleet(port: number): Promise<void> {
	const address = `pyroscope://127.0.0.1:${port}/?from=${startedAtMs - 1000}&until=${startedAtMs + 59_000}`;
	const {stdout} = await runCli('open', address);
	expect(stdout.trimEnd().split('\n').map(line => line.trim().replaceAll(/ +/g, ' '))).toEqual([
		'CPU SERVICE LABELS', '20% shop 2 JVMs', '9.8% shop pod=shop-0', '9.8% shop pod=shop-1', '9.8% mail pod=mail-0',
	]);
	const {stdout: filtered} = await runCli('open', address, '--filter', 'mail', '--top', '1');
	expect(filtered).toMatch(/^ *CPU .*\n *9.8% +mail +pod=mail-0\n$/);
	const terminal
		= closedAfterTest(new TerminalSession(process.execPath, [cli, 'open', address, '--compare', 'pod=shop-1'], {
			env: {TZ: 'UTC'},
		}));
	await terminal.until('> ');
	terminal.type('/shop-0\r\r');
	expect(await terminal.until('Bubble.swap:24')).toMatch(/^shop pod=shop-0 .*2023-11-14 22:13-22:14/);
	expect(terminal.text()).toMatch(/\[\d Changes]/);
	await terminal.typeUntil('[', '2023-11-14 22:12-22:13; [ ] move it');
	await terminal.typeUntil('[', /2023-11-14 22:11-22:12: .* has nothing of/);
	await terminal.typeUntil('\u001B', /^2023-11-14 22:13-22:14 .* filter: shop-0/);
	await terminal.typeUntil('[/\u0015\r', /22:12-22:13 .*2 JVMs/);
	terminal.type('q');
	expect(await terminal.ended()).toMatchObject({exitCode: 0});
}

test('a recorded backend\'s services and JVMs are a table, from which one opens', async () => {
	const {port} = await serveExchange();
	await watchFleet(port);
});

test('the backend in Go answers as it was recorded', async ({skip}) => {
	const {port} = await startBackend(builtBackend ?? skip('no Go'));
	for (
		const [service, pod, agoMs] of [['shop', 'shop-0', 0], ['shop', 'shop-1', 0], ['mail', 'mail-0', 0], [
			'shop',
			'shop-0',
			60_000,
		], ['shop', 'shop-1', 60_000]] as const
	) {
		await push(port, {service_name: service, pod}, {
			...window,
			session: {...window.session, startedAtMs: startedAtMs - agoMs},
		});
	}

	const {recorded: all, port: proxy} = await serveExchange(port);
	await watchFleet(proxy);
	// Requests at the same time come in any order.
	const recorded = [...all].toSorted(([a], [b]) => a.localeCompare(b)).map(([, one]) => one);
	if (process.env.RECORD_EXCHANGE) {
		writeFileSync(recording, `${JSON.stringify(recorded, undefined, '\t')}\n`);
	}

	const comparable = (one: Exchange[number]) => ({
		...one,
		answer: one.type === 'application/json'
			? JSON.parse(Buffer.from(one.answer, 'base64').toString()) as unknown
			: one.answer,
	});
	expect(exchange.map(one => comparable(one))).toEqual(expect.arrayContaining(recorded.map(one => comparable(one))));
});

/** Opens the table of a backend that answers this, in a heap of 64 MB. */
async function tableOf(answer: string, parameters = '') {
	const {port} = await serve((_, body, response) => {
		response.socket!.end(`HTTP/1.1 200 OK\r\n${body.includes('"cpu:cpu:') ? '\r\n{}' : answer}`);
	});
	return run(process.execPath, [
		'--max-old-space-size=64',
		cli,
		'open',
		`pyroscope://127.0.0.1:${port}${parameters}`,
	]);
}

test.each([
	[
		'tiny chunks',
		`transfer-encoding: chunked\r\n\r\n${'1\r\n[\r\n'.repeat(1_000_000)}0\r\n\r\n`,
		'gave an answer that is not a Pyroscope\'s',
	],
	['another kind', '\r\n[]', 'gave an answer that is not a Pyroscope\'s'],
	['too much', `\r\n${'['.repeat(2 ** 24)}`, 'sent more than 8 MB'],
])('an answer of %s is refused, before it fills the heap', async (_, answer, problem) => {
	expect(await tableOf(answer)).toMatchObject({status: 1, stderr: expect.stringContaining(problem) as string});
});

test('the largest JVMs are shown, once each, with what they used in the span', async () => {
	const endMs = startedAtMs + 60_000;
	const jvm = (pod: string, value: unknown, atMs = endMs) => ({
		labels: [{name: 'service_name', value: pod}, {name: 'pod', value: pod}],
		points: [{timestamp: atMs, value}],
	});
	const many = Array.from({length: 2001}, (_, pod) => jvm(String(pod), 6e8 + pod));
	const series = [
		...many,
		jvm('a', 1e30),
		jvm('b', '1e999'),
		jvm('c', 1e12, endMs + 60_000),
		jvm('big', 6e10),
		jvm('big', 6e10),
	];
	const {stdout} = await tableOf(`\r\n${JSON.stringify({series})}`, `/?from=${startedAtMs}&until=${endMs}`);
	const lines = stdout.trimEnd().split('\n').map(line => line.trim().replaceAll(/ +/g, ' '));
	expect(lines.slice(0, 3)).toEqual(['CPU SERVICE LABELS', '200% big pod=big', '1.0% 2000 pod=2000']);
	expect(lines.slice(2001)).toEqual(['note: only the 2000 largest JVMs; a query in the address chooses others']);
});

/** The answer to a request for series: one for each set of labels, with a second of CPU time at the end of the span. */
function seriesFor(body: Buffer, labels: ReadonlyArray<Readonly<Record<string, string>>>): string {
	const {profileTypeID, end} = JSON.parse(body.toString()) as {profileTypeID: string; end: string};
	const series = labels.map(of => ({
		labels: Object.entries(of).map(([name, value]) => ({name, value})),
		points: [{timestamp: Number(end) - 1, value: 1e9}],
	}));
	return JSON.stringify({series: profileTypeID.startsWith('process_cpu') ? series : []});
}

test('headers go to no other backend than the opened one', async () => {
	const received: Array<string | undefined> = [];
	const answer = Buffer.from(writePprof(whole, '1.0.0'));
	const served = await Promise.all([1, 2].map(async () => serve(({headers, url}, body, response) => {
		if (url!.endsWith('SelectSeries')) {
			response.end(seriesFor(body, [{}]));
		} else {
			received.push(headers.authorization);
			response.end(answer);
		}
	})));
	const [a, b] = served.map(({port}) => `pyroscope://0.0.0.0:${port}/?query={a="b"}`);
	const file = path.join(folderForTest(), 'headers');
	writeFileSync(file, 'Authorization: Bearer one');
	const [warningA, warningB] = served.map(({port}) =>
		`tprof-top: the headers are sent unencrypted to 0.0.0.0:${port}; an https address would hide them\n`);
	const both = await runCli('open', a, '--compare', b, '--headers', file);
	expect(both).toMatchObject({
		status: 0,
		stderr: warningA,
		stdout: expect.stringContaining(`Changes, against ${b}`) as string,
	});
	expect(received).toEqual([undefined, 'Bearer one']);
	const saved = path.join(import.meta.dirname, '../fixtures/exports/shop-jdk17.pb.gz');
	expect(await runCli('open', saved, '--compare', b, '--headers', file)).toMatchObject({status: 0, stderr: warningB});
	expect(received).toEqual([undefined, 'Bearer one', 'Bearer one']);
});

test('a request that failed is said, also one for the span before, and asked again; Esc ends one', async () => {
	const isOfSpan = new VarintWriter();
	isOfSpan.number(3 << 3);
	isOfSpan.number(startedAtMs);
	const shown = Buffer.from(isOfSpan.take());
	let isShown = false;
	/** What a request for a profile is answered with, if anything. */
	let statusFor = (_isOfShown: boolean): number | undefined => 500;
	const {port} = await serve(async ({url}, body, response) => {
		const status = statusFor(body.includes(shown));
		if (url!.endsWith('SelectSeries')) {
			isShown ||= await terminal.until('tprof-top: asking 127.0.0.1:') !== '';
			response.end(seriesFor(body, [{pod: 'a'}, {pod: 'b'}]));
		} else if (status) {
			response.writeHead(status).end(writePprof(whole, '1.0.0'));
		}
	});
	const terminal
		= closedAfterTest(new TerminalSession(process.execPath, [
			cli,
			'open',
			`pyroscope://127.0.0.1:${port}/?from=${startedAtMs}&until=${startedAtMs + 60_000}`,
		], {env: {TZ: 'UTC'}}));
	await terminal.until('>3.3%');
	await terminal.typeUntil('\r', /^http:.* answered 500/m);
	statusFor = () => undefined;
	await terminal.typeUntil('\r', 'asking the backend');
	await terminal.typeUntil('\u001B', '22:13-22:14; [ ] move it');
	statusFor = isOfShown => isOfShown ? 200 : 500;
	await terminal.typeUntil('\r', '22:13-22:14; nothing to compare with: http');
	await terminal.typeUntil('[', /22:12-22:13: .*answered 500/);
	statusFor = () => 200;
	await terminal.typeUntil('[', '22:12-22:13; [ ] move it');
});
