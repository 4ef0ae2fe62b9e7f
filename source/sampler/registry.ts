import {attachEngine} from '../engines/attach/engine.js';
import {SessionOver, type Engine, type EngineId} from '../engines/engine.js';
import {memoryEngine} from '../engines/memory/engine.js';
import type {Target} from '../target/target.js';

/** The engines there are, the best first: `auto` takes the first that is ready and lacks nothing. */
export const engines: readonly Engine[] = [memoryEngine, attachEngine];

export type Choice = {
	readonly engine: Engine;
	/** Which engine, and why not a better one, when `auto` had to pass one over; empty otherwise. */
	readonly note: string;
};

/** The engine to use for a target. Throws SessionOver with reason and hint when the one asked for, or every one, is unavailable. */
export async function chooseEngine(asked: EngineId | 'auto', target: Target, among: readonly Engine[] = engines): Promise<Choice> {
	const candidates = among.filter(({id}) => asked === 'auto' || id === asked);
	const notes: string[] = [];
	let lesser: {engine: Engine; note: string} | undefined;
	let last: {reason: string; hint: string} = {
		reason: `there is no engine ${asked} in this version`,
		hint: `use --engine ${among.map(({id}) => id).join(' or ')}`,
	};
	for (const engine of candidates) {
		const probe = await engine.probe(target);
		if (!probe.ready) {
			notes.push(`${engine.id} is not available (${probe.reason})`);
			last = probe;
		} else if (probe.lacks && asked === 'auto') {
			notes.push(`${engine.id} was passed over (${probe.lacks})`);
			lesser ??= {engine, note: probe.note ?? probe.lacks};
		} else {
			const passedOver = notes.length > 0 ? [`engine ${engine.id}: ${notes.join('; ')}`] : [];
			return {engine, note: [...passedOver, ...(probe.note ? [probe.note] : [])].join('; ')};
		}
	}

	if (lesser) {
		return lesser;
	}

	throw new SessionOver(last.reason, {targetEnded: false, hint: last.hint});
}
