import process from 'node:process';
import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import path from 'node:path';
import {getSystemErrorMap} from 'node:util';
import {optionRows} from '../options/table.js';
import {noSettings, type Configuration, type Options} from '../options/parse.js';
import type {Command} from '../options/command.js';
import type {Option} from '../options/option.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {usage, UserError} from '../runtime/errors.js';
import {openFile} from '../jvm/system/below-root.js';
import {attempt, readBytes, readOpen} from '../jvm/system/proc.js';

/** Returns the options, with the configuration file's values of those not given; some apply only to the screen. */
export async function configured(
	options: Options,
	{command, given, environment = process.env}: {
		readonly command: Command;
		readonly given: ReadonlySet<Option>;
		readonly environment?: NodeJS.ProcessEnv;
	},
): Promise<Options> {
	if (options.config === false || !command.hasScreen) {
		return options;
	}

	const file = options.config ?? path.join(xdgFolder('XDG_CONFIG_HOME', '.config', environment), fileName);
	const configuration = await read(file, options.config !== undefined, environment);
	const values = optionRows.flatMap(([key, option]) => {
		const text = configuration.settings.options.get(option.name);
		return text === undefined || given.has(option) || (option.inConfig === 'screen' && !options.onScreen)
			? []
			: [[key, valueOf(option, text, environment)] as const];
	});
	return {...options, ...Object.fromEntries(values), configuration};
}

/** `isAskedFor`: --config names the file. */
async function read(file: string, isAskedFor: boolean, environment: NodeJS.ProcessEnv): Promise<Configuration> {
	const found = readConfigFile(file);
	const name = printable(file);
	const note = isAskedFor ? undefined : sudoNote(file, environment);
	const about = {file, notes: note === undefined ? [] : [note]};
	if (isAskedFor && (found === 'none' || 'problem' in found)) {
		const problem = found === 'none' ? 'there is no such file' : found.problem;
		throw usage(`--config: ${name}: ${problem}`, 'give a JSON file of settings, or --no-config to read none');
	}

	if (found === 'none') {
		return {...about, settings: noSettings, faults: []};
	}

	if ('problem' in found) {
		return {...about, settings: noSettings, faults: [safe`${name}: ${printable(found.problem)}`]};
	}

	// Loaded only if there is a file: most users have none.
	const {parseSettings} = await import('./fields.js');
	const {settings, faults} = parseSettings(found.text);
	return {
		...about,
		settings,
		faults: faults.map(({line, text}) => safe`${name}:${line > 0 ? safe`${line}:` : ''} ${text}`),
	};
}

function valueOf(option: Option, text: string, environment: NodeJS.ProcessEnv): unknown {
	if (option.value !== undefined) {
		return option.read(text, `"${option.name}"`);
	}

	return option.inEnvironment ? option.inEnvironment(text === 'true', environment) : text === 'true';
}

export const maxConfigBytes = 64 * 1024;

/** Returns the user's home by the system's list of users; for users who are not in it, what containers set HOME to. */
function homeInUserList(): string {
	return attempt(() => homedir(), '/');
}

/** Returns our folder by the XDG base directory specification; `usual`: the default below the user's home. */
export function xdgFolder(
	variable: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME',
	usual: string,
	environment: NodeJS.ProcessEnv = process.env,
): string {
	const {[variable]: base = '', HOME = ''} = environment;
	return path.join(
		path.isAbsolute(base) ? base : path.join(path.isAbsolute(HOME) ? HOME : homeInUserList(), usual),
		'tprof-top',
	);
}

const fileName = 'config.json';

/** Returns the text of a regular file, 'none' if there is no such file, or why it cannot be read. */
export function readConfigFile(file: string): {readonly text: string} | {readonly problem: string} | 'none' {
	try {
		const read = readOpen(openFile(file), maxConfigBytes + 1);
		if ('code' in read) {
			return {problem: read.code};
		}

		return read.bytes.length > maxConfigBytes
			? {problem: `it is larger than ${maxConfigBytes / 1024} KB`}
			: {text: read.bytes.toString('utf8')};
	} catch (error) {
		const {code, errno} = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') {
			return 'none';
		}

		return {
			problem: code === 'EINVAL'
				? 'it is not a regular file'
				: (getSystemErrorMap().get(errno ?? 0)?.[1] ?? String(error)),
		};
	}
}

/** Returns a user's home, as a file like /etc/passwd has it. */
function homeOf(user: string, passwd: string): string | undefined {
	const read = readBytes(passwd, 1024 * 1024);
	const lines = 'bytes' in read ? read.bytes.toString('utf8').split('\n').map(line => line.split(':')) : [];
	return lines.find(([name]) => name === user)?.[5];
}

/** Returns a line that says whose configuration is used under sudo, if it matters. `passwd` lists users' homes. */
export function sudoNote(
	file: string,
	environment: NodeJS.ProcessEnv = process.env,
	passwd = '/etc/passwd',
): Printable | undefined {
	const {SUDO_USER = ''} = environment;
	if (process.geteuid?.() !== 0 || SUDO_USER === '' || SUDO_USER === 'root') {
		return undefined;
	}

	const home = homeOf(SUDO_USER, passwd);
	const own = home === undefined ? undefined : path.join(home, '.config/tprof-top', fileName);
	if (existsSync(file)) {
		return printable(`run by sudo: the configuration is ${file}${
			own !== undefined && own !== file && existsSync(own) ? `, not ${own}` : ''
		}`);
	}

	return own !== undefined && existsSync(own)
		? printable(`run by sudo: root has no configuration; for yours: --config ${own}`)
		: undefined;
}

/** Writes a view's columns into a configuration file, leaving the rest as is. Returns a message; throws UserError. */
export async function keepColumns(
	file: string,
	view: string,
	columns: readonly string[] | undefined,
): Promise<Printable> {
	const [{applyEdits, modify}, {replaceWhole}, {parseSettings}] = await Promise.all([
		import('jsonc-parser'),
		import('../exports/files/write-files.js'),
		import('./fields.js'),
	]);
	const found = readConfigFile(file);
	const name = printable(file);
	if (found !== 'none' && 'problem' in found) {
		throw new UserError(`${name}: ${found.problem}`);
	}

	const text = found === 'none' || found.text.trim() === '' ? '{}\n' : found.text;
	const {isEditable, faults: [fault]} = parseSettings(text);
	if (!isEditable) {
		throw new UserError(`${name}:${fault.line}: ${fault.text}; fix it first`);
	}

	const edits = modify(text, ['columns', view], columns, {
		formattingOptions: {insertSpaces: false, tabSize: 4, eol: '\n'},
	});
	await replaceWhole(file, applyEdits(text, edits));
	return safe`columns kept in ${name}`;
}
