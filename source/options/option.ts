import {usage} from '../runtime/errors.js';

type Common = {
	/** Without the dashes. */
	readonly name: string;
	readonly group: GroupId;
	readonly short?: string;
	readonly help: string;
	/** Key of an option without which this one has no effect. */
	readonly needs?: string;
	/** The configuration file may set it, for the screen and reports (`always`) or for the screen only. */
	readonly inConfig?: 'always' | 'screen';
	/** If it is given, the user wants a report instead of the screen. */
	readonly asksForReport?: true;
};

export type Switch = Common & {
	readonly value?: undefined;
	readonly orNone?: undefined;
	/** It is on by default, and given as `--no-name`. */
	readonly isOn?: true;
	/** Returns its value in an environment; by default the environment has no effect. */
	inEnvironment?(isOn: boolean, environment: NodeJS.ProcessEnv): boolean;
};

type Valued<Value = unknown> = Common & {
	/** What the help calls the value. */
	readonly value: string;
	/** For completions: the possible values, or what kind of path a value is. */
	readonly words?: readonly string[];
	readonly path?: 'file' | 'folder';
	/** The value of an option that is not given, as a user would type it. */
	readonly default?: string;
	/** `--no-name` is allowed; the value is then false. */
	readonly orNone?: true;
	/** It may be given more than once; `read` then returns a list, and the lists are joined. */
	readonly repeats?: true;
	/** Parses a value; `spelling`: the option as typed, such as `--delay`. Throws UserError (2). */
	read(text: string, spelling: string): Value;
};

/** A command-line option, from which parser, help and reference are made; its key is that of its value in `Options`. */
export type Option = Switch | Valued;

/** The type of an option's value: a switch is boolean; an option without a default may be undefined. */
export type ValueOf<Entry> = Entry extends {read(text: string, spelling: string): infer Value}
	? (Entry extends {readonly default: string} ? Value
		: Value | undefined | (Entry extends {readonly orNone: true} ? false : never))
	: boolean;

/** The titles of the help's groups, in its order. */
export const groupTitles = {
	sampling: 'Sampling',
	view: 'View',
	batch: 'Batch',
	files: 'Files',
	recordings: 'Recordings',
	push: 'Push',
	trace: 'Traces',
	tasks: 'Tasks',
	other: 'Other',
} as const;
export type GroupId = keyof typeof groupTitles;

/** Returns the long form of an option, as it is typed. */
export function longForm(option: Option): string {
	return option.value === undefined && option.isOn ? `--no-${option.name}` : `--${option.name}`;
}

export function number(min: number, max: number, {isWhole = false} = {}): Pick<Valued<number>, 'read'> {
	return {
		read(text, spelling) {
			const value = text.trim() === '' ? Number.NaN : Number(text);
			if (!(value >= min && value <= max) || (isWhole && !Number.isInteger(value))) {
				throw usage(`${spelling} must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`);
			}

			return value;
		},
	};
}

export function oneOf<Word extends string>(words: readonly Word[]): Pick<Valued<Word>, 'read' | 'words'> {
	return {
		words,
		read(text, spelling) {
			if (!words.includes(text as Word)) {
				throw usage(`${spelling} must be one of ${words.join(', ')}`);
			}

			return text as Word;
		},
	};
}

export const anyText: Pick<Valued<string>, 'read'> = {read: text => text};

/** Returns the words of a comma-separated list. */
export function wordsOf(list: string): string[] {
	return list.split(',').map(part => part.trim()).filter(Boolean);
}

/** Returns words as "a, b or c". */
export function eitherOf(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
