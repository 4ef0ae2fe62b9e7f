import path from 'node:path';
import {formatOf} from '../exports/formats/format-registry.js';
import {isBackend} from '../fleet/backend-address.js';
import type {Options} from '../options/parse.js';
import {queryOfOptions} from '../options/query-options.js';
import {usage} from '../runtime/errors.js';
import {printable} from '../util/printable.js';
import {comparingView} from '../views/view-registry.js';

/**
Returns the options with the snapshot of --compare. If the command opens a backend, `file` may be labels: the command
itself asks the backend for these. Throws UserError.
*/
export async function withBaseline(options: Options, file: string, backend: string | undefined): Promise<Options> {
	const compared = comparing(options);
	if (backend !== undefined) {
		const {labelSet} = await import('../fleet/querier.js');
		if (labelSet(file)) {
			return compared;
		}
	}

	const {openSaved} = await import('./recording.js');
	const {snapshot} = await openSaved(file, options.headers, backend);
	return {
		...compared,
		baseline: {snapshot, since: undefined, title: printable(isBackend(file) ? file : path.basename(file))},
	};
}

/**
Returns the options with the Changes view, unless they name a view, or a format that compares. Throws UserError (2).
*/
export function comparing(options: Options): Options {
	const formatCompares = !options.onScreen && formatOf(options.format).comparesWithBaseline;
	const compared = {...options, view: options.view ?? (formatCompares ? undefined : comparingView.id)};
	if (options.measure !== 'cpu' && compared.view === comparingView.id) {
		throw usage(`${comparingView.title} has only CPU time and ticks`, 'with --measure, --format html compares');
	}

	// Throws if --sort names no column of this view.
	queryOfOptions(compared);
	return compared;
}
