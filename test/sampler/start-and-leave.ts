/** Takes some samples of a JVM (its pid is the argument), closes the session, and has nothing left to do. */
import process from 'node:process';
import {startSampler} from '../../source/sampler/handle.js';
import {identify} from '../../source/jvm/discovery/inspect.js';

const [pid, workerUrl] = process.argv.slice(2);
const found = identify(Number(pid));
if (!found.ok) {
	throw new Error(found.reason);
}

const sampler = startSampler({
	target: found.target, engine: 'auto', depth: Infinity, maxOverheadPercent: 100, intervalMs: 20, workerUrl: new URL(workerUrl),
});
await new Promise<void>(resolve => {
	const timer = setInterval(() => {
		if ((sampler.read()?.session.samples ?? 0) >= 3) {
			clearInterval(timer);
			resolve();
		}
	}, 10);
});
await sampler.close();
console.log('closed');
