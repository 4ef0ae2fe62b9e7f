import {randomBytes} from 'node:crypto';
import {
	chownSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, mkdirSync, openSync, rmdirSync, unlinkSync, writeSync,
} from 'node:fs';
import process from 'node:process';
import {asOwner, canActAs} from '../jvm/attachability/credentials.js';
import {openBelowRoot, openFolderIn, pathOf} from '../jvm/system/below-root.js';
import type {Target} from '../jvm/target.js';

const files = ['agent.jar', 'control', 'data'] as const;

/** The files of a session, in a folder of the target's /tmp that only its own user may enter. */
export type SessionFolder = {
	/** As the target sees it. */
	readonly path: string;
	/** Descriptors, which stay ours whatever becomes of the names. The caller closes them. */
	readonly control: number;
	readonly data: number;
	/** Takes the folder and what we made in it away; nothing happens if that is gone. */
	remove(): void;
};

/**
Makes the folder with a fresh name (mode 0700), the agent's jar in it (0444), and the files by which agent and tool speak.
All of it belongs to the target's user and is made with that user's rights: where /tmp is everyone's, nobody else can
have made it, look into it or put something in its place. Throws the system's error.
*/
export function makeSessionFolder(target: Target, jar: Uint8Array): SessionFolder {
	const isForeign = process.geteuid!() !== target.uid || process.getegid!() !== target.gid;
	const act = <T>(action: () => T): T => isForeign && canActAs() ? asOwner(target, action) : action();
	const mustGive = isForeign && !canActAs();
	const temporary = openBelowRoot(target.pid, '/tmp');
	const name = `.tprof-${randomBytes(12).toString('hex')}`;
	const opened: number[] = [];
	let folder: number | undefined;
	const remove = () => {
		act(() => {
			const within = folder === undefined ? undefined : pathOf(folder);
			for (const file of within === undefined ? [] : files) {
				quietly(() => {
					unlinkSync(`${within}/${file}`);
				});
			}

			quietly(() => {
				rmdirSync(`${pathOf(temporary)}/${name}`);
			});
		});
		closeSync(temporary);
		if (folder !== undefined) {
			closeSync(folder);
		}
	};

	try {
		const make = (file: string, mode: number, bytes: Uint8Array = new Uint8Array()) => {
			const fd = openSync(`${pathOf(folder!)}/${file}`, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
			opened.push(fd);
			for (let at = 0; at < bytes.length;) {
				at += writeSync(fd, bytes, at);
			}

			fchmodSync(fd, mode);
			if (mustGive) {
				fchownSync(fd, target.uid, target.gid);
			}

			return fd;
		};

		const made = act(() => {
			mkdirSync(`${pathOf(temporary)}/${name}`, 0o700);
			folder = openFolderIn(temporary, name);
			const found = fstatSync(folder);
			if (found.uid !== process.geteuid!() || (found.mode & 0o077) !== 0) {
				throw Object.assign(new Error('the folder was replaced'), {code: 'EEXIST'});
			}

			const made = {control: make('control', 0o600), data: make('data', 0o600)};
			closeSync(make('agent.jar', 0o444, jar));
			opened.pop();
			if (mustGive) {
				chownSync(pathOf(folder), target.uid, target.gid);
			}

			return made;
		});
		return {path: `/tmp/${name}`, ...made, remove};
	} catch (error) {
		for (const fd of opened) {
			closeSync(fd);
		}

		remove();
		throw error;
	}
}

function quietly(action: () => void): void {
	try {
		action();
	} catch {
		// The agent was faster, or the target has ended with its files.
	}
}
