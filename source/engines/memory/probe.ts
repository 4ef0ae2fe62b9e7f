import type {Target} from '../../jvm/target.js';
import type {Probe} from '../engine.js';
import {explain, platformObstacle, stopObstacle} from './obstacles.js';
import {openJvm} from './open.js';

/**
Whether a JVM can be read from outside: opens it just as a session would, and closes it again. The JVM notices nothing.
*/
export async function probe(target: Target): Promise<Probe> {
	const platform = platformObstacle();
	if (platform) {
		return {ready: false, ...platform};
	}

	try {
		const {memory, ptrace, note} = openJvm(target.pid);
		memory.close();
		const obstacle = ptrace && stopObstacle(target, ptrace);
		if (obstacle) {
			return {ready: false, ...obstacle};
		}

		return ptrace ? {ready: true, note} : {ready: true, note, lacks: 'it cannot see what running threads do: the koffi package does not load here'};
	} catch (error) {
		return {ready: false, ...explain(target, error)};
	}
}
