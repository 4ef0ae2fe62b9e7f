import {SessionOver, type Engine} from '../engine.js';
import {explain} from './obstacles.js';
import {openJvm, type Opened} from './open.js';
import {probe} from './probe.js';
import {MemorySession} from './session.js';

/**
Default time between samples: a sample of 200 threads takes some milliseconds of ours and some microseconds of theirs.
*/
const defaultIntervalMs = 20;

/**
Reads stacks from outside the process, out of HotSpot's own structures: no safepoint, no agent, no attach. Linux on
x86-64, with the rights of a debugger.
*/
export const memoryEngine: Engine = {
	id: 'memory',
	defaultIntervalMs,
	probe,
	async open(target, options, interner) {
		let opened: Opened | undefined;
		try {
			opened = openJvm(target.pid);
			return new MemorySession(target, options, interner, opened);
		} catch (error) {
			opened?.memory.close();
			const {reason, hint} = explain(target, error);
			throw new SessionOver(reason, {targetEnded: false, hint});
		}
	},
};
