import type {Command} from '../options/command.js';
import {chooseCommand} from './choose-command.js';
import {completionCommand} from './completion-command.js';
import {demoCommand} from './demo-command.js';
import {diffCommand} from './diff-command.js';
import {explainCommand} from './explain-command.js';
import {helpCommand} from './help-command.js';
import {listCommand} from './list-command.js';
import {manCommand} from './man-command.js';
import {mcpCommand} from './mcp-command.js';
import {openCommand} from './open-command.js';
import {probesCommand} from './probes-command.js';
import {profileCommand} from './profile-command.js';
import {pushCommand} from './push-command.js';
import {recordCommand} from './record-command.js';
import {tasksCommand} from './tasks-command.js';
import {traceCommand} from './trace-command.js';
import {watchCommand} from './watch-command.js';

/** The commands in the order of the help. */
export const commands: readonly Command[] = [
	profileCommand,
	chooseCommand,
	listCommand,
	explainCommand,
	openCommand,
	demoCommand,
	recordCommand,
	watchCommand,
	pushCommand,
	diffCommand,
	traceCommand,
	tasksCommand,
	probesCommand,
	mcpCommand,
	completionCommand,
	manCommand,
	helpCommand,
];

/** The commands that are typed by their names. */
export const namedCommands = commands.filter(({isUnnamed}) => !isUnnamed);
