import {joined, printable, safe, type Printable} from '../util/printable.js';
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
			const notes = refusals.map(({id, reason}) => safe`${id} is not available (${reason})`);
			return {engine, note: notes.length > 0 ? safe`engine ${printable(engine.id)}: ${joined(notes, safe`; `)}` : safe``};
		}

		refusals.push({id: printable(engine.id), ...obstacle});
	}

	if (refusals.length === 0) {
		throw new SessionOver(`this version has no engine ${requested}`, {targetEnded: false, hint: oneOf(among)});
	}

	const {reason, hint} = requested === auto
		? allRefused(refusals)
		: {reason: refusals[0].reason, hint: hintFor(refusals[0], requested, among)};
	throw new SessionOver(reason, {targetEnded: false, hint});
}

type Refusal = Obstacle & {readonly id: Printable};

/** Joins the reasons and the hints of all engines. */
function allRefused(refusals: readonly Refusal[]): {reason: Printable; hint: Printable} {
	const reasons = new Set(refusals.map(({reason}) => reason));
	const hints = new Set(refusals.map(({hint}) => hint).filter(hint => hint !== ''));
	return reasons.size === 1
		? refusals[0]
		: {
			reason: joined(refusals.map(({id, reason}) => safe`engine ${id}: ${reason}`), safe`; `),
			hint: joined([...hints], safe`, or `),
		};
}

/** Returns the hint for an engine that cannot be used: its own, and the other engines if they may work. */
export function hintFor(
	{hint, otherEnginesMayWork}: Pick<Obstacle, 'hint' | 'otherEnginesMayWork'>,
	engine: string | undefined,
	among: readonly Engine[] = engines,
): Printable {
	const others = among.filter(({id}) => id !== engine);
	return joined([hint, otherEnginesMayWork && others.length > 0 ? oneOf(others) : safe``].filter(Boolean), safe`, or `);
}

function oneOf(engines: readonly Engine[]): Printable {
	return safe`use --engine ${joined(engines.map(({id}) => printable(id)), safe` or `)}`;
}
