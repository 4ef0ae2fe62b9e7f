import type {Engine} from '../common/engine.js';

/**
Samples by thread dumps, each of which stops all threads. Works with any HotSpot JVM of the same user, or of any user as
root.
*/
export const attachEngine: Engine = {
	id: 'attach',
	defaultIntervalMs: 200,
	needsAttachSocket: true,
	async check(target) {
		const {inspect} = await import('../../jvm/discovery/inspect.js');
		return inspect(target.pid).obstacle;
	},
	async open(target, options, interner) {
		const {AttachSession} = await import('./attach-session.js');
		return new AttachSession(target, options, interner);
	},
};
