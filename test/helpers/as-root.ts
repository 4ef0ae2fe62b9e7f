import {spawnSync} from 'node:child_process';
import process from 'node:process';

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
