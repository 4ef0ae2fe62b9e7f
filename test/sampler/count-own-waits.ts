/** Samples a JVM (pid, samples) and prints in how many rows a thread waited for another, and for itself. */
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {Sample} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';

const [pid, samples] = process.argv.slice(2).map(Number);
const found = identify(pid);
if (!found.ok) {
	throw new Error(found.reason);
}

const session = await memoryEngine.open(found.target, {depth: Infinity}, new SnapshotBuilder());
const sample = new Sample();
let [forOthers, forItself] = [0, 0];
for (let number = 0; number < samples; number++) {
	await sleep(5);
	await session.sample(sample);
	for (const [row, owner] of sample.lockOwner.subarray(0, sample.count).entries()) {
		forItself += owner === row ? 1 : 0;
		forOthers += owner >= 0 && owner !== row ? 1 : 0;
	}
}

await session.close();
console.log(JSON.stringify({forOthers, forItself}));
