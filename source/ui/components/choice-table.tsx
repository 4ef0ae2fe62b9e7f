import {Box} from 'ink';
import {joined, safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {shownRows, type ChoiceRow, type ChooserState} from '../state/reduce-chooser.js';
import {elideEnd, fit, type Spans} from '../text/spans.js';
import {Line, Lines} from './text.js';

/** A column before the name. */
export type ChoiceColumn = {
	readonly heading: Printable;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown. */
	readonly fromColumns: number;
};

/** What there is to choose from. Texts are printable. */
export type ChoiceList = {
	readonly title: Printable;
	/** Where the rows are from. */
	readonly from?: Printable;
	readonly columns: readonly ChoiceColumn[];
	readonly nameHeading: Printable;
	readonly rows: readonly ChoiceRow[];
	/** Shown if there are no rows. */
	readonly none: Printable;
	/** Shown while there is no other message. */
	readonly message?: Printable;
};

type ChoiceTableProps = {
	readonly state: ChooserState;
	readonly choices: ChoiceList;
	readonly width: number;
	/** The rows that fit. */
	readonly room: number;
};

/** Rows to choose from: the selected one and those around it, or why there are none. */
export function ChoiceTable({state, choices, width, room}: ChoiceTableProps) {
	const {rows, none} = choices;
	const format = lineFormatter(choices.columns, rows, width);
	const {matches, scrollTop, selected} = shownRows(state, rows, room);
	const shown = matches.slice(scrollTop, scrollTop + room);
	const hitArea = useHitArea(line => {
		const row = shown.at(line);
		return row && {kind: 'row', key: row.id};
	});
	if (shown.length === 0) {
		const reason = elideEnd(rows.length === 0 ? none : safe`nothing matches; Esc clears the filter`, width);
		const line: Spans = [{text: reason, role: 'dim'}];
		return <Lines lines={[line]} width={width} height={room}/>;
	}

	return (
		<Box ref={hitArea} flexDirection='column' height={room}>
			{shown.map((row, index) => (
				<Choice
					key={row.id}
					row={row}
					isSelected={scrollTop + index === selected}
					format={format}
					width={width}
				/>
			))}
		</Box>
	);
}

type ChoiceProps = {
	readonly row: ChoiceRow;
	readonly isSelected: boolean;
	readonly format: LineFormatter;
	readonly width: number;
};

function Choice({row: {cells, name, problem}, isSelected, format, width}: ChoiceProps) {
	const text = format(cells, problem === undefined ? name : safe`${name} (${problem})`);
	const role = isSelected ? 'selected' : (problem === undefined ? undefined : 'dim');
	return <Line spans={[{text: safe`${isSelected ? '>' : ' '}${text}`, role}]} width={width}/>;
}

export function ChoiceHeading({choices, width}: Pick<ChoiceTableProps, 'choices' | 'width'>) {
	const {columns, nameHeading, rows} = choices;
	const text = lineFormatter(columns, rows, width)(columns.map(({heading}) => heading), nameHeading);
	return <Line spans={[{text: safe` ${text}`, role: 'heading'}]} width={width}/>;
}

type LineFormatter = (cells: readonly Printable[], name: Printable) => Printable;

/**
Returns a formatter of lines: the columns for this screen width, each as wide as its longest cell, at most half the
screen. `width`: screen columns - 1.
*/
function lineFormatter(columns: readonly ChoiceColumn[], rows: readonly ChoiceRow[], width: number): LineFormatter {
	const visibleColumns = columns.map(({heading, align, fromColumns}, index) => ({
		index,
		align,
		fromColumns,
		cells: Math.min(
			Math.floor(width / 2),
			Math.max(cellWidth(heading), ...rows.map(row => cellWidth(row.cells[index]))),
		),
	})).filter(({fromColumns}) => width + 1 >= fromColumns);
	return (cells, name) => {
		const fitted = visibleColumns.map(column => fit(cells[column.index], column.cells, column.align));
		return elideEnd(joined([...fitted, name], safe` `), Math.max(0, width - 1));
	};
}
