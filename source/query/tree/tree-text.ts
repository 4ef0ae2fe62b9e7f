import type {CallNode, CallTree} from './call-tree.js';

/** What a text says of each row, and how many rows of a list it has at most. */
export type TreeTexts<Row> = {readonly top?: number; readonly head: (row: Row) => object};

/** A row that is not closed yet: what is left of its children. */
type Unfinished<Row> = {readonly row: Row; readonly children: readonly Row[]; at: number};

/**
Some rows as JSON: what `head` says of each, with the rows below it as `children`; of each list `top` at most.
Without recursion: stacks may be deep.
*/
export function * rowTexts<Row extends CallNode>(tree: CallTree<Row>, roots: readonly Row[], {top = Infinity, head}: TreeTexts<Row>): Generator<string> {
	for (const root of roots.slice(0, top)) {
		const pieces: string[] = [];
		const open: Array<Unfinished<Row>> = [];
		const begin = (row: Row) => {
			pieces.push(`${JSON.stringify(head(row)).slice(0, -1)},"children":[`);
			open.push({row, children: tree.below(row).slice(0, top), at: 0});
		};

		begin(root);
		for (let last = open.at(-1); last; last = open.at(-1)) {
			const child = last.children.at(last.at);
			if (child === undefined) {
				pieces.push(']}');
				last.row.forget();
				open.pop();
			} else {
				pieces.push(last.at > 0 ? ',' : '');
				last.at++;
				begin(child);
			}
		}

		yield pieces.join('');
	}
}
