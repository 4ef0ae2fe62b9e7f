import type {Engine} from '../common/engine.js';

/**
Reads stacks from HotSpot's own structures in the target's memory: no safepoint, no agent, no attach. Linux x86-64 only;
requires a debugger's permissions.
*/
export const memoryEngine: Engine = {
	id: 'memory',
	defaultIntervalMs: 20,
	needsAttachSocket: false,
	async check(target, options) {
		const {check} = await import('./start.js');
		return check(target, options);
	},
	async open(target, options, interner) {
		const {start} = await import('./start.js');
		return start(target, options, interner);
	},
};
