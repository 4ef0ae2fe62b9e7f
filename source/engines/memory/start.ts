import type {Interner} from '../../model/frame.js';
import type {Target} from '../../jvm/target.js';
import {
	SessionOver, type EngineOptions, type EngineSession, type Readiness,
} from '../engine.js';
import {explain, platformObstacle, stopObstacle} from './obstacles.js';
import {openJvm, type Opened} from './open.js';
import {MemorySession} from './session.js';
import {allowedEvents} from './timer/open.js';

/**
Whether a JVM can be read from outside: opens and closes it as a session would, unnoticed by the JVM. Obstacles to
stopping threads count only if threads must be stopped.
*/
export async function check(target: Target, {timer = 'stop'}: Pick<EngineOptions, 'timer'> = {}): Promise<Readiness> {
	const platform = platformObstacle();
	if (platform) {
		return {ready: false, ...platform};
	}

	try {
		const {memory, ptrace, perf, note} = openJvm(target.pid);
		memory.close();
		const hasEvents = timer !== 'stop' && perf && allowedEvents(perf, target.pid).refusal === undefined;
		const obstacle = ptrace && !hasEvents && stopObstacle(target, ptrace);
		if (obstacle) {
			return {ready: false, ...obstacle};
		}

		return ptrace ? {ready: true, note} : {ready: true, note, lacks: 'it cannot see what running threads do: koffi does not load here'};
	} catch (error) {
		return {ready: false, ...explain(target, error)};
	}
}

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
