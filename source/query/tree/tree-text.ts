import type {Snapshot} from '../../model/snapshot.js';
import type {Query, TreeRow} from '../types.js';
import {openTree} from './tree.js';

/** A row that is not closed yet: what is left of its children. */
type Unfinished = {readonly children: TreeRows; at: number};
type TreeRows = ReturnType<ReturnType<typeof openTree>['rowsOf']>;

/**
The whole tree as JSON, a text for each root: what `head` says of a row, with the rows below it as `children`; of each
list `top` at most. Without recursion: stacks may be deep.
*/
export function * treeTexts(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, {top = Infinity, head}: {readonly top?: number; readonly head: (row: TreeRow) => object}): Generator<string> {
	const {rowsOf} = openTree(snapshot, baseline, query);
	const firstOf = (rows: TreeRows) => Number.isFinite(top) ? rows.slice(0, top) : rows;
	for (const root of firstOf(rowsOf(0, undefined))) {
		const pieces: string[] = [];
		const open: Unfinished[] = [];
		const begin = (row: TreeRows[number]) => {
			pieces.push(`${JSON.stringify(head(row)).slice(0, -1)},"children":[`);
			open.push({children: firstOf(rowsOf(row.node, row)), at: 0});
		};

		begin(root);
		for (let last = open.at(-1); last; last = open.at(-1)) {
			const child = last.children.at(last.at);
			if (last.at < last.children.length && child) {
				pieces.push(last.at > 0 ? ',' : '');
				last.at++;
				begin(child);
			} else {
				pieces.push(']}');
				open.pop();
			}
		}

		yield pieces.join('');
	}
}
