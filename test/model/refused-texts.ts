import type {Column} from '../../source/query/columns/column.js';
import type {SourceStatus} from '../../source/model/source.js';
import type {Location} from '../../source/query/types/query.js';
import {elideEnd} from '../../source/util/cell-width.js';
import {joined, safe} from '../../source/util/printable.js';
import {UserError} from '../../source/runtime/errors.js';
import type {Span} from '../../source/ui/text/spans.js';

/** What the compiler refuses: `npm run types` fails if it accepts one of these raw texts. Nothing runs this. */
export function refusedTexts(raw: string, isKnown: boolean): unknown[] {
	// @ts-expect-error A piece of a line takes only printable text.
	const span: Span = {text: raw};
	// @ts-expect-error So does a name in a snapshot,
	const location: Location = {className: raw, method: safe`run`, file: safe``, line: 1};
	// @ts-expect-error and what a session says of itself.
	const status: SourceStatus = {phase: 'failed', stale: false, message: raw};
	// @ts-expect-error A column's cell is printable.
	const value: Column<string>['value'] = row => row;
	// The message of an error is printable, whatever it is made from; a raw text is not.
	const message: Span = {text: new UserError(raw).message};
	// @ts-expect-error An error's message cannot be replaced by a raw text.
	const error: Pick<UserError, 'message'> = {message: raw};
	return [
		span,
		location,
		status,
		value,
		message,
		error,
		// @ts-expect-error A template of our own takes no raw text,
		safe`class ${raw}`,
		// @ts-expect-error not in a template within it,
		safe`class ${`of ${raw}`}`,
		// @ts-expect-error nor in one of two cases.
		safe`class ${isKnown ? raw : 'unknown'}`,
		// @ts-expect-error Printable texts are joined, not raw ones.
		joined([raw], safe`, `),
		// @ts-expect-error Nor is a raw text elided to cells.
		elideEnd(raw, 10),
	];
}
