import {attachEngine} from '../engines/attach/engine.js';
import {SessionOver, type Engine, type EngineId} from '../engines/engine.js';
import {memoryEngine} from '../engines/memory/engine.js';
import type {Target} from '../jvm/target.js';

/** The engines there are, the best first: `auto` takes the first that is ready and lacks nothing. */
export const engines: readonly Engine[] = [memoryEngine, attachEngine];

export type Choice = {
	readonly engine: Engine;
	/** Which engine, and why not a better one, when `auto` had to pass one over; empty otherwise. */
	readonly note: string;
};

/**
The engine to use for a target. Throws SessionOver with reason and hint when the one asked for, or every one, is
unavailable.
*/
export async function chooseEngine(asked: EngineId | 'auto', target: Target, among: readonly Engine[] = engines): Promise<Choice> {
	const candidates = among.filter(({id}) => asked === 'auto' || id === asked);
	const notes: string[] = [];
	let lesser: {engine: Engine; note: string} | undefined;
	const refusals: Refusal[] = [];
	for (const engine of candidates) {
		const probe = await engine.probe(target);
		if (!probe.ready) {
			notes.push(`${engine.id} is not available (${probe.reason})`);
			refusals.push({id: engine.id, ...probe});
		} else if (probe.lacks && asked === 'auto') {
			notes.push(`${engine.id} skipped (${probe.lacks})`);
			lesser ??= {engine, note: probe.note ?? probe.lacks};
		} else {
			const passedOver = notes.length > 0 ? [`engine ${engine.id}: ${notes.join('; ')}`] : [];
			return {engine, note: [...passedOver, ...(probe.note ? [probe.note] : [])].join('; ')};
		}
	}

	if (lesser) {
		return lesser;
	}

	const {reason, hint} = refusals.length > 0
		? allRefused(refusals)
		: {reason: `this version has no engine ${asked}`, hint: `use --engine ${among.map(({id}) => id).join(' or ')}`};
	throw new SessionOver(reason, {targetEnded: false, hint});
}

type Refusal = {readonly id: EngineId; readonly reason: string; readonly hint: string};

/**
One line for all engines: why each is unavailable, and what would help any of them; that another engine would do does
not.
*/
function allRefused(refusals: readonly Refusal[]): {reason: string; hint: string} {
	const reasons = new Set(refusals.map(({reason}) => reason));
	if (reasons.size === 1) {
		return refusals[0];
	}

	const hints = new Set(refusals.map(({hint}) => hint.replace(/(?:, or )?use --engine \w+$/, '')).filter(hint => hint !== ''));
	return {reason: refusals.map(({id, reason}) => `engine ${id}: ${reason}`).join('; '), hint: [...hints].join(', or ')};
}
