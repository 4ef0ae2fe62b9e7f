import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {once} from 'node:events';
import path from 'node:path';
import {namespaceRefusal, rootless} from './as-root.js';

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
	start(command: readonly string[], options?: {readonly cwd?: string; readonly srv?: string}): ChildProcess;
	remove(): Promise<void>;
};

/** Makes an empty root folder, and one outside of it; neither is in a folder that the programs share with us. */
export function makeChroot(): Chroot {
	const folder = mkdtempSync('/var/tmp/tprof-chroot-');
	const [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
	for (const each of [root, outside, path.join(root, 'srv'), path.join(root, 'var/tmp')]) {
		mkdirSync(each, {recursive: true});
	}

	const started: ChildProcess[] = [];
	return {
		root,
		outside,
		start(command, {cwd = outside, srv = outside} = {}) {
			const child = spawn('unshare', [...unshare, 'sh', '-ec', enter, 'sh', root, cwd, srv, ...command], {stdio: ['pipe', 'pipe', 'pipe']});
			started.push(child);
			return child;
		},
		async remove() {
			for (const child of started.filter(({exitCode, signalCode}) => exitCode === null && signalCode === null)) {
				const ended = once(child, 'exit');
				child.kill('SIGKILL');
				await ended;
			}

			if (existsSync(folder)) {
				rmSync(folder, {recursive: true, force: true});
			}
		},
	};
}
