import {nearest} from './nearest.js';
import {usage} from './usage.js';

/** What is to be done, from the first words of the command line. */
export type Command =
	| {readonly kind: 'profile'; readonly target: string}
	| {readonly kind: 'choose'}
	| {readonly kind: 'list'}
	| {readonly kind: 'open'; readonly file: string}
	| {readonly kind: 'demo'};
export type CommandKind = Command['kind'];

/** The first words that are not a target. */
export const commandWords = ['list', 'open', 'demo', 'help'] as const;

/** What the words of the command line that belong to no option ask for. Throws UserError (2). */
export function parseCommand(words: readonly string[]): Command {
	const [first, second] = words;
	const most = first === 'open' ? 2 : 1;
	if (words.length > most) {
		const meant = nearest(first, commandWords);
		throw usage(`unexpected argument: "${words.slice(most).join(' ')}"`, meant && meant !== first ? `did you mean tprof-top ${meant}?` : 'give one target at a time; quote a name that contains spaces');
	}

	switch (first) {
		case undefined: {
			return {kind: 'choose'};
		}

		case 'list':
		case 'demo': {
			return {kind: first};
		}

		case 'open': {
			if (!second) {
				throw usage('open needs a snapshot file', 'tprof-top open tprof-PID-TIME.pb.gz');
			}

			return {kind: 'open', file: second};
		}

		default: {
			return {kind: 'profile', target: first};
		}
	}
}
