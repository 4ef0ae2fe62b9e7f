/*
What the counts of a session take in memory while threads take ever new names: twelve hours in as many minutes or less.
A hundred threads at a hundred stacks, of which ten work; 15 names that were never there are read each second, as of
test/programs/NewNames.java. Table, reader and the ring of the past are those of a session; nothing is drawn. A line an
hour: live data after a full collection, in it the ring, of which windows of ten seconds are kept for a day by design.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {fromNames, select} from '../source/model/column-types.js';
import {Sample} from '../source/model/sample.js';
import {clockFigures, sessionFigures} from '../source/model/schema.js';
import {stateCode} from '../source/model/thread-state.js';
import {addToRing, emptyRing, type Ring} from '../source/query/past/ring.js';
import {countWord, createTable, headerWords} from '../source/table/layout.js';
import {TableReader} from '../source/table/reader.js';
import {TableWriter} from '../source/table/writer.js';

const hours = Number(process.argv[2] ?? 12);
const threads = 100;
const busy = 10;
const namesPerSecond = 15;
const samplesPerSecond = 10;
const mega = 1024 * 1024;
const startMs = 1_700_000_000_000;

const figures = fromNames([...select(sessionFigures, {by: 'sampler'}), ...select(clockFigures, {by: 'sampler'})], () => 1);

/** Collects until what waits for its finalizer is gone, too. */
async function settled(): Promise<void> {
	for (let times = 0; times < 5; times++) {
		globalThis.gc!();
		await sleep(20);
	}
}

async function main(): Promise<void> {
	const table = createTable();
	const writer = new TableWriter(table);
	const reader = new TableReader(table);
	const sample = new Sample();
	const frames = Array.from({length: threads}, (_, thread) => writer.internFrame(writer.internString('com.acme.Main'), writer.internString(`method${thread}`), 0, thread));
	const names = Array.from({length: threads}, (_, thread) => `request of customer ${thread}`);
	const words = headerWords(table);
	let ring: Ring = emptyRing;
	let [number, turn] = [threads, 0];
	console.log('hour   live MB   of it ring   names read   places of names, bytes');
	for (let second = 1; second <= hours * 3600; second++) {
		for (let read = 0; read < namesPerSecond; read++) {
			// The names of those that work are read each second, those of the others in turn.
			const thread = read < busy ? read : busy + (turn++ % (threads - busy));
			names[thread] = `request of customer ${number++ * 7}`;
		}

		for (let count = 0; count < samplesPerSecond; count++) {
			const atMs = startMs + (second * 1000) + (count * 100);
			sample.clear();
			for (let thread = 0; thread < threads; thread++) {
				const row = sample.addThread(thread + 1, thread + 1, names[thread]);
				sample.addFrame(frames[thread]);
				const isBusy = thread < busy;
				sample.state[row] = isBusy && count % 5 === 0 ? stateCode.RUNNABLE : stateCode.WAITING;
				sample.cpuNs[row] = isBusy ? 250_000 + ((second * 7919) % 1000) : 0;
				sample.placedCpuNs[row] = sample.cpuNs[row];
			}

			writer.count(sample, atMs, {...figures, startedAtMs: startMs, durationMs: second * 1000, sampledMs: second * 1000});
		}

		const image = reader.read(1000)!;
		ring = addToRing(ring, {
			...image,
			target: {
				pid: 1, mainClass: '', command: '', jvmVersion: '', vm: '', user: '', startedAtMs: 0,
			},
			session: {
				...image.figures, engine: 'memory', timer: '', takenAtMs: startMs + (second * 1000) + 950, selfCpuMs: 0,
			},
		}, {});
		if (second % 3600 === 0 || second === 600) {
			await settled();
			const {heapUsed, arrayBuffers} = process.memoryUsage();
			const hour = (second / 3600).toFixed(second < 3600 ? 2 : 0).padStart(4);
			console.log(`${hour}   ${((heapUsed + arrayBuffers) / mega).toFixed(2).padStart(7)} = ${(heapUsed / mega).toFixed(2)} + ${(arrayBuffers / mega).toFixed(2)}   ${(ring.bytes / mega).toFixed(2).padStart(10)}   ${String(number - threads).padStart(10)}   ${words[countWord.names]}, ${words[countWord.nameBytes]}`);
		}
	}
}

await main();
