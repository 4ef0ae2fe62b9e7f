import {UserError} from '../runtime/errors.js';
import type {GroupId, Option} from './option.js';
import type {Options} from './parse.js';
import type {OptionName, OptionValues} from './table.js';

/** The options that a command takes: those of whole groups, with exceptions, and single ones of other groups. */
type TakenOptions = {
	readonly groups?: readonly GroupId[];
	readonly except?: readonly OptionName[];
	readonly also?: readonly OptionName[];
};

/** What help, manual, completions and the checks of the command line need of a command. */
type Description = {
	/** The word that is typed for it; also its name in errors. */
	readonly name: string;
	/** Without a command's name on the command line it is the one that runs; its own name is not typed. */
	readonly isUnnamed?: true;
	/** Its arguments, as the help spells them: "PID PATTERN". */
	readonly usage?: string;
	/** For completions: the words, or the kind of path, that may follow its name. */
	readonly words?: readonly string[];
	readonly path?: 'file';
	readonly help: string;
	readonly options: TakenOptions;
	/** It shows the live screen, unless a report is asked for or there is no terminal. */
	readonly hasScreen?: true;
	/** It is only for platforms on which JVMs can be profiled. */
	readonly needsLinux?: true;
	/** It checks --format itself, as it writes reports of another kind. */
	readonly checksFormat?: true;
};

/** What a command is called with, and what it then does. It must load fast: heavy code is imported by `run`. */
type CommandEntry<Arguments> = Description & {
	/** Reads the words that follow its name and belong to no option. Throws UserError (2). */
	read(words: readonly string[], values: OptionValues): Arguments;
	/** Returns the address of the backend that it opens: --compare may then name labels there. */
	backendOf?(given: Arguments): string | undefined;
	/** Returns the exit code, or a text to print; `commands`: all there are. Throws UserError. */
	run(given: Arguments, options: Options, commands: readonly Command[]): Promise<number | string>;
};

/** A command with its arguments, ready to run. */
export type Call = {
	readonly command: Command;
	readonly given: unknown;
	readonly backend?: string;
	run(options: Options, commands: readonly Command[]): Promise<number | string>;
};

/** A command of the registry; what its arguments are is known to its entry alone. */
export type Command = Description & {
	/** Reads its arguments, see CommandEntry. Throws UserError (2). */
	call(words: readonly string[], values: OptionValues): Call;
};

/** Makes a command from its entry. */
export function command<Arguments>(entry: CommandEntry<Arguments>): Command {
	const made: Command = {
		...entry,
		call(words, values) {
			const given = entry.read(words, values);
			return {
				command: made,
				given,
				backend: entry.backendOf?.(given),
				run: async (options, commands) => entry.run(given, options, commands),
			};
		},
	};
	return made;
}

/** Returns the command as it is typed after tprof-top. */
export function spellingOf({name, isUnnamed, usage: args}: Command): string {
	return [isUnnamed ? undefined : name, args].filter(Boolean).join(' ');
}

/** Whether an option applies to a command. */
export function takes({options: {groups = [], except = [], also = []}}: Command, {group, name}: Option): boolean {
	const isNamed = (names: readonly string[]) => names.includes(name);
	return isNamed(also) || (groups.includes(group) && !isNamed(except));
}

/** Reads the words of a command that takes none. Throws UserError (2). */
export function noArguments(words: readonly string[]): undefined {
	rejectWords(words);
	return undefined;
}

/** Throws UserError (2) if there are words that a command does not take. `misspelt`: see UserError. */
export function rejectWords(
	words: readonly string[],
	{hint = 'give one target at a time; quote a name that contains spaces', misspelt}: {
		readonly hint?: string;
		readonly misspelt?: string;
	} = {},
): void {
	if (words.length > 0) {
		throw new UserError(`unexpected argument: "${words.join(' ')}"`, {hint, exitCode: 2, misspelt});
	}
}
