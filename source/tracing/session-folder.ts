import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {
	chownSync,
	closeSync,
	constants,
	fchmodSync,
	fchownSync,
	fstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	rmdirSync,
	unlinkSync,
	writeSync,
} from 'node:fs';
import process from 'node:process';
import {rightsOf} from '../jvm/attachability/credentials.js';
import {openBelowRoot, openFolderIn, pathOf} from '../jvm/system/below-root.js';
import {attempt, closing, errorCode, isAlive, linkOf} from '../jvm/system/proc.js';
import type {Target} from '../jvm/target.js';

/** The folder's files. If the jar's Agent-Class changes, the jar needs another name: see `reusableNames`. */
const files = ['agent.jar', 'control', 'data'] as const;
/** A page, allocated at the start: a disk that fills up later does not stop the heartbeat. */
const controlBytes = 4096;

/** A session requests the load of the agent within this time of creating its folder, or never. */
export const loadTimeoutMs = 20_000;
/**
From this age on a folder is unused if the JVM has just answered a request: it executes requests one after the other, so
the earlier one to load from that folder is done. A folder that is newer than now is old: the clock has been set back.
*/
const unusedAfterMs = 60_000;

/** The folder of a session, in the target's /tmp, which only the target's user may enter. */
type SessionFolder = {
	/** The folder's path as the target sees it. */
	readonly path: string;
	/** Descriptors of its files, valid even if the names change. The caller closes them. */
	readonly control: number;
	readonly data: number;
	/**
	Removes what we created, if it still exists. `isPending`: the JVM may still execute the request to load from here,
	so the empty folder stays to reserve its name.
	*/
	remove(load?: {readonly isPending: boolean}): void;
};

/** Creates a file for its owner alone, which must not exist, with some bytes in it; returns its descriptor. */
function createFile(file: string, bytes: Uint8Array = new Uint8Array()): number {
	const fd = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
	try {
		for (let at = 0; at < bytes.length;) {
			at += writeSync(fd, bytes, at);
		}
	} catch (error) {
		closeSync(fd);
		throw error;
	}

	return fd;
}

/**
Creates the folder (mode 0700), the agent's jar in it (0444), and the files between tprof-top and the agent. All belong
to the target's user and are created with that user's privileges, so that in a shared /tmp nobody else can create, read
or replace them. Throws the system's error.
*/
export function makeSessionFolder(target: Target, jar: Uint8Array): SessionFolder {
	const {act, mustChown} = rightsOf(target);
	const temporary = openBelowRoot(target.pid, '/tmp');
	const opened: number[] = [];
	const reusable = reusableNames(target);
	let name: string | undefined;
	let folder: number | undefined;
	const remove = (load?: {readonly isPending: boolean}) => {
		act(() => {
			removeFiles(folder);
			if (name !== undefined && !load?.isPending) {
				attempt(() => {
					rmdirSync(`${pathOf(temporary)}/${name}`);
				}, undefined);
			}
		});
		closeSync(temporary);
		if (folder !== undefined) {
			closeSync(folder);
		}
	};

	try {
		const make = (file: string, mode: number, bytes?: Uint8Array) => {
			const fd = createFile(`${pathOf(folder!)}/${file}`, bytes);
			opened.push(fd);
			fchmodSync(fd, mode);
			if (mustChown) {
				fchownSync(fd, target.uid, target.gid);
			}

			return fd;
		};

		const made = act(() => {
			name = [...reusable, newName(target)].find(candidate => makeFolder(`${pathOf(temporary)}/${candidate}`))!;
			folder = openFolderIn(temporary, name);
			const found = fstatSync(folder);
			if (found.uid !== process.geteuid!() || (found.mode & 0o077) !== 0) {
				throw Object.assign(new Error('the folder was replaced'), {code: 'EEXIST'});
			}

			const made = {control: make('control', 0o600, new Uint8Array(controlBytes)), data: make('data', 0o600)};
			closeSync(make('agent.jar', 0o444, jar));
			opened.pop();
			if (mustChown) {
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
Removes folders that earlier sessions left in the target's /tmp, for this JVM and for ended ones. Call it after the JVM
has answered a request: then no load of an earlier session can be pending. Never throws.
*/
export function removeUnusedFolders(target: Target): void {
	attempt(() => {
		closing(openBelowRoot(target.pid, '/tmp'), temporary => {
			for (const name of readdirSync(pathOf(temporary))) {
				const [, jvm] = folderName.exec(name) ?? [];
				if (jvm !== undefined && (jvm === idOf(target) || hasEnded(jvm))) {
					attempt(() => {
						removeUnused(target, temporary, name);
					}, undefined);
				}
			}
		});
	}, undefined);
}

function removeUnused(target: Target, temporary: number, name: string): void {
	closing(openFolderIn(temporary, name), folder => {
		const {uid, mode, mtimeMs} = fstatSync(folder);
		if (uid === target.uid && (mode & 0o7777) === 0o700 && Math.abs(Date.now() - mtimeMs) > unusedAfterMs) {
			rightsOf(target).act(() => {
				removeFiles(folder);
				rmdirSync(`${pathOf(temporary)}/${name}`);
			});
		}
	});
}

/** A JVM's pid in its own namespace, its start time and that namespace (`idOf`); then random digits. */
const folderName = /^\.tprof-(\d+\.\d+\.\d+)-[\da-f]{24}$/;

function idOf({pid, nsPid, startTicks}: Target): string {
	return `${nsPid}.${startTicks}.${pidNamespace(pid)}`;
}

function pidNamespace(pid: number | 'self'): string {
	return /\d+/.exec(linkOf(`/proc/${pid}/ns/pid`))?.[0] ?? '0';
}

/** Whether a JVM, given its `idOf`, has ended; false if it is not in our own pid namespace. */
function hasEnded(jvm: string): boolean {
	const [pid, startTicks, namespace] = jvm.split('.');
	return namespace !== '0' && namespace === pidNamespace('self')
		&& !isAlive({pid: Number(pid), startTicks: Number(startTicks)});
}

function newName(target: Target): string {
	// Loaded here, as most runs of tprof-top make no folder.
	const {randomBytes} = createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return `.tprof-${idOf(target)}-${randomBytes(12).toString('hex')}`;
}

/**
Returns the names of earlier sessions' folders in this JVM. The JVM keeps their jars open, as they are on its class
path. If a session uses such a name again, the JVM does not open the jar a second time.
*/
function reusableNames(target: Target): string[] {
	const folder = `/proc/${target.pid}/fd`;
	return attempt(() => readdirSync(folder), [])
		.map(fd => /\/([^/]+)\/agent\.jar \(deleted\)$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? '')
		.filter(name => folderName.exec(name)?.[1] === idOf(target));
}

/** Creates a folder for its owner alone; returns false if the name exists. Throws other errors of the system. */
function makeFolder(path: string): boolean {
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

/** Removes the files that are still there: the agent removes them too. */
function removeFiles(folder: number | undefined): void {
	for (const file of folder === undefined ? [] : files) {
		attempt(() => {
			unlinkSync(`${pathOf(folder!)}/${file}`);
		}, undefined);
	}
}
