/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {Table} from 'ink-table';
import type {Component} from 'react';
import type {Spans} from '../text/spans.js';
import {Line} from './text.js';

/** The cells of a row: each as wide as its column, with the gap before it. */
export type RowCells = readonly Spans[];

/** A row is one text, not one for each cell: the terminal gets changed lines whole anyway. */
function Row({cells, width}: {readonly cells: RowCells; readonly width: number}) {
	return <Line spans={cells.flat()} width={width}/>;
}

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
Headings and rows. ink-table has no setting for what this replaces: it measures the data to find widths, draws lines
between rows, and builds a row that changed anew, as its key is a hash of its data.
*/
export class DataTable extends InkTable {
	override render() {
		const {headings, data, width} = this.props;
		return (
			<Box flexDirection='column'>
				{headings ? <Row cells={headings} width={width}/> : null}
				{data.map((cells, line) => (
					// eslint-disable-next-line react/no-array-index-key -- A row is what stands on its line.
					<Row key={line} cells={cells} width={width}/>
				))}
			</Box>
		);
	}
}
