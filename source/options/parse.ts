import process from 'node:process';
import meow, {type AnyFlag} from 'meow';
import type {UserError} from '../process/errors.js';
import type {Mark} from '../query/types.js';
import {noConfiguration, type Configuration} from '../config/settings.js';
import {parseCommand, type Command} from './command.js';
import {longForm} from './help.js';
import {nearest} from './nearest.js';
import {groups, type Option} from './option.js';
import {optionRows, type OptionValues} from './table.js';
import {usage} from './usage.js';

/** What is to be done, and the value of each option. */
export type Options = {
	readonly command: Command;
	/** What the configuration file says. */
	readonly configuration: Configuration;
	/** What --compare names, once it was read. */
	readonly mark?: Mark;
} & OptionValues;

/** What `parseOptions` found: options, or a text to print and be done. */
export type Parsed = {readonly options: Options; readonly given: ReadonlySet<Option>} | {readonly print: 'help' | 'version'};

/** Reads and checks the command line (without node and the script), without a configuration file. Throws UserError with exit code 2. */
export function parseOptions(argv: readonly string[], environment: NodeJS.ProcessEnv = process.env): Parsed {
	const given = givenIn(argv);
	const {input, flags} = meow({
		importMeta: import.meta,
		pkg: {name: 'tprof-top'},
		argv,
		autoHelp: false,
		autoVersion: false,
		description: false,
		flags: Object.fromEntries(optionRows.map(([, option]) => [camelCase(option.name), flagOf(option)])),
	});
	if (input[0] === 'help' || flags.help) {
		return {print: 'help'};
	}

	if (flags.version) {
		return {print: 'version'};
	}

	const values = Object.fromEntries(optionRows.map(([key, option]) => [key, valueOf(option, flags[camelCase(option.name)] as Flag, environment)])) as OptionValues;
	const command = parseCommand([...input, ...(values.pid === undefined ? [] : [values.pid])]);
	const senseless = given.find(option => !(option.commands ?? groups[option.group].commands).includes(command.kind));
	if (senseless) {
		throw usage(`${longForm(senseless)} does not apply to tprof-top ${command.kind}`);
	}

	return {
		options: {
			...values, command, configuration: noConfiguration, batch: given.some(({asksForReport}) => asksForReport),
		}, given: new Set(given),
	};
}

/**
The options on the command line. Throws UserError for those that there are not, stand there twice or lack a value.
*/
function givenIn(argv: readonly string[]): Option[] {
	const options = optionRows.map(([, option]) => option);
	const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
	const given = new Set<Option>();
	for (let index = 0; index < words.length; index++) {
		const word = words[index];
		const [, no, name, value] = /^--(no-)?([^=]+)(=.*)?$/s.exec(word) ?? /^-()([a-z])(.*)$/is.exec(word) ?? [];
		if (name === undefined) {
			continue;
		}

		const option = options.find(candidate => word.startsWith('--') ? candidate.name === name : candidate.short === name);
		if (!option || (no && !option.orNone && longForm(option) !== `--no-${name}`)) {
			throw unknownOption(word.startsWith('--') ? word.split('=')[0] : word.slice(0, 2), options);
		}

		if (given.has(option) && !(option.value !== undefined && option.repeats)) {
			throw usage(`--${option.name} is given twice`);
		}

		given.add(option);
		if (option.value === undefined && !word.startsWith('--') && value) {
			// Letters may stand together: -bn 3.
			words[index] = `-${value}`;
			index--;
		} else if (option.value && !value && !no) {
			index++;
			if (words[index] === undefined || words[index].startsWith('--')) {
				throw usage(`--${option.name} needs a value: ${option.value}`);
			}
		}
	}

	return [...given];
}

/** Long options by their nearest, letters by the same one in the other case. */
function unknownOption(word: string, options: readonly Option[]): UserError {
	const isLong = word.startsWith('--');
	const spellings = (option: Option) => isLong ? [...new Set([`--${option.name}`, longForm(option)])] : [`-${option.short}`];
	const meant = isLong ? nearest(word, options.flatMap(option => spellings(option))) : options.flatMap(option => spellings(option)).find(other => other.toLowerCase() === word.toLowerCase());
	const option = options.find(candidate => meant !== undefined && spellings(candidate).includes(meant));
	return usage(`unknown option ${word}`, option && `did you mean ${spellings(option).at(-1)}? tprof-top --help lists the options`);
}

function flagOf(option: Option): AnyFlag {
	const shortFlag = option.short ? {shortFlag: option.short} : {};
	return option.value === undefined
		? {type: 'boolean', ...(option.isOn ? {default: true} : {}), ...shortFlag}
		: {type: 'string', ...(option.repeats ? {isMultiple: true} : {}), ...shortFlag};
}

/** What meow has of an option. */
type Flag = string | boolean | undefined | readonly string[];

function valueOf(option: Option, flag: Flag, environment: NodeJS.ProcessEnv): unknown {
	if (option.value === undefined) {
		return option.inEnvironment ? option.inEnvironment(flag === true, environment) : flag === true;
	}

	if (flag === false && option.orNone) {
		return false;
	}

	if (Array.isArray(flag)) {
		return flag.length === 0 && option.default === undefined ? undefined : flag.flatMap(text => valueOf(option, text as string, environment));
	}

	if (flag === '') {
		throw usage(`--${option.name} needs a value: ${option.value}`);
	}

	const text = flag === undefined ? option.default : String(flag);
	return text === undefined ? undefined : option.read(text, `--${option.name}`);
}

function camelCase(name: string): string {
	return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
