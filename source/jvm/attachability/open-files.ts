import {readdirSync, statSync} from 'node:fs';
import {attempt, readProc} from '../system/proc.js';
import {type Obstacle, obstacles} from '../obstacles.js';

/**
Returns why a JVM cannot take a connection now: it has no file descriptor left; undefined if it has, or if that is
unknown. HotSpot's attach listener ends if it gets none, and later clients wait in vain.
*/
export function openFilesObstacle(pid: number): Obstacle | undefined {
	// The soft limit, or `unlimited` (proc(5)).
	const limit = Number(/^Max open files +(\d+)/m.exec(readProc(pid, 'limits') ?? '')?.[1] ?? Infinity);
	return usedDescriptors(pid) >= limit ? obstacles.outOfFiles(pid, limit) : undefined;
}

/**
Returns the number of descriptors in use: since Linux 6.2 the size of the folder. The list, which serves before, lacks
the one that a waiting accept(2) has reserved.
*/
function usedDescriptors(pid: number): number {
	const folder = `/proc/${pid}/fd`;
	return attempt(() => {
		const {size} = statSync(folder);
		return size > 0 ? size : readdirSync(folder).length + 1;
	}, 0);
}
