import {usage} from '../runtime/errors.js';
import type {CommandKind} from './command.js';

type Common = {
	/** Without the dashes. */
	readonly name: string;
	readonly group: GroupId;
	readonly short?: string;
	readonly help: string;
	/** The commands that it applies to; by default those of its group. */
	readonly commands?: readonly CommandKind[];
	/** The option, by its key, without which it has no effect. */
	readonly needs?: string;
	/** Whether the configuration file may set it: for screen and reports, or for the screen only. */
	readonly inConfig?: 'always' | 'screen';
	/** Whether giving it asks for a report instead of the screen. */
	readonly asksForReport?: true;
};

type Switch = Common & {
	readonly value?: undefined;
	readonly orNone?: undefined;
	/** Whether it is on by default; it is then given as `--no-name`. */
	readonly isOn?: true;
	/** Returns its value in an environment; by default the environment has no effect. */
	inEnvironment?(isOn: boolean, environment: NodeJS.ProcessEnv): boolean;
};

type Valued<Value = unknown> = Common & {
	/** What the help calls the value. */
	readonly value: string;
	/** The possible values, if these are known; for completions. */
	readonly words?: readonly string[];
	readonly path?: 'file' | 'folder';
	/** The value of an option that is not given, as a user would type it. */
	readonly default?: string;
	/** Whether `--no-name` is allowed, which sets the value to false. */
	readonly orNone?: true;
	/** Whether it may be given more than once; `read` then returns a list, and the lists are joined. */
	readonly repeats?: true;
	/** Parses a value; `spelling`: the option as typed, such as `--delay`. Throws UserError (2). */
	read(text: string, spelling: string): Value;
};

/** A command-line option, from which parser, help and reference are made; its key is that of its value in `Options`. */
export type Option = Switch | Valued;

/** The type of an option's value: without a default it may be undefined. */
export type ValueOf<Record> = Record extends {read(text: string, spelling: string): infer Value} ? (Record extends {readonly default: string} ? Value : Value | undefined | (Record extends {readonly orNone: true} ? false : never)) : boolean;

/** The commands on a live JVM. */
export const onJvms: readonly CommandKind[] = ['profile', 'choose', 'demo', 'trace', 'tasks', 'record', 'watch', 'push', 'diff'];
export const onSessions: readonly CommandKind[] = [...onJvms, 'open'];
/** The commands that show or print something. */
export const showing: readonly CommandKind[] = ['profile', 'choose', 'demo', 'trace', 'tasks', 'diff', 'open'];
export const everywhere: readonly CommandKind[] = [...onSessions, 'list'];

/** The groups of the help, in its order. */
export const groups = {
	// Most have no effect on a recording, but do no harm.
	sampling: {title: 'Sampling', commands: onSessions},
	view: {title: 'View', commands: showing},
	batch: {title: 'Batch', commands: showing},
	files: {title: 'Files', commands: showing},
	recordings: {title: 'Recordings', commands: ['record', 'watch']},
	push: {title: 'Push', commands: ['push']},
	trace: {title: 'Traces', commands: ['trace', 'record']},
	tasks: {title: 'Tasks', commands: ['tasks', 'record']},
	other: {title: 'Other', commands: everywhere},
} as const satisfies Readonly<Record<string, {readonly title: string; readonly commands: readonly CommandKind[]}>>;
type GroupId = keyof typeof groups;

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
