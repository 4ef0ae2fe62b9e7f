import {spawnSync} from 'node:child_process';
import path from 'node:path';
import type {Jdk} from './jvm.js';

/** The user and group "nobody" of most systems; any that is not ours serves. */
export const otherUser = {uid: 65_534, gid: 65_534};

const asOtherUser = ['setpriv', '--reuid', String(otherUser.uid), '--regid', String(otherUser.gid), '--clear-groups'];
const readingAll = ['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];

/**
Command line with which root starts a JDK's java as that user, up to java itself. Where the JDK's folder is closed to
others, java may read everything, and where that is not enough also finds its JDK at /mnt (in its mounts alone).
*/
export function javaAsOtherUser({home}: Jdk): string[] {
	const java = path.join(home, 'bin/java');
	const ways = [
		[...asOtherUser, java],
		[...asOtherUser, ...readingAll, java],
		['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /mnt && exec "$@"', home, ...asOtherUser, ...readingAll, '/mnt/bin/java'],
	];
	const way = ways.find(([command, ...args]) => spawnSync(command, [...args, '-version']).status === 0);
	if (!way) {
		throw new Error(`user ${otherUser.uid} cannot run ${java} in any way`);
	}

	return way;
}
