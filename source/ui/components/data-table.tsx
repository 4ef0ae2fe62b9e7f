/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {Table} from 'ink-table';
import {memo} from 'react';
import {Cell} from './lines.js';

/** Texts of a row, by the ids of columns. */
export type Slot = Readonly<Record<string, string>>;

type ColumnPlace = {readonly column: string; readonly width: number};

type RowProps = {readonly columns: readonly ColumnPlace[]; readonly texts: Slot};

function isSameRow(a: RowProps, b: RowProps): boolean {
	for (let index = 0; index < b.columns.length; index++) {
		const before = a.columns[index] as ColumnPlace | undefined;
		const {column, width} = b.columns[index];
		if (before?.column !== column || before.width !== width || a.texts[column] !== b.texts[column]) {
			return false;
		}
	}

	return a.columns.length === b.columns.length;
}

/** A line of cells. It is drawn again when one of them changed, and then that one alone. */
const TableRow = memo(({columns, texts}: RowProps) => (
	<Box>
		{columns.map(({column, width}) => width > 0 ? <Cell key={column} text={texts[column] ?? ''} width={width}/> : null)}
	</Box>
), isSameRow);

type DataTableProps = {
	/** Ids, and as many widths in cells of the terminal. */
	readonly columns: string[];
	readonly widths: readonly number[];
	/** Undefined for no line with headings. */
	readonly headings: Slot | undefined;
	/** One for each line of the screen. */
	readonly data: Slot[];
};

/**
The table: a cell for each cell of it. This is the one place where something of ink-table is replaced, and none of it has
a setting: `render` draws lines between rows and gives rows hashes of their data as keys, so that a row that changed is
taken down and built anew (in a prototype a refresh at 200 x 60 took 46 ms of CPU with it as it is, and 32 like this),
and `getColumns` takes widths from the data, a cell a UTF-16 unit. Here a row is what stands in its slot, a line of the
screen.
*/
export class DataTable extends Table<Slot> {
	declare readonly props: DataTableProps;

	override getColumns() {
		const {columns, widths} = this.props;
		return columns.map((column, index) => ({
			key: column, column, width: widths[index], align: 'left' as const,
		}));
	}

	override render() {
		const {data, headings} = this.props;
		const columns = this.getColumns();
		return (
			<Box flexDirection='column'>
				{headings ? <TableRow columns={columns} texts={headings}/> : null}
				{data.map((texts, slot) => (
					// eslint-disable-next-line react/no-array-index-key -- A row is what stands in its slot.
					<TableRow key={slot} columns={columns} texts={texts}/>
				))}
			</Box>
		);
	}
}
