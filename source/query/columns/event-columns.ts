import {eventKinds, type EventKind} from '../../model/schema.js';
import {figureColumn, type Column} from './column.js';
import {formats} from './format.js';

const looks = {
	alloc: {heading: 'ALLOC/s', title: 'bytes allocated', width: 7, format: formats.bytes},
	exceptions: {heading: 'EXC/s', title: 'exceptions', width: 6, format: formats.perS},
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
