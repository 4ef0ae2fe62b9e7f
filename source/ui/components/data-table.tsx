/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {Table} from 'ink-table';
import type {Component} from 'react';
import type {Spans} from '../text/spans.js';
import {Line} from './text.js';

/** The cells of a row: each as wide as its column, with the gap before it. */
export type RowCells = readonly Spans[];

type DataTableProps = {
	/** Undefined for a table without headings. */
	readonly headings: RowCells | undefined;
	/** One for each line of the screen. */
	readonly data: readonly RowCells[];
	readonly width: number;
};

/** ink-table's own type knows no other cells than texts. */
const InkTable = Table as unknown as new (props: DataTableProps) => Component<DataTableProps>;

/**
Headings and rows. ink-table has no setting for what this replaces: column widths, rows without rules between them, and
rows that stay mounted when their data changes. docs/upstream/ink-table.md offers those.
*/
export class DataTable extends InkTable {
	override render() {
		const {headings, data, width} = this.props;
		return (
			<Box flexDirection='column'>
				{headings ? <Line spans={headings.flat()} width={width}/> : null}
				{/* eslint-disable-next-line react/no-array-index-key -- A row is what is on its line. */}
				{data.map((cells, line) => <Line key={line} spans={cells.flat()} width={width}/>)}
			</Box>
		);
	}
}
