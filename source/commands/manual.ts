import {spawnSync} from 'node:child_process';
import process from 'node:process';
import {manPage} from '../manual/man-page.js';
import {completions} from '../manual/shells.js';

/** The completion script for a shell of the table of commands. */
export function completion(shell: string): string {
	return completions[shell]();
}

/** Shows the manual page on a terminal by man(1), where that is there; elsewhere gives it back to be printed. */
export function manual(): string {
	const page = manPage();
	if (!process.stdout.isTTY) {
		return page;
	}

	const {status} = spawnSync('man', ['-l', '-'], {input: page, stdio: ['pipe', 'inherit', 'inherit']});
	return status === 0 ? '' : page;
}
