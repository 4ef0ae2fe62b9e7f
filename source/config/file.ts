import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {getSystemErrorMap} from 'node:util';
import {openFile} from '../jvm/system/below-root.js';
import {readBytes, readOpen} from '../jvm/system/proc.js';
import {printable} from '../model/text.js';

/** Largest file that is read: hundreds of settings. */
export const maxConfigBytes = 64 * 1024;

const below = path.join('tprof-top', 'config.json');

/** Where the file is if nobody says so: as the XDG base directory specification has it. */
export function usualConfigFile(environment: NodeJS.ProcessEnv = process.env): string {
	const {XDG_CONFIG_HOME = '', HOME = ''} = environment;
	return path.join(path.isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : path.join(path.isAbsolute(HOME) ? HOME : homedir(), '.config'), below);
}

/** The text of a file, "none" when there is no such file, or why it cannot be read. Only regular files are opened. */
export function readConfigFile(file: string): {readonly text: string} | {readonly problem: string} | 'none' {
	try {
		const read = readOpen(openFile(file), maxConfigBytes + 1);
		if ('code' in read) {
			return {problem: read.code};
		}

		return read.bytes.length > maxConfigBytes ? {problem: `it is larger than ${maxConfigBytes / 1024} KB`} : {text: read.bytes.toString('utf8')};
	} catch (error) {
		const {code, errno} = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') {
			return 'none';
		}

		return {problem: code === 'EINVAL' ? 'it is not a regular file' : (getSystemErrorMap().get(errno ?? 0)?.[1] ?? String(error))};
	}
}

/**
Whose configuration it is, for root by sudo: one line, or none. `passwd` has the users' home folders.
*/
export function sudoNote(file: string, environment: NodeJS.ProcessEnv = process.env, passwd = '/etc/passwd'): string | undefined {
	const {SUDO_USER = ''} = environment;
	if (process.geteuid?.() !== 0 || SUDO_USER === '' || SUDO_USER === 'root') {
		return undefined;
	}

	const read = readBytes(passwd, 1024 * 1024);
	const home = 'bytes' in read ? read.bytes.toString('utf8').split('\n').map(line => line.split(':')).find(([name]) => name === SUDO_USER)?.[5] : undefined;
	const own = home === undefined ? undefined : path.join(home, '.config', below);
	if (existsSync(file)) {
		return printable(`run by sudo: the configuration is ${file}${own !== undefined && own !== file && existsSync(own) ? `, not ${own}` : ''}`);
	}

	return own !== undefined && existsSync(own) ? printable(`run by sudo: root has no configuration; for yours: --config ${own}`) : undefined;
}
