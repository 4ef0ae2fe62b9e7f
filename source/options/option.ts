import {usage} from '../runtime/errors.js';
import type {CommandKind} from './command.js';

type Common = {
	/** Without the dashes. */
	readonly name: string;
	readonly group: GroupId;
	readonly short?: string;
	/** What it does, in a line of the help and the readme. */
	readonly help: string;
	/** The commands that it means something for; those of its group when left out. */
	readonly commands?: readonly CommandKind[];
	/** It may stand in the configuration file, which counts for reports too, or for the screen alone. */
	readonly inConfig?: 'always' | 'screen';
	/** Whoever gives it wants a report, not the screen. */
	readonly asksForReport?: true;
};

type Switch = Common & {
	readonly value?: undefined;
	readonly orNone?: undefined;
	/** On unless it is given, as `--no-name`. */
	readonly isOn?: true;
	/** What it comes to in an environment; as it is when left out. */
	inEnvironment?(isOn: boolean, environment: NodeJS.ProcessEnv): boolean;
};

type Valued<Value = unknown> = Common & {
	/** What the help calls the value. */
	readonly value: string;
	/** Values there are, where these are known; for completions. */
	readonly words?: readonly string[];
	readonly path?: 'file' | 'folder';
	/** What it is when it is not given, as it would be typed. */
	readonly default?: string;
	/** `--no-name` stands for none at all: the value is false. */
	readonly orNone?: true;
	/** It may stand there more than once; `read` gives a list of what each has. */
	readonly repeats?: true;
	/** The value of a text; `spelling` is the option's, such as `--delay`. Throws UserError (2). */
	read(text: string, spelling: string): Value;
};

/** A command-line option, as a record: parser, help and reference come from it; its key is that of its value in `Options`. */
export type Option = Switch | Valued;

/** What the option of a record comes to: without a default it may be undefined. */
export type ValueOf<Record> = Record extends {read(text: string, spelling: string): infer Value} ? (Record extends {readonly default: string} ? Value : Value | undefined | (Record extends {readonly orNone: true} ? false : never)) : boolean;

/** For what is sampled now. */
export const onJvms: readonly CommandKind[] = ['profile', 'choose', 'demo', 'trace', 'tasks'];
const onSessions: readonly CommandKind[] = [...onJvms, 'open'];
export const everywhere: readonly CommandKind[] = [...onSessions, 'list'];

/** The groups of the help, in its order. */
export const groups = {
	// Of no effect on a recording for the most part, and harmless.
	sampling: {title: 'Sampling', commands: onSessions},
	view: {title: 'View', commands: onSessions},
	batch: {title: 'Batch', commands: onSessions},
	files: {title: 'Files', commands: onSessions},
	trace: {title: 'Traces', commands: ['trace']},
	tasks: {title: 'Tasks', commands: ['tasks']},
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

/** The words of a comma-separated list. */
export function wordsOf(list: string): string[] {
	return list.split(',').map(part => part.trim()).filter(Boolean);
}

/** Words as they are said: "a, b or c". */
export function eitherOf(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
