import {eventKinds, type EventKind} from '../../model/schema.js';
import {fromNames} from '../../model/column-types.js';
import {safe, type Printable} from '../../util/printable.js';
import {isOfEvents, type Measure, type Query} from '../types/query.js';
import {figureColumn, type Column} from './column.js';
import {formatCount, formatMs, formats, type Format} from './format.js';

/** Returns an amount in a unit in words: of CPU time or of events. */
export function amountText(unit: Measure, amount: number): Printable {
	return isOfEvents(unit)
		? safe`${amounts[unit].format.text(amount)} ${amounts[unit].what}`
		: safe`${formatMs(amount)} ms CPU`;
}

/** Returns what an amount in a unit is called, such as in a list of profiles: CPU time, or what is of events. */
export function titleOf(unit: Measure): Printable {
	return isOfEvents(unit) ? amounts[unit].title : safe`CPU time`;
}

/** Returns `amountText` and, if it is of CPU time, the ticks. */
export function amountsText(unit: Measure, amount: number, ticks: number): Printable {
	const text = amountText(unit, amount);
	return isOfEvents(unit) ? text : safe`${text}, ${formatCount(ticks)} ticks`;
}

/** Returns what a column of amounts in a unit is called, and how it writes them. */
export function amountsIn(unit: Measure): {readonly heading: Printable; readonly format: Format} {
	return isOfEvents(unit) ? amounts[unit] : {heading: safe`CPU ms`, format: formats.cpuMs};
}

const amounts = {
	alloc: {heading: safe`BYTES`, format: formats.bytes, what: safe`allocated`, title: safe`bytes allocated`},
	exceptions: {heading: safe`EXC`, format: formats.count, what: safe`exceptions`, title: safe`exceptions`},
	starts: {heading: safe`STARTS`, format: formats.count, what: safe`threads started`, title: safe`threads started`},
} as const satisfies Readonly<Record<EventKind, object>>;

/** Returns a column of CPU time in milliseconds or, if figures are of events, of what they count for. */
export function amountColumn<Row>(
	of: (row: Row) => number,
	settings: Pick<Column<Row>, 'description' | 'fromColumns'>,
): Column<Row> {
	return figureColumn('cpu', of, formats.cpuMs, {
		heading: 'CPU ms',
		measureHeadings: fromNames(eventKinds, kind => amounts[kind].heading),
		title: 'CPU time',
		width: 8,
		value: (row, {measure}) => amountsIn(measure).format.text(of(row)),
		...settings,
	});
}

/** Settings of a column that has nothing while figures are of events. */
export const notOfEvents = {
	onlyWithValues: true,
	isWithoutValues: (_rows: readonly unknown[], {unit}: Query) => isOfEvents(unit),
} as const;

const looks = {
	alloc: {heading: 'ALLOC/s', title: 'bytes allocated', width: 7, format: formats.bytes},
	exceptions: {heading: 'EXC/s', title: 'exceptions', width: 6, format: formats.perS},
	starts: {heading: 'STARTS/s', title: 'threads started', width: 8, format: formats.perS},
} as const satisfies Readonly<Record<EventKind, object>>;

/** Events of a row: what those of a kind count for, and the same a second. */
type EventsOf<Row> = {
	amount(row: Row, kind: EventKind): number;
	perS(row: Row, kind: EventKind): number;
};

/**
Returns a column for each kind of event, which is there if the kind was recorded. `what` describes a row's figure.
*/
export function eventFigures<Row>(
	{amount, perS}: EventsOf<Row>,
	what: Readonly<Record<EventKind, string>>,
): Array<Column<Row>> {
	return eventKinds.map(kind => {
		const {format, ...look} = looks[kind];
		const isBlank = (row: Row) => amount(row, kind) <= 0;
		return figureColumn<Row>(kind, row => perS(row, kind), format, {
			...look,
			fromColumns: 0,
			description: `${what[kind]}, if that is recorded (A, --events ${kind})`,
			isBlank,
			onlyWithValues: true,
			isWithoutValues: rows => rows.every(row => isBlank(row)),
		});
	});
}
