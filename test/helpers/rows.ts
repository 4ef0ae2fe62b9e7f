import {rootNode} from '../../source/model/frame.js';
import type {Dictionary} from '../../source/model/snapshot.js';

type Columns = {readonly count: number};
type Row<Of extends Columns> = {
	readonly [Name in Exclude<keyof Of, 'count'>]: Of[Name] extends ArrayLike<infer Value> ? Value
		: never;
};

/** The rows of a table whose columns are arrays. */
export function rowsOf<Of extends Columns>({count, ...columns}: Of): Array<Row<Of>> {
	const entries = Object.entries(columns as Record<string, ArrayLike<unknown>>);
	return Array.from(
		{length: count},
		(_, row) => Object.fromEntries(entries.map(([name, values]) => [name, values[row]])) as Row<Of>,
	);
}

/** The ids of a stack's frames, innermost first. */
export function frameIdsOf(
	{nodeParent, nodeFrame}: Pick<Dictionary, 'nodeParent' | 'nodeFrame'>,
	node: number,
): number[] {
	const frames: number[] = [];
	for (let at = node; at !== rootNode; at = nodeParent[at]) {
		frames.push(nodeFrame[at]);
	}

	return frames;
}
