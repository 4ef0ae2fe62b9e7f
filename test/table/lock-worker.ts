/** Second thread of the lock's tests: what it does is in `workerData`. */
import {parentPort, workerData} from 'node:worker_threads';
import {Sample} from '../../source/model/sample.js';
import {tableHeader} from '../../source/table/table-layout.js';
import {acquireLock, releaseLock} from '../../source/table/lock.js';
import {TableWriter} from '../../source/table/writer.js';
import {drawInto, renamed, zeroFigures} from './sample-maker.js';

const {role, table, counters, rounds, spins} = workerData as {
	role: 'increment' | 'hold' | 'write';
	table: SharedArrayBuffer;
	counters: SharedArrayBuffer;
	rounds: number;
	spins?: number;
};
const words = tableHeader(table);

switch (role) {
	case 'increment': {
		const plain = new Int32Array(counters);
		parentPort!.postMessage('ready');
		for (let round = 0; round < rounds; round++) {
			if (!acquireLock(words, 60_000, spins)) {
				throw new Error('lock not free in time');
			}

			// Not atomic on purpose: only the lock keeps the two threads from losing each other's increments.
			for (const index of plain.keys()) {
				plain[index]++;
			}

			releaseLock(words);
		}

		break;
	}

	// Until it is told to release the lock, or terminated.
	case 'hold': {
		acquireLock(words, 60_000);
		parentPort!.postMessage('held');
		parentPort!.once('message', () => {
			releaseLock(words);
			parentPort!.close();
		});
		break;
	}

	case 'write': {
		const writer = new TableWriter(table);
		const sample = new Sample();
		parentPort!.postMessage('ready');
		// Each sample has ten threads with one nanosecond each, new stacks among them, and names that they never had.
		for (let round = 0; round < rounds; round++) {
			const threads = Array.from({length: 10}, (_, row) => ({
				key: 1 + ((round + row) % 500),
				name: renamed(1 + ((round + row) % 500), round + 1),
				cpuNs: 1,
				state: 2,
				frames: [`C.m${(round * row) % 3000}`, `D.n${row}`],
				lock: {kind: 1, className: 'L', owner: -1},
			}));
			if (!writer.count(drawInto(sample, threads, writer), round + 1, zeroFigures)) {
				throw new Error('lock not free in time');
			}
		}

		break;
	}
}
