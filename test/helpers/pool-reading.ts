import {fromNames, namesOf} from '../../source/model/column-types.js';
import {poolFigures, unknownFigure, type PoolReading} from '../../source/model/pool-reading.js';
import {safe} from '../../source/util/printable.js';

/** A reading of an executor of four threads that has no tasks; with these values in place of some. */
export function poolReading(values: Partial<PoolReading> = {}): PoolReading {
	return {
		...fromNames(namesOf(poolFigures), () => 0),
		id: 1,
		kind: 'executor',
		name: safe`pool`,
		isCertain: true,
		threads: [],
		held: [],
		size: 4,
		limit: 4,
		queueBound: unknownFigure,
		...values,
	};
}
