import {Text} from 'ink';
import {Table, type CellProps} from 'ink-table';
import {memo, type PropsWithChildren} from 'react';
import {printable, type Printable} from '../../util/printable.js';
import {fit} from '../text/spans.js';
import {useTheme} from './text.js';

/** A row of a table of terms: a key, a word or a column, and a line of its explanation. */
export type TermRow = {readonly term: Printable; readonly text: Printable};

/** A row of such a table, or its heading; `heading` is the table's. */
export type TermLine = TermRow & {readonly heading: TermRow};

/** Cells of the column of terms. */
export const termCells = 15;

/** Cells of a line besides its two texts: three rules, and a blank on either side of each text. */
const otherCells = 7;

/** Returns how many cells the texts of a table of this width have. */
export function textCells(width: number): number {
	return width - termCells - otherCells;
}

type TermTableProps = {readonly heading: TermRow; readonly rows: readonly TermRow[]; readonly width: number};

/** Terms with their explanations beside them, below a heading. */
export const TermTable = memo(({heading, rows, width}: TermTableProps) => {
	const cellsOf = ({term, text}: TermRow) => [fit(term, termCells), fit(text, textCells(width))];
	const columns = cellsOf(heading);
	const data = rows.map(row => Object.fromEntries(cellsOf(row).map((cell, column) => [columns[column], cell])));
	return <Table data={data} columns={columns} header={HeadingCell} cell={TermCell} skeleton={VerticalRule}/>;
}, (before, after) => (
	before.width === after.width && isSame(before.heading, after.heading)
	&& before.rows.length === after.rows.length && before.rows.every((row, index) => isSame(row, after.rows[index]))
));

function isSame(before: TermRow, after: TermRow): boolean {
	return before.term === after.term && before.text === after.text;
}

function HeadingCell({children}: PropsWithChildren) {
	return <Text {...useTheme().styleOf('heading')}>{useShown(children)}</Text>;
}

function TermCell({column, children}: CellProps) {
	return <Text {...useTheme().styleOf(column === 0 ? 'key' : undefined)}>{useShown(children)}</Text>;
}

/** The rules between columns. The ones between rows would take as many lines as the rows. */
function VerticalRule({children}: PropsWithChildren) {
	const style = useTheme().styleOf('dim');
	const shown = useShown(children);
	return children === '│' ? <Text {...style}>{shown}</Text> : null;
}

/** Returns a text of ink-table as the terminal can show it. */
function useShown(children: PropsWithChildren['children']): string {
	return useTheme().shown(printable(typeof children === 'string' ? children : '', Infinity));
}
