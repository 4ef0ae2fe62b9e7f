import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

const example = 'tprof-top explain 4711';

export const explainCommand = command({
	name: 'explain',
	usage: 'PID',
	help: 'what is wrong, with the evidence, in a page of Markdown for a ticket or a chat',
	options: {groups: ['sampling', 'other'], also: ['duration', 'output', 'format']},
	needsLinux: true,
	read([target, ...others]) {
		if (target === undefined) {
			throw usage('explain needs a target', example);
		}

		rejectWords(others, {hint: example});
		return target;
	},
	async run(target, options) {
		const {explain} = await import('./explain.js');
		return explain(target, options);
	},
});
