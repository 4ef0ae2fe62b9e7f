import {spawnSync} from 'node:child_process';
import path from 'node:path';
import type {Jdk} from './jvm.js';

/** The user and group "nobody" of most systems; any that is not ours serves. */
export const otherUser = {uid: 65_534, gid: 65_534};

const asOtherUser = ['setpriv', '--reuid', String(otherUser.uid), '--regid', String(otherUser.gid), '--clear-groups'];
const readingAll = ['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];

/** How root runs a JDK's java as that user: with the right to read all, or the JDK at /mnt, if its folder is closed. */
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
