/** Closes a session whose worker hangs opening a pipe (the argument) that nobody writes to. */
import process from 'node:process';
import {startSampler} from '../../source/sampler/handle.js';
import {noTarget} from '../helpers/jvm.js';

const [pipe] = process.argv.slice(2);
const code = `
	import {parentPort} from 'node:worker_threads';
	import {openSync} from 'node:fs';
	parentPort.postMessage({kind: 'sampling'});
	openSync(${JSON.stringify(pipe)});
`;
const sampler = startSampler({
	target: noTarget,
	engine: 'auto',
	depth: Infinity,
	maxOverheadPercent: 100,
	workerUrl: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
});
await new Promise<void>(resolve => {
	sampler.onChange(resolve);
});
await sampler.close();
console.log(sampler.status().phase);
