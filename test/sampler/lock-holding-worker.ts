/** A worker that counts one sample, publishes another, and ends in a third with the lock held. */
import process from 'node:process';
import {parentPort, workerData} from 'node:worker_threads';
import {Sample} from '../../source/model/sample.js';
import type {Report, WorkerInput} from '../../source/sampler/messages.js';
import {headerWords, word} from '../../source/table/layout.js';
import {acquireLock} from '../../source/table/lock.js';
import {TableWriter} from '../../source/table/writer.js';

const {table} = workerData as WorkerInput;
const writer = new TableWriter(table);
const sample = new Sample();
sample.addThread(1, 1, 'main');
const figures = {
	requestedIntervalMs: 1, intervalMs: 1, cpuIntervalMs: 1, startedAtMs: 1, durationMs: 1, countedAtMs: 0, nextAtMs: 0, sampledMs: 0, refusedThreads: 0, lateThreads: 0, late: 0, failed: 0, targetStoppedMs: 0, targetInterruptedMs: 0, unattributedReason: 0, virtualThreads: 0, virtualSeenPercent: 0, pauseP50Us: 0, pauseP99Us: 0, pauseWorstUs: 0,
};
writer.count(sample, 1, figures);
parentPort!.postMessage({kind: 'opened', engine: 'none'} satisfies Report);
parentPort!.postMessage({kind: 'sampling'} satisfies Report);
parentPort!.once('message', () => {
	writer.count(sample, 2, figures);
	acquireLock(headerWords(table), 1000);
	headerWords(table)[word.generation]++;
	process.exit(1);
});
