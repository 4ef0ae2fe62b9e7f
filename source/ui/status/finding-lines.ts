import {cellWidth} from '../../util/cell-width.js';
import {joined, safe, type Printable} from '../../util/printable.js';
import type {Finding} from '../../query/types/query.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {elideEnd, wrapped, type Span} from '../text/spans.js';

/** Returns all findings, the worst first: those in the program, the view's own, and those outside the program. */
export function allFindings({findings, table}: Pick<ScreenData, 'findings' | 'table'>): readonly Finding[] {
	const ofView: Finding[] = table?.finding === undefined ? [] : [{id: 'view', text: table.finding, figures: {}}];
	// Rows of another measure than the query's are waits. The sentence only says so: it is no problem beside others.
	const isCause = table?.measure === undefined || findings.length === 0;
	const [inside, outside] = [
		findings.filter(({isOutside}) => !isOutside),
		findings.filter(({isOutside}) => isOutside),
	];
	return [...inside, ...(isCause ? ofView : []), ...outside];
}

/** Ends the last line if findings do not fit, and names the key that shows the next one. */
const nextMark = ' (! next)';

/** Returns all findings, each wrapped to lines, from that on which `!` has selected. With `isNumbered`: `! 1/3 ...`. */
export function findingLines(
	{finding: selected}: Pick<UiState, 'finding'>,
	data: ScreenData,
	width: number,
	isNumbered = false,
): ReadonlyArray<readonly Span[]> {
	const all = allFindings(data);
	const hasNumbers = isNumbered && all.length > 1;
	const first = hasNumbers ? selected % all.length : 0;
	return all.map((_, index) => (first + index) % all.length).map(index => {
		const {text, isAlarm} = all[index];
		const bullet = hasNumbers ? safe`! ${index + 1}/${all.length} ` : safe`! `;
		return wrapped(text, Math.max(1, width - bullet.length)).map((line, at): Span => ({
			text: safe`${(at === 0 ? bullet : safe` `.repeat(bullet.length))}${line}`, role: isAlarm ? 'error' : 'hot',
		}));
	});
}

/** Returns the first `room` lines of the findings; if not all fit, with numbers, and `nextMark` at the end. */
export function fittingLines(ui: UiState, data: ScreenData, width: number, room: number): readonly Span[] {
	const lines = findingLines(ui, data, width).flat();
	if (lines.length <= room) {
		return lines;
	}

	const [first, ...others] = findingLines(ui, data, width, true);
	// A single line gets all of the first finding, which is then truncated at its end.
	const only: Span = {
		...first[0],
		text: joined(first.map(({text}, index) => index === 0 ? text : text.trimStart()), safe` `),
	};
	const kept = room === 1 ? [only] : [first, ...others].flat().slice(0, room);
	const last = kept.at(-1)!;
	if (others.length === 0) {
		return [...kept.slice(0, -1), {...last, text: elideEnd(last.text, width)}];
	}

	return [...kept.slice(0, -1), {...last, text: elideEnd(withNextMark(last.text, width), width)}];
}

/** Returns the text, or the whole words of it that fit, followed by `nextMark`. */
function withNextMark(text: Printable, width: number): Printable {
	const fits = cellWidth(text) + nextMark.length <= width;
	return safe`${(fits ? text : safe`${wrapped(text, width - nextMark.length - ' …'.length)[0]} …`)}${nextMark}`;
}
