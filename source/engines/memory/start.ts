import type {Interner} from '../../model/frame.js';
import type {Target} from '../../jvm/target.js';
import {SessionOver, type EngineOptions, type EngineSession} from '../engine.js';
import {explain} from './obstacles.js';
import {openJvm, type Opened} from './open.js';
import {MemorySession} from './session.js';

/** Opens a session on a JVM. Throws SessionOver, and then leaves nothing open. */
export function start(target: Target, options: EngineOptions, interner: Interner): EngineSession {
	let opened: Opened | undefined;
	try {
		opened = openJvm(target.pid);
		return new MemorySession(target, options, interner, opened);
	} catch (error) {
		opened?.memory.close();
		if (error instanceof SessionOver) {
			throw error;
		}

		const {reason, ...help} = explain(target, error);
		throw new SessionOver(reason, {targetEnded: false, ...help});
	}
}
