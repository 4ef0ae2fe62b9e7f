/**
A program that closes a session whose worker hangs in a system call: opening a pipe (the argument) that nobody writes
to. Exits with 5 when that is over.
*/
import process from 'node:process';
import {startSampler} from '../../source/sampler/handle.js';

const [pipe] = process.argv.slice(2);
const code = `
	import {parentPort} from 'node:worker_threads';
	import {openSync} from 'node:fs';
	parentPort.postMessage({kind: 'sampling'});
	openSync(${JSON.stringify(pipe)});
`;
const sampler = startSampler({
	target: {
		pid: 1, nsPid: 1, uid: 0, gid: 0, startTicks: 0, jdk: 17,
		facts: {
			pid: 1, mainClass: '', command: '', jvmVersion: '', vm: '', user: '', startedAtMs: 0,
		},
	},
	engine: 'auto', depth: Infinity, maxOverheadPercent: 100, workerUrl: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
});
await new Promise<void>(resolve => {
	sampler.onChange(resolve);
});
await sampler.close();
console.log(sampler.status().phase);
process.exitCode = 5;
