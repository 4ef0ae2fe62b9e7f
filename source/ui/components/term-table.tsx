import {Text} from 'ink';
import {Table, type CellProps} from 'ink-table';
import {printable, type Printable} from '../../util/printable.js';
import {pad} from '../text/spans.js';
import {useTheme} from './text.js';

/** A row of a table of terms: a key, a word or a column, and a line of what is said of it. */
export type TermRow = {readonly term: Printable; readonly text: string};

/** Cells of the column of terms, with the blank after it. */
export const termWidth = 17;

/** Terms with their descriptions beside them. ink-table draws them, here without headings and rules. */
export function TermTable({rows}: {readonly rows: readonly TermRow[]}) {
	// A column is as wide as its longest value, with a blank on either side.
	const data = rows.map(({term, text}) => ({term: pad(term, termWidth - 1), text}));
	return <Table data={data} columns={['term', 'text']} header={Nothing} skeleton={Nothing} cell={TermCell}/>;
}

function TermCell({column, children}: CellProps) {
	const theme = useTheme();
	const text = typeof children === 'string' ? theme.shown(printable(children.slice(1), Infinity)) : '';
	return column === 0 ? <Text {...theme.styleOf('key')}>{text}</Text> : <Text>{text.trimEnd()}</Text>;
}

function Nothing() {
	return null;
}
