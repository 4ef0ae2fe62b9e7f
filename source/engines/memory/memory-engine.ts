import type {Engine} from '../common/engine.js';

/** Samples by reading HotSpot's structures in the target's memory, with a debugger's rights: no safepoint, no agent. */
export const memoryEngine: Engine = {
	id: 'memory',
	defaultIntervalMs: 20,
	needsAttachSocket: false,
	canOnlyRead: true,
	async check(target, options) {
		const {check} = await import('./start.js');
		return check(target, options);
	},
	async open(target, options, interner) {
		const {start} = await import('./start.js');
		return start(target, options, interner);
	},
};
