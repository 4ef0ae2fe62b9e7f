import process from 'node:process';
import {printable} from '../model/text.js';
import {groups, type Option} from '../options/option.js';
import type {Options} from '../options/parse.js';
import {optionRows} from '../options/table.js';
import {readConfigFile, sudoNote, usualConfigFile} from './file.js';
import {noSettings, type Configuration} from './settings.js';

/**
The options with what the configuration file says where the command line says nothing. `isScreen`: whether there will be
a screen; what is for the screen alone does not change reports. What is wrong with the file is in `configuration`.
*/
export async function configured(options: Options, {given, isScreen, environment = process.env}: {readonly given: ReadonlySet<Option>; readonly isScreen: boolean; readonly environment?: NodeJS.ProcessEnv}): Promise<Options> {
	if (options.config === false || !groups.view.commands.includes(options.command.kind)) {
		return options;
	}

	const file = options.config ?? usualConfigFile(environment);
	const configuration = await read(file, options.config !== undefined, environment);
	const values = optionRows.flatMap(([key, option]) => {
		const text = configuration.settings.options.get(option.name);
		return text === undefined || given.has(option) || (option.inConfig === 'screen' && !isScreen) ? [] : [[key, valueOf(option, text, environment)] as const];
	});
	return {...options, ...Object.fromEntries(values), configuration};
}

async function read(file: string, isAskedFor: boolean, environment: NodeJS.ProcessEnv): Promise<Configuration> {
	const found = readConfigFile(file);
	const name = printable(file);
	const note = isAskedFor ? undefined : sudoNote(file, environment);
	const about = {file, notes: note === undefined ? [] : [note]};
	if (found === 'none') {
		return {...about, settings: noSettings, faults: isAskedFor ? [`${name}: there is no such file`] : []};
	}

	if ('problem' in found) {
		return {...about, settings: noSettings, faults: [`${name}: ${found.problem}`]};
	}

	// Most have no such file, and load nothing for it.
	const {parseSettings} = await import('./parse.js');
	const {settings, faults} = parseSettings(found.text);
	return {...about, settings, faults: faults.map(({line, text}) => `${name}:${line > 0 ? `${line}:` : ''} ${text}`)};
}

function valueOf(option: Option, text: string, environment: NodeJS.ProcessEnv): unknown {
	if (option.value !== undefined) {
		return option.read(text, `"${option.name}"`);
	}

	return option.inEnvironment ? option.inEnvironment(text === 'true', environment) : text === 'true';
}
