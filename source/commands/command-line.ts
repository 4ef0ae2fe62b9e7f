import process from 'node:process';
import {takes, type Call, type Command} from '../options/command.js';
import {isDumb} from '../options/environment.js';
import {nearest} from '../options/nearest.js';
import {longForm, type Option} from '../options/option.js';
import {noConfiguration, readWords, type Options} from '../options/parse.js';
import type {OptionValues} from '../options/table.js';
import {usage, UserError} from '../runtime/errors.js';
import {chooseCommand} from './choose-command.js';
import {namedCommands} from './command-registry.js';
import {helpCommand} from './help-command.js';
import {profileCommand} from './profile-command.js';

/** A command with its arguments, the options, and which of these were given. */
export type CommandLine = {readonly call: Call; readonly options: Options; readonly given: ReadonlySet<Option>};

/**
Parses the command line (without node and the script), without a configuration file; 'version' if that is to be
printed. Throws UserError (2).
*/
export function parseCommandLine(
	argv: readonly string[],
	environment: NodeJS.ProcessEnv = process.env,
): CommandLine | 'version' {
	const typed = readWords(argv);
	const asksForHelp = typed.isSwitchedOn('help') || typed.words[0] === helpCommand.name;
	if (typed.isSwitchedOn('version') && !asksForHelp) {
		return 'version';
	}

	// Beside a call for help nothing has an effect, not even an option with a wrong value.
	const {words, given, readValues} = asksForHelp ? readWords([helpCommand.name]) : typed;
	const values = readValues(environment);
	const [command, ownWords] = commandIn([...words, ...(values.pid === undefined ? [] : [values.pid])]);
	const call = command.call(ownWords, values);
	checkGiven(command, given, values);
	const batch = [...given].some(({asksForReport}) => asksForReport);
	const hasTerminal = Boolean(process.stdout.isTTY) && Boolean(process.stdin.isTTY) && !isDumb(environment);
	const onScreen = Boolean(command.hasScreen) && hasTerminal && !batch;
	return {call, options: {...values, batch, onScreen, configuration: noConfiguration}, given};
}

/** Returns the command that the words name, and the words that follow its name. */
function commandIn(words: readonly string[]): readonly [Command, readonly string[]] {
	const [first, ...others] = words;
	const named = namedCommands.find(({name}) => name === first);
	return named ? [named, others] : [words.length === 0 ? chooseCommand : profileCommand, words];
}

/** Throws UserError (2) if an option does not apply to the command, has no effect, or excludes another. */
function checkGiven(command: Command, given: ReadonlySet<Option>, values: OptionValues): void {
	const options = [...given];
	const inapplicable = options.find(option => !takes(command, option));
	if (inapplicable) {
		throw usage(`${longForm(inapplicable)} does not apply to tprof-top ${command.name}`);
	}

	const isSet = (key: string) => ![undefined, false].includes(values[key as keyof OptionValues] as undefined);
	const withoutEffect = options.find(({needs}) => needs !== undefined && !isSet(needs));
	if (withoutEffect) {
		throw usage(`${longForm(withoutEffect)} needs --${withoutEffect.needs}`);
	}

	if (values.at !== undefined && (values.from ?? values.to) !== undefined) {
		throw usage('--at excludes --from and --to', '--at: a moment; --from and --to: a span');
	}
}

/** Returns the error with the nearest command as its hint, if it is about a word that may be a misspelt command. */
export function withSuggestion(error: unknown): unknown {
	if (!(error instanceof UserError) || error.misspelt === undefined) {
		return error;
	}

	const suggested = nearest(error.misspelt, namedCommands.map(({name}) => name));
	return suggested === undefined
		? error
		: new UserError(error.message, {hint: `did you mean tprof-top ${suggested}?`, exitCode: error.exitCode});
}
