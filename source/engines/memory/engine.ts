import type {Engine} from '../engine.js';

/**
Reads stacks from outside the process, from HotSpot's own structures: no safepoint, no agent, no attach. Only on Linux
x86-64, with the rights of a debugger.
*/
export const memoryEngine: Engine = {
	id: 'memory',
	// A sample of 200 threads takes some milliseconds of ours and some microseconds of theirs.
	defaultIntervalMs: 20,
	needsAttachSocket: false,
	async probe(target, options) {
		const {probe} = await import('./probe.js');
		return probe(target, options);
	},
	async open(target, options, interner) {
		const {start} = await import('./start.js');
		return start(target, options, interner);
	},
};
