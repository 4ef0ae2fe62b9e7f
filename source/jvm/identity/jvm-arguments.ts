import {openFileBelowRoot, workingFolder} from '../system/below-root.js';
import {readOpen, readProcStrings} from '../system/proc.js';
import {expandArguments, maxArgumentFileBytes} from './argument-files.js';
import {type JavaCommand, parseJavaCommand} from './java-command.js';

/** The java command line of a process, argument files expanded from the process's own folders. */
export function readJavaCommand(pid: number): JavaCommand {
	const [, ...args] = readProcStrings(pid, 'cmdline');
	return parseJavaCommand(expandArguments(args, name => readArgumentFile(pid, name)));
}

function readArgumentFile(pid: number, name: string): string | undefined {
	try {
		const path = name.startsWith('/') ? name : `${workingFolder(pid)}/${name}`;
		// A command line may name anything; only regular files are opened.
		const read = readOpen(openFileBelowRoot(pid, path), maxArgumentFileBytes);
		return 'bytes' in read ? read.bytes.toString('utf8') : undefined;
	} catch {
		return undefined;
	}
}
