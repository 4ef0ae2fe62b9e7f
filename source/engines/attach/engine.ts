import type {Engine} from '../common/engine.js';

/**
Thread dumps through HotSpot's attach socket: any HotSpot JVM of the same user, or as root; stops all threads for each
sample.
*/
export const attachEngine: Engine = {
	id: 'attach',
	defaultIntervalMs: 200,
	needsAttachSocket: true,
	async check(target) {
		const {inspect} = await import('../../jvm/discovery/inspect.js');
		const {obstacle} = inspect(target.pid);
		return obstacle ? {ready: false, ...obstacle} : {ready: true};
	},
	async open(target, options, interner) {
		const {AttachSession} = await import('./session.js');
		return new AttachSession(target, options, interner);
	},
};
