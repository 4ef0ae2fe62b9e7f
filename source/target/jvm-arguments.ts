import {statSync} from 'node:fs';
import {expandArguments, maxArgumentFileBytes} from './argument-files.js';
import {type JavaCommand, parseJavaCommand} from './java-command.js';
import {readBytes, readProcStrings} from './proc.js';

/** The java command line of a process, argument files expanded from the process's own folders. */
export function readJavaCommand(pid: number): JavaCommand {
	const [, ...args] = readProcStrings(pid, 'cmdline');
	return parseJavaCommand(expandArguments(args, name => readArgumentFile(pid, name)));
}

function readArgumentFile(pid: number, name: string): string | undefined {
	const path = name.startsWith('/') ? `/proc/${pid}/root${name}` : `/proc/${pid}/cwd/${name}`;
	try {
		// A command line may name anything; only plain files are opened, since opening a device can do things.
		if (!statSync(path).isFile()) {
			return undefined;
		}
	} catch {
		return undefined;
	}

	const read = readBytes(path, maxArgumentFileBytes);
	return 'bytes' in read ? read.bytes.toString('utf8') : undefined;
}
