import type {Snapshot} from '../../model/snapshot.js';
import type {Query, TreeRow} from '../types.js';
import type {OpenRow} from './open-row.js';
import type {RowsOf} from './opened.js';
import {openTree} from './tree.js';

type Texts<Row> = {readonly top?: number; readonly head: (row: Row) => object};

/** The whole tree as JSON, a text for each root, see `rowTexts`. */
export function treeTexts(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, texts: Texts<TreeRow>): Generator<string> {
	const {rowsOf} = openTree(snapshot, baseline, query);
	return rowTexts(rowsOf(0, undefined), rowsOf, texts);
}

/** A row that is not closed yet: what is left of its children. */
type Unfinished<Row> = {readonly children: readonly Row[]; at: number};

/**
Rows as JSON: what `head` says of each, with the rows below it as `children`; of each list `top` at most. Without
recursion: stacks may be deep.
*/
export function * rowTexts<Row extends OpenRow>(roots: readonly Row[], rowsOf: RowsOf<Row>, {top = Infinity, head}: Texts<Row>): Generator<string> {
	const firstOf = (rows: readonly Row[]) => Number.isFinite(top) ? rows.slice(0, top) : rows;
	for (const root of firstOf(roots)) {
		const pieces: string[] = [];
		const open: Array<Unfinished<Row>> = [];
		const begin = (row: Row) => {
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
