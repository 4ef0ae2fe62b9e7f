import {wrapAt} from '../../exports/formats/text-table.js';
import {readProbe} from '../../probes/library.js';
import {shippedProbes} from '../../probes/shipped.js';

const width = 100;

/** The probes that ship, and what each watches. Throws UserError. */
export function probesText(): string {
	const lines = shippedProbes.flatMap(name => {
		const {about, states, points, counters} = readProbe(name);
		const classes = [...new Set(points.map(({className}) => className.replace(/^.*\./, '')))];
		return [
			name,
			...wrapAt(' ', `  ${about}`, width, '  '),
			...wrapAt(', ', `  states: ${states.map(({title}) => title).join(', ')}`, width, '    '),
			...wrapAt(', ', `  watches: ${classes.join(', ')}`, width, '    '),
			...(counters.length > 0 ? wrapAt(', ', `  counters: ${counters.map(counter => counter.name).join(', ')}`, width, '    ') : []),
			'',
		];
	});
	return `${lines.join('\n')}A probe of your own is a file: --probe FILE; docs/probes.md says what it has.\n`;
}
