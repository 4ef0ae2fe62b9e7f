import {makeArrays, namesOf, newArray, type ColumnArray} from './column-types.js';
import type {KeyedColumns, RecordArrays} from './schema.js';

/**
Returns what was counted between two snapshots of a session (`then` undefined: since its start): the rows with a sum that
grew, or changed if it is signed, with their sums subtracted. `isWanted` filters rows by index.
*/
export function recordsInWindow<C extends KeyedColumns>(columns: C, now: RecordArrays<C>, then: RecordArrays<C> | undefined, isWanted?: (index: number) => boolean): RecordArrays<C> {
	const names = namesOf(columns);
	const sums = names.filter(name => columns[name].role === 'sum');
	if (!then && !isWanted && isEachCounted(sums.map(name => now[name]), now.count)) {
		return now;
	}

	const thenCount = Math.min(then?.count ?? 0, now.count);
	const grown = new Uint8Array(now.count);
	for (const name of sums) {
		const [values, before, isSigned] = [now[name], then?.[name], columns[name].isSigned];
		for (let index = 0; index < thenCount; index++) {
			grown[index] |= Number(values[index] > before![index] || (isSigned && values[index] !== before![index]));
		}

		for (let index = thenCount; index < now.count; index++) {
			grown[index] |= Number(values[index] > 0 || (isSigned && values[index] !== 0));
		}
	}

	const rows = new Int32Array(now.count);
	let count = 0;
	for (let index = 0; index < now.count; index++) {
		if (grown[index] === 1 && (!isWanted || isWanted(index))) {
			rows[count++] = index;
		}
	}

	const arrays = makeArrays(columns, names, (column, name) => {
		const taken = newArray(column, count);
		const [values, before] = [now[name], column.role === 'sum' ? then?.[name] : undefined];
		for (let row = 0; row < count; row++) {
			taken[row] = values[rows[row]];
		}

		if (before) {
			for (let row = 0; row < count && rows[row] < thenCount; row++) {
				const change = taken[row] - before[rows[row]];
				taken[row] = column.isSigned ? change : Math.max(change, 0);
			}
		}

		return taken;
	});
	return {count, ...arrays};
}

/** Whether every row has a counter above 0, as usual since the session's start: then nothing needs to be copied. */
function isEachCounted([values, ...others]: readonly ColumnArray[], count: number): boolean {
	for (let index = 0; index < count; index++) {
		if (values[index] <= 0 && !isAnyCounted(others, index)) {
			return false;
		}
	}

	return true;
}

/** A separate function: a closure in the loop would allocate at each iteration. */
function isAnyCounted(columns: readonly ColumnArray[], index: number): boolean {
	return columns.some(values => values[index] > 0);
}
