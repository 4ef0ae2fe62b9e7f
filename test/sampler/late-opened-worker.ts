/** A worker whose first sample is in the table before it names its engine, which it does when told anything. */
import {parentPort, workerData} from 'node:worker_threads';
import {fromNames, select} from '../../source/model/column-types.js';
import {Sample} from '../../source/model/sample.js';
import {clockFigures, sessionFigures} from '../../source/model/schema.js';
import type {Report, WorkerInput} from '../../source/sampler/messages.js';
import {TableWriter} from '../../source/table/writer.js';

const {table} = workerData as WorkerInput;
const writer = new TableWriter(table);
const sample = new Sample();
sample.addThread(1, 1, 'main');
writer.count(sample, 1, fromNames([...select(sessionFigures, {by: 'sampler'}), ...select(clockFigures, {by: 'sampler'})], () => 1));
parentPort!.postMessage({kind: 'sampling'} satisfies Report);
parentPort!.once('message', () => {
	parentPort!.postMessage({kind: 'opened', engine: 'memory'} satisfies Report);
});
