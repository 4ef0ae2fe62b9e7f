import {spawnSync} from 'node:child_process';
import process from 'node:process';

export const isRoot = process.geteuid!() === 0;
/**
Options of unshare(1) for who is not root: in a user namespace of its own (user_namespaces(7)) a program is root, as in
rootless containers.
*/
export const rootless: readonly string[] = isRoot ? [] : ['--user', '--map-root-user'];

/** Why the kernel makes no namespaces of these options for us, in its words; undefined if it does. */
export function namespaceRefusal(options: readonly string[]): string | undefined {
	const {status, error, stderr} = spawnSync('unshare', [...options, 'true'], {encoding: 'utf8'});
	return status === 0 ? undefined : (error?.message ?? stderr).trim().split('\n')[0];
}

/**
What a refusal must look like where a test is skipped for it: rights that are missing, or the program that makes them.
*/
export const missingRights = /not permitted|denied|enoent/i;
