import {command, noArguments} from '../options/command.js';

export const mcpCommand = command({
	name: 'mcp',
	help: 'a Model Context Protocol server: a language model may look, and change nothing',
	options: {groups: ['other']},
	needsLinux: true,
	read: noArguments,
	async run() {
		const {serve} = await import('./mcp.js');
		return serve();
	},
});
