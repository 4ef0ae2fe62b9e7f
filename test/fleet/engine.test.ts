import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {expect, test} from 'vitest';
import {openSaved} from '../../source/commands/recording.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {otlp} from '../../source/fleet/otlp.js';
import {post} from '../../source/fleet/post.js';
import {pyroscope} from '../../source/fleet/pyroscope.js';
import type {Protocol} from '../../source/fleet/sender.js';
import {locationName} from '../../source/query/counters/location.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {folderForTest, spawnForTest} from '../helpers/for-test.js';
import {goProgram} from '../helpers/run.js';
import {
	decodeOtlp, decodePush, labels, windows, type Decoded,
} from './decode.js';

/** An engine of Pyroscope's and OpenTelemetry's own code; undefined where Go or its modules are not to be had. */
function builtEngine(): string | undefined {
	const program = path.join(folderForTest(), 'engine');
	const {status, stderr} = spawnSync(goProgram() ?? 'go', ['build', '-o', program, '.'], {cwd: path.join(import.meta.dirname, 'engine'), encoding: 'utf8', timeout: 180_000});
	if (status !== 0) {
		process.stderr.write(`no engine in Go: ${stderr ?? 'no go'}\n`);
	}

	return status === 0 ? program : undefined;
}

test('Pyroscope\'s and OpenTelemetry\'s own code read the same', async ({skip}) => {
	const program = builtEngine() ?? skip('no Go');
	const engine = spawnForTest(program, [], {stdio: ['ignore', 'pipe', 'pipe']});
	const printed: string[] = [];
	createInterface(engine.stdout!).on('line', line => {
		printed.push(line);
	});
	const port = await new Promise<string>(resolve => {
		engine.stderr!.once('data', (data: Buffer) => {
			resolve(data.toString().trim());
		});
	});
	const send = async (protocol: Protocol, decode: (body: Uint8Array) => Decoded[], at: string) => {
		for (const window of Object.values(windows)) {
			const body = protocol.encode(window, labels);
			printed.length = 0;
			const url = protocol.urlOf(new URL(`http://127.0.0.1:${port}${at}`));
			expect(await post(url, {
				body, headers: protocol.headers, hasCredentials: false, timeoutMs: 10_000, signal: new AbortController().signal,
			})).toMatchObject({kind: 'accepted'});
			const expected = decode(body);
			await expect.poll(() => printed.length).toBe(expected.length);
			expect(printed.map(line => JSON.parse(line) as Decoded)).toEqual(expected);
		}
	};

	await send(pyroscope, decodePush, '');
	await send(otlp, decodeOtlp, '/v1development/profiles');

	const {first, whole} = serviceSnapshots();
	const window = windowSnapshot(whole, first);
	const sent = pyroscope.encode(window, labels);
	await post(pyroscope.urlOf(new URL(`http://127.0.0.1:${port}`)), {
		body: sent, headers: pyroscope.headers, hasCredentials: false, timeoutMs: 10_000, signal: new AbortController().signal,
	});
	const {snapshot} = await openSaved(`pyroscope://127.0.0.1:${port}/?query={service_name="shop"}&from=1700000000&until=1700000060000`);
	await expect.poll(() => printed.at(-1)).toBe(String.raw`{"Labels":{"selector":"{service_name=\"shop\"}"},"Type":"process_cpu:cpu:nanoseconds:cpu:nanoseconds","Period":60000,"Start":1700000000000,"Stacks":null}`);
	const cpuByLine = (lines: ReturnType<typeof queryLines>) => lines.rows.filter(({line, selfCpuNs}) => line >= 0 && selfCpuNs > 0).map(row => [locationName(row), row.selfCpuNs]);
	expect(cpuByLine(queryLines(snapshot, undefined, defaultQuery))).toEqual(cpuByLine(queryLines(whole, first, defaultQuery)));
	expect(snapshot.session).toMatchObject({startedAtMs: 1_700_000_000_000, durationMs: 60_000});
});
