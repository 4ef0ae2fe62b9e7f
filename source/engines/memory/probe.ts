import type {Target} from '../../jvm/target.js';
import type {EngineOptions, Probe} from '../engine.js';
import {explain, platformObstacle, stopObstacle} from './obstacles.js';
import {openJvm} from './open.js';
import {allowedEvents} from './timer/open.js';

/**
Whether a JVM can be read from outside: opens it just as a session would, and closes it again. The JVM notices nothing.
What keeps its threads from being stopped does not matter where that is not needed.
*/
export async function probe(target: Target, {timer = 'stop'}: Pick<EngineOptions, 'timer'> = {}): Promise<Probe> {
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

		return ptrace ? {ready: true, note} : {ready: true, note, lacks: 'it cannot see what running threads do: the koffi package does not load here'};
	} catch (error) {
		return {ready: false, ...explain(target, error)};
	}
}
