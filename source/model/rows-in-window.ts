import {makeArrays, namesOf, newArray, type ColumnArray} from './column-types.js';
import type {KeyedColumns, RowArrays} from './schema.js';

/**
Returns what was counted between two snapshots of a session (`then` undefined: since its start): the rows with a sum
that grew, or changed if it is signed, with their sums subtracted. `isWanted` filters rows by index.
*/
export function rowsInWindow<C extends KeyedColumns>(
	columns: C,
	now: RowArrays<C>,
	then: RowArrays<C> | undefined,
	isWanted?: (index: number) => boolean,
): RowArrays<C> {
	const names = namesOf(columns);
	const sums = names.filter(name => columns[name].role === 'sum');
	if (!then && !isWanted && hasOnlyPositive(sums.map(name => now[name]), now.count)) {
		return now;
	}

	const thenCount = Math.min(then?.count ?? 0, now.count);
	const hasChanged = new Uint8Array(now.count);
	for (const name of sums) {
		markChanged(hasChanged, now[name], then?.[name], {thenCount, isSigned: columns[name].isSigned});
	}

	// The wanted rows by their place in the result.
	const indexes = new Int32Array(now.count);
	let count = 0;
	for (let index = 0; index < now.count; index++) {
		if (hasChanged[index] === 1 && (!isWanted || isWanted(index))) {
			indexes[count++] = index;
		}
	}

	const arrays = makeArrays(columns, names, (column, name) => {
		const result = newArray(column, count);
		const [values, before] = [now[name], column.role === 'sum' ? then?.[name] : undefined];
		for (let at = 0; at < count; at++) {
			result[at] = values[indexes[at]];
		}

		if (before) {
			for (let at = 0; at < count && indexes[at] < thenCount; at++) {
				const change = result[at] - before[indexes[at]];
				result[at] = column.isSigned ? change : Math.max(change, 0);
			}
		}

		return result;
	});
	return {count, ...arrays};
}

/** Sets `hasChanged` of rows whose value grew or, if it is signed, changed; `before` has the first `thenCount`. */
function markChanged(
	hasChanged: Uint8Array,
	values: ColumnArray,
	before: ColumnArray | undefined,
	{thenCount, isSigned}: {readonly thenCount: number; readonly isSigned?: boolean},
): void {
	for (let index = 0; index < thenCount; index++) {
		hasChanged[index] |= Number(values[index] > before![index] || (isSigned && values[index] !== before![index]));
	}

	for (let index = thenCount; index < values.length; index++) {
		hasChanged[index] |= Number(values[index] > 0 || (isSigned && values[index] !== 0));
	}
}

/** Whether every row has a sum above 0, as usual since the session's start: then nothing needs to be copied. */
function hasOnlyPositive([values, ...others]: readonly ColumnArray[], count: number): boolean {
	for (let index = 0; index < count; index++) {
		if (values[index] <= 0 && !hasPositive(others, index)) {
			return false;
		}
	}

	return true;
}

/** A separate function: a closure in the loop would allocate at each iteration. */
function hasPositive(columns: readonly ColumnArray[], index: number): boolean {
	return columns.some(values => values[index] > 0);
}
