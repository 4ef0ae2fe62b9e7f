/**
A worker whose first sample is in the table before it names its engine, which it does at the first message. At the
second it publishes another sample, and ends in a third with the lock held.
*/
import process from 'node:process';
import {parentPort, workerData} from 'node:worker_threads';
import {safe} from '../../source/util/printable.js';
import {Sample} from '../../source/model/sample.js';
import type {Report, WorkerInput} from '../../source/sampler/messages.js';
import {tableHeader, word} from '../../source/table/table-layout.js';
import {acquireLock} from '../../source/table/lock.js';
import {TableWriter} from '../../source/table/writer.js';
import {zeroFigures} from '../table/sample-maker.js';

const {table} = workerData as WorkerInput;
const writer = new TableWriter(table);
const sample = new Sample();
sample.addThread(1, 1, safe`main`);
writer.count(sample, 1, zeroFigures);
parentPort!.postMessage({kind: 'sampling'} satisfies Report);
parentPort!.once('message', () => {
	parentPort!.postMessage({kind: 'opened', engine: safe`memory`} satisfies Report);
	parentPort!.once('message', () => {
		writer.count(sample, 2, zeroFigures);
		acquireLock(tableHeader(table), 1000);
		tableHeader(table)[word.generation]++;
		process.exit(1);
	});
});
