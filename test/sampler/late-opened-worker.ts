/**
A sampler's worker whose first sample is in the table before it says which engine takes them; it does when told anything.
*/
import {parentPort, workerData} from 'node:worker_threads';
import {Sample} from '../../source/model/sample.js';
import type {Report, WorkerInput} from '../../source/sampler/messages.js';
import {TableWriter} from '../../source/table/writer.js';

const {table} = workerData as WorkerInput;
const writer = new TableWriter(table);
const sample = new Sample();
sample.addThread(1, 1, writer.internString('main'));
writer.count(sample, 1, {
	requestedIntervalMs: 1, intervalMs: 1, startedAtMs: 1, durationMs: 1, countedAtMs: 0, nextAtMs: 0, sampledMs: 0, refusedThreads: 0, lateThreads: 0, late: 0, failed: 0, targetStoppedMs: 0, pauseP50Us: 0, pauseP99Us: 0, pauseWorstUs: 0,
});
parentPort!.postMessage({kind: 'sampling'} satisfies Report);
parentPort!.once('message', () => {
	parentPort!.postMessage({kind: 'opened', engine: 'memory', note: ''} satisfies Report);
});
