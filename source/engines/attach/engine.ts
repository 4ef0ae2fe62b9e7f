import {inspect} from '../../jvm/identity/inspect.js';
import type {Target} from '../../jvm/target.js';
import type {Engine, Probe} from '../engine.js';
import {AttachSession} from './session.js';

/**
Thread dumps through HotSpot's attach socket: any HotSpot JVM of the same user, or as root; stops all threads for each
sample.
*/
export const attachEngine: Engine = {
	id: 'attach',
	defaultIntervalMs: 200,
	async probe(target: Target): Promise<Probe> {
		const {obstacle} = inspect(target.pid);
		return obstacle ? {ready: false, ...obstacle} : {ready: true};
	},
	async open(target, options, interner) {
		return new AttachSession(target, options, interner);
	},
};
