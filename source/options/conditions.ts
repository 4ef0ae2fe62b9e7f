import {usage} from '../runtime/errors.js';
import {wordsOf} from './option.js';

/** A figure of the target that may be exceeded, or something that may be there. */
export type Condition = {readonly figure: 'cpu' | 'blocked' | 'stuck' | 'gc'; readonly above: number} | {readonly figure: 'deadlock'};

export const conditionForms = 'cpu>300, blocked>20, stuck>10s, gc>20, deadlock, joined by ","';

/** Reads conditions, of which one is enough. Throws UserError (2). */
export function conditionsOf(text: string, spelling: string): readonly Condition[] {
	const conditions = wordsOf(text).map((word): Condition => {
		if (word === 'deadlock') {
			return {figure: word};
		}

		const [, figure, above] = /^(cpu|blocked|stuck|gc)\s*>\s*(\d+(?:\.\d+)?)[%s]?$/.exec(word) ?? [];
		if (figure === undefined) {
			throw usage(`${spelling}: "${word}" is not a condition`, conditionForms);
		}

		return {figure: figure as 'cpu', above: Number(above)};
	});
	if (conditions.length === 0) {
		throw usage(`${spelling} needs a condition`, conditionForms);
	}

	return conditions;
}
