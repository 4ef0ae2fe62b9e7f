import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {namespaceRefusal, rootless} from './as-root.js';
import {atTestEnd, programForTest} from './for-test.js';
import type {JavaProcess} from './jvm.js';

const unshare = [...rootless, '--mount'];

/** Why no chroot can be made here; undefined if one can. */
export const chrootRefusal = namespaceRefusal(unshare);

/** What a program needs to see of the system; binds of its folders, in mounts of its own. */
const shared = ['bin', 'sbin', 'lib', 'lib64', 'usr', 'etc', 'proc', 'dev', 'root', 'home'];
const enter = `
root=$1 outside=$2; shift 2
for folder in ${shared.join(' ')}; do [ -d /$folder ] && mkdir -p $root/$folder && mount --rbind /$folder $root/$folder; done
[ -d $root/srv ] && mount --bind "$1" $root/srv; shift
exec nsenter --root=$root --wd=$outside "$@"`;

export type Chroot = {
	/** The folder that is the program's root. */
	readonly root: string;
	/** A folder of ours, not below that root. */
	readonly outside: string;
	/** Starts a program in it, in `outside` or another folder of ours, with `srv` as its /srv. */
	start(command: readonly string[], options?: {readonly cwd?: string; readonly srv?: string}): JavaProcess;
};

/**
Makes an empty root folder, and one outside of it, until the test ends; neither is in a folder that the programs share
with us.
*/
export function chrootForTest(): Chroot {
	const folder = mkdtempSync('/var/tmp/tprof-chroot-');
	atTestEnd(() => {
		rmSync(folder, {recursive: true, force: true});
	});
	const [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
	for (const each of [root, outside, path.join(root, 'srv'), path.join(root, 'var/tmp')]) {
		mkdirSync(each, {recursive: true});
	}

	return {
		root,
		outside,
		start: (command, {cwd = outside, srv = outside} = {}) => programForTest('unshare', [...unshare, 'sh', '-ec', enter, 'sh', root, cwd, srv, ...command]),
	};
}
