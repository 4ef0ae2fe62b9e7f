import type {EngineSession} from '../../../source/engines/common/engine.js';
import {Sample} from '../../../source/model/sample.js';
import type {PoolReading} from '../../../source/model/pool-reading.js';
import {sayTo, type JavaProcess} from '../../helpers/jvm.js';

/** What readings of the pools of KnownPools said, compared with the pools' own getters. */
export type PoolTruth = {
	/** Readings of a pool that were compared, and those in which it could not be read. */
	readonly read: number;
	readonly unread: number;
	/** Those that say that they are uncertain, and those of them that are wrong. */
	readonly uncertain: number;
	readonly wrongUncertain: number;
	/** What was wrong: pool, figures read, figures of the getters. */
	readonly wrong: readonly string[];
	/** Certain readings of each pool. */
	readonly certain: ReadonlyMap<string, number>;
};

/** The pools of KnownPools, as they are shown. */
export const poolNames = [
	'fixed',
	'bounded',
	'linked',
	'deque',
	'direct',
	'priority',
	'timer',
	'forked',
	'load',
	'ForkJoinPool.commonPool-worker',
];

/** Threads of these pools have names that the program does not choose. */
const prefixes: Readonly<Record<string, string>> = {common: 'ForkJoinPool.commonPool-worker'};

function figuresOf({size, limit, active, queued, completedEver}: PoolReading): string {
	return [size, limit, active, queued, completedEver].join(' ');
}

/** Parses what KnownPools said: figures by the names of the pools. */
function truthOf(said: string): ReadonlyMap<string, string> {
	return new Map([...said.matchAll(/^(\w+) (\d+(?: \d+){4})$/gm)].map(([, name, figures]) =>
		[prefixes[name] ?? name, figures]));
}

function loadOf(said: string): number {
	return Number(/^load (\d+)$/m.exec(said)![1]);
}

/**
Compares readings with getters, in each of `states`, which last until all of its readings are done; then in more states,
until `isEnough`.
*/
export async function poolTruth(
	java: JavaProcess,
	session: EngineSession,
	{states, readings, isEnough = () => true}: {
		readonly states: number;
		readonly readings: number;
		isEnough?(certain: ReadonlyMap<string, number>): boolean;
	},
): Promise<PoolTruth> {
	const sample = new Sample();
	const wrong: string[] = [];
	const certain = new Map<string, number>();
	/** By pool: readings before. */
	const before = new Map<number, number>();
	let [read, unread, uncertain, wrongUncertain] = [0, 0, 0, 0];
	const compare = (pool: PoolReading, isRight: boolean, truth: string) => {
		read++;
		uncertain += pool.isCertain ? 0 : 1;
		if (pool.isCertain) {
			certain.set(pool.name, 1 + (certain.get(pool.name) ?? 0));
			wrong.push(...isRight ? [] : [`${pool.name}: ${figuresOf(pool)}, not ${truth}`]);
		} else {
			wrongUncertain += isRight ? 0 : 1;
		}
	};

	for (let state = 0; state < states || !isEnough(certain); state++) {
		const said = await sayTo(java, `state ${state}`);
		const truth = truthOf(said);
		const loads: PoolReading[] = [];
		await session.sample(sample);
		for (let reading = 0; reading < readings; reading++) {
			const pools = session.readPools!();
			for (const pool of pools) {
				const figures = truth.get(pool.name);
				// One that could not be read keeps its last reading.
				if (before.get(pool.id) === pool.readings) {
					unread++;
				} else if (figures === undefined) {
					loads.push(...pool.name === 'load' ? [pool] : []);
				} else {
					compare(pool, figuresOf(pool) === figures, figures);
				}

				before.set(pool.id, pool.readings);
			}
		}

		const [from, to] = [said, await sayTo(java, `load ${state}`)].map(text => loadOf(text));
		for (const pool of loads) {
			compare(pool, pool.completedEver >= from && pool.completedEver <= to, `from ${from} to ${to}`);
		}
	}

	return {read, unread, uncertain, wrongUncertain, wrong, certain};
}
