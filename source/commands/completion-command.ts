import type {Shell} from '../manual/completions.js';
import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

export const completionCommand = command({
	name: 'completion',
	usage: 'SHELL',
	words: shells,
	help: 'print completions for bash, zsh or fish',
	options: {},
	read([word, ...others]) {
		rejectWords(others);
		const shell = shells.find(known => known === word);
		if (shell === undefined) {
			throw usage(`completions are for ${shells.join(', ')}`, 'for example: tprof-top completion bash');
		}

		return shell;
	},
	async run(shell, _, commands) {
		const {completionsFor} = await import('../manual/completions.js');
		return completionsFor(shell, commands);
	},
});
