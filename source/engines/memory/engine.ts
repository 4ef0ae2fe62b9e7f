import type {Engine} from '../common/engine.js';

/**
Reads stacks from another process, from HotSpot's own structures: no safepoint, no agent, no attach. Linux x86-64 only,
with the rights of a debugger.
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
