import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {
	chownSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, mkdirSync, openSync, readdirSync, readlinkSync, rmdirSync, unlinkSync, writeSync,
} from 'node:fs';
import process from 'node:process';
import {asOwner, canActAs} from '../jvm/attachability/credentials.js';
import {openBelowRoot, openFolderIn, pathOf} from '../jvm/system/below-root.js';
import {errorCode, isAlive} from '../jvm/system/proc.js';
import type {Target} from '../jvm/target.js';

/** A new version of the agent's stub needs another name for the jar: see `spareNames`. */
const files = ['agent.jar', 'control', 'data'] as const;
/** A page, which is there from the start: a disk that fills up later takes no heartbeat from the agent. */
const controlBytes = 4096;

/**
A session sends its load within `loadTimeoutMs` of making the folder, or never. After this time the JVM's listener, which
takes requests in turn, has the load behind it once it answers a new request.
*/
const unusedAfterMs = 60_000;
export const loadTimeoutMs = 20_000;

/** The files of a session, in a folder of the target's /tmp that only its own user may enter. */
type SessionFolder = {
	/** As the target sees it. */
	readonly path: string;
	/** Descriptors, which stay ours even if the names change. The caller closes them. */
	readonly control: number;
	readonly data: number;
	/**
	Removes what we made; nothing happens if it is gone. `isPending`: the JVM may still take the request to load from
	here, so the empty folder stays, and nobody else can have its name.
	*/
	remove(isPending?: boolean): void;
};

/**
Makes the folder (mode 0700), the agent's jar in it (0444), and the files by which agent and tool speak. All of it belongs
to the target's user and is made with that user's rights: where /tmp is everyone's, nobody else can have made it, look into
it or put something in its place. Throws the system's error.
*/
export function makeSessionFolder(target: Target, jar: Uint8Array): SessionFolder {
	const {act, mustGive} = rightsFor(target);
	const temporary = openBelowRoot(target.pid, '/tmp');
	const opened: number[] = [];
	const spare = spareNames(target);
	let name: string | undefined;
	let folder: number | undefined;
	const remove = (isPending = false) => {
		act(() => {
			empty(folder);
			if (name !== undefined && !isPending) {
				quietly(() => {
					rmdirSync(`${pathOf(temporary)}/${name}`);
				});
			}
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
			name = [...spare, freshName(target)].find(each => isMade(`${pathOf(temporary)}/${each}`))!;
			folder = openFolderIn(temporary, name);
			const found = fstatSync(folder);
			if (found.uid !== process.geteuid!() || (found.mode & 0o077) !== 0) {
				throw Object.assign(new Error('the folder was replaced'), {code: 'EEXIST'});
			}

			const made = {control: make('control', 0o600, new Uint8Array(controlBytes)), data: make('data', 0o600)};
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

/**
Removes folders that sessions before this one left in the target's /tmp: of this JVM, and of JVMs that have ended. Call it
once the JVM has answered a request: no load of a session that is over can then be pending. Never throws.
*/
export function removeUnusedFolders(target: Target): void {
	quietly(() => {
		const temporary = openBelowRoot(target.pid, '/tmp');
		try {
			for (const name of readdirSync(pathOf(temporary))) {
				const [, jvm] = folderName.exec(name) ?? [];
				if (jvm !== undefined && (jvm === idOf(target) || hasEnded(jvm))) {
					quietly(() => {
						removeUnused(target, temporary, name);
					});
				}
			}
		} finally {
			closeSync(temporary);
		}
	});
}

function removeUnused(target: Target, temporary: number, name: string): void {
	const folder = openFolderIn(temporary, name);
	try {
		const {uid, mode, mtimeMs} = fstatSync(folder);
		if (uid === target.uid && (mode & 0o7777) === 0o700 && Math.abs(Date.now() - mtimeMs) > unusedAfterMs) {
			rightsFor(target).act(() => {
				empty(folder);
				rmdirSync(`${pathOf(temporary)}/${name}`);
			});
		}
	} finally {
		closeSync(folder);
	}
}

/** A JVM's pid in its own namespace, its start time and that namespace; then what cannot be guessed. */
const folderName = /^\.tprof-(\d+\.\d+\.\d+)-[\da-f]{24}$/;

function idOf({pid, nsPid, startTicks}: Target): string {
	return `${nsPid}.${startTicks}.${pidNamespace(pid)}`;
}

function pidNamespace(pid: number | 'self'): string {
	try {
		return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? '0';
	} catch {
		return '0';
	}
}

/** Known only of JVMs in our own pid namespace. */
function hasEnded(jvm: string): boolean {
	const [pid, startTicks, namespace] = jvm.split('.');
	return namespace !== '0' && namespace === pidNamespace('self') && !isAlive({pid: Number(pid), startTicks: Number(startTicks)});
}

function freshName(target: Target): string {
	const {randomBytes} = createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return `.tprof-${idOf(target)}-${randomBytes(12).toString('hex')}`;
}

/**
The names of earlier sessions' folders: their jars are on the JVM's class path and stay open there, and the same path is
not opened again.
*/
function spareNames(target: Target): string[] {
	const folder = `/proc/${target.pid}/fd`;
	try {
		const names = readdirSync(folder).map(fd => /\/([^/]+)\/agent\.jar \(deleted\)$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? '');
		return names.filter(name => folderName.exec(name)?.[1] === idOf(target));
	} catch {
		return [];
	}
}

/** Makes a folder for its owner alone; false if there is something of that name. Throws the system's error. */
function isMade(path: string): boolean {
	try {
		mkdirSync(path, 0o700);
		return true;
	} catch (error) {
		if (errorCode(error) === 'EEXIST') {
			return false;
		}

		throw error;
	}
}

/** Empty for one that is closed. */
function linkOf(fd: string): string {
	try {
		return readlinkSync(fd);
	} catch {
		return '';
	}
}

/** How to act with the rights of the target's user; `mustGive`: that cannot be, and what is made must be given to that user. */
function rightsFor(target: Target): {readonly mustGive: boolean; act<T>(action: () => T): T} {
	const isForeign = process.geteuid!() !== target.uid || process.getegid!() !== target.gid;
	return {
		act: action => isForeign && canActAs() ? asOwner(target, action) : action(),
		mustGive: isForeign && !canActAs(),
	};
}

function empty(folder: number | undefined): void {
	for (const file of folder === undefined ? [] : files) {
		quietly(() => {
			unlinkSync(`${pathOf(folder!)}/${file}`);
		});
	}
}

function quietly(action: () => void): void {
	try {
		action();
	} catch {
		// The agent was faster, or the target has ended with its files.
	}
}
