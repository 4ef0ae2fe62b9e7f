import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import type {Jdk} from './jvm.js';

export const isRoot = process.geteuid!() === 0;
/** Options of unshare(1) with which a user who is not root is root in a user namespace (user_namespaces(7)). */
export const rootless: readonly string[] = isRoot ? [] : ['--user', '--map-root-user'];

/**
Why the kernel makes no namespaces of these options for us, in its words; undefined if it does. Throws if anything but
rights, or the program that makes namespaces, is missing: nothing else may leave tests out.
*/
export function namespaceRefusal(options: readonly string[]): string | undefined {
	const {status, error, stderr} = spawnSync('unshare', [...options, 'true'], {encoding: 'utf8'});
	if (status === 0) {
		return undefined;
	}

	const refusal = (error?.message ?? stderr).trim().split('\n')[0];
	if (!/not permitted|denied|enoent/i.test(refusal)) {
		throw new Error(`unshare ${options.join(' ')}: ${refusal}`);
	}

	return refusal;
}

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
		[
			'unshare',
			'--mount',
			'sh',
			'-c',
			'mount --bind "$0" /mnt && exec "$@"',
			home,
			...asOtherUser,
			...readingAll,
			'/mnt/bin/java',
		],
	];
	const way = ways.find(([command, ...args]) => spawnSync(command, [...args, '-version']).status === 0);
	if (!way) {
		throw new Error(`user ${otherUser.uid} cannot run ${java} in any way`);
	}

	return way;
}

/** A command with setpriv that also gives a capability, if none yet: to listen at ports below 1024, as systemd does. */
export function withCapability(command: readonly string[]): string[] {
	if (command.includes('--ambient-caps')) {
		return [...command];
	}

	const capability = '+net_bind_service';
	const at = command.indexOf('--reuid');
	return [...command.slice(0, at), '--inh-caps', capability, '--ambient-caps', capability, ...command.slice(at)];
}
