import {
	SessionOver, type Engine, type EngineOptions, type Refusal,
} from '../engines/engine.js';
import {auto, engines} from '../engines/registry.js';
import type {Target} from '../jvm/target.js';

export type Choice = {
	readonly engine: Engine;
	/** Which engine, and why not a better one, when `auto` had to pass one over; empty otherwise. */
	readonly note: string;
};

/**
The engine to use for a target: the one of an id, or with `auto` the best. Throws SessionOver with reason and hint when
the one asked for, or every one, is unavailable.
*/
export async function chooseEngine(asked: string, target: Target, among: readonly Engine[] = engines, timer?: EngineOptions['timer']): Promise<Choice> {
	const candidates = among.filter(({id}) => asked === auto || id === asked);
	const notes: string[] = [];
	let lesser: Choice | undefined;
	const refusals: Refused[] = [];
	for (const engine of candidates) {
		const probe = await engine.probe(target, {timer});
		if (!probe.ready) {
			notes.push(`${engine.id} is not available (${probe.reason})`);
			refusals.push({id: engine.id, ...probe});
		} else if (probe.lacks && asked === auto) {
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

	if (refusals.length === 0) {
		throw new SessionOver(`this version has no engine ${asked}`, {targetEnded: false, hint: oneOf(among)});
	}

	const {reason, hint} = asked === auto ? allRefused(refusals) : {reason: refusals[0].reason, hint: helpOf(refusals[0], asked, among)};
	throw new SessionOver(reason, {targetEnded: false, hint});
}

type Refused = Refusal & {readonly id: string};

/**
One line for all engines: why each is unavailable, and what would help any of them; that another engine would do does
not.
*/
function allRefused(refusals: readonly Refused[]): {reason: string; hint: string} {
	const reasons = new Set(refusals.map(({reason}) => reason));
	const hints = new Set(refusals.map(({hint}) => hint).filter(hint => hint !== ''));
	return reasons.size === 1
		? refusals[0]
		: {reason: refusals.map(({id, reason}) => `engine ${id}: ${reason}`).join('; '), hint: [...hints].join(', or ')};
}

/** What to do where an engine cannot go on: its own hint, and the other engines where they may do. */
export function helpOf({hint, othersMayDo}: Pick<Refusal, 'hint' | 'othersMayDo'>, engine: string | undefined, among: readonly Engine[] = engines): string {
	const others = among.filter(({id}) => id !== engine);
	return [hint, othersMayDo && others.length > 0 ? oneOf(others) : ''].filter(Boolean).join(', or ');
}

function oneOf(engines: readonly Engine[]): string {
	return `use --engine ${engines.map(({id}) => id).join(' or ')}`;
}
