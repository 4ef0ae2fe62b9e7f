import {SessionOver, type Engine, type EngineOptions} from '../engines/common/engine.js';
import {auto, engines} from '../engines/engine-registry.js';
import type {Obstacle} from '../jvm/obstacles.js';
import type {Target} from '../jvm/target.js';

/**
Returns the engine with the requested id, or with `auto` the best one that is ready; `note` says why better ones cannot
be used. Throws SessionOver with reason and hint if there is none.
*/
export async function chooseEngine(
	requested: string,
	target: Target,
	among: readonly Engine[] = engines,
	timer?: EngineOptions['timer'],
): Promise<{readonly engine: Engine; readonly note: string}> {
	const candidates = among.filter(({id}) => requested === auto || id === requested);
	const refusals: Refusal[] = [];
	for (const engine of candidates) {
		const obstacle = await engine.check(target, {timer});
		if (!obstacle) {
			const notes = refusals.map(({id, reason}) => `${id} is not available (${reason})`);
			return {engine, note: notes.length > 0 ? `engine ${engine.id}: ${notes.join('; ')}` : ''};
		}

		refusals.push({id: engine.id, ...obstacle});
	}

	if (refusals.length === 0) {
		throw new SessionOver(`this version has no engine ${requested}`, {targetEnded: false, hint: oneOf(among)});
	}

	const {reason, hint} = requested === auto
		? allRefused(refusals)
		: {reason: refusals[0].reason, hint: hintFor(refusals[0], requested, among)};
	throw new SessionOver(reason, {targetEnded: false, hint});
}

type Refusal = Obstacle & {readonly id: string};

/** Joins the reasons and the hints of all engines. */
function allRefused(refusals: readonly Refusal[]): {reason: string; hint: string} {
	const reasons = new Set(refusals.map(({reason}) => reason));
	const hints = new Set(refusals.map(({hint}) => hint).filter(hint => hint !== ''));
	return reasons.size === 1
		? refusals[0]
		: {
			reason: refusals.map(({id, reason}) => `engine ${id}: ${reason}`).join('; '),
			hint: [...hints].join(', or '),
		};
}

/** Returns the hint for an engine that cannot be used: its own, and the other engines if they may work. */
export function hintFor(
	{hint, otherEnginesMayWork}: Pick<Obstacle, 'hint' | 'otherEnginesMayWork'>,
	engine: string | undefined,
	among: readonly Engine[] = engines,
): string {
	const others = among.filter(({id}) => id !== engine);
	return [hint, otherEnginesMayWork && others.length > 0 ? oneOf(others) : ''].filter(Boolean).join(', or ');
}

function oneOf(engines: readonly Engine[]): string {
	return `use --engine ${engines.map(({id}) => id).join(' or ')}`;
}
