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

/** Returns the finding that `!` has selected, or the first; undefined if there is none. */
export function selectedFinding({finding}: Pick<UiState, 'finding'>, data: ScreenData): Finding | undefined {
	const all = allFindings(data);
	return all[finding % all.length];
}

/** Ends the last line if findings do not fit, and names the key that shows the next one. */
const nextMark = safe` (! next)`;

/** Ends the selected finding, and names the key that goes to its row. */
const selectedMark = safe` (Enter: go)`;

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

/**
Returns the first `room` lines of the findings; if not all fit, with numbers, and `nextMark` at the end. If `!` has
selected a finding, its lines alone, with `selectedMark`.
*/
export function fittingLines(ui: UiState, data: ScreenData, width: number, room: number): readonly Span[] {
	const lines = findingLines(ui, data, width).flat();
	if (lines.length <= room && !ui.isFindingSelected) {
		return lines;
	}

	const [first = [], ...more] = findingLines(ui, data, width, true);
	if (first.length === 0) {
		return [];
	}

	const others = ui.isFindingSelected ? [] : more;
	const mark = ui.isFindingSelected ? selectedMark : (others.length > 0 ? nextMark : safe``);
	// A single line gets all of the first finding, which is then truncated at its end.
	const only: Span = {
		...first[0],
		text: joined(first.map(({text}, index) => index === 0 ? text : text.trimStart()), safe` `),
	};
	const kept = room === 1 ? [only] : [first, ...others].flat().slice(0, room);
	const last = kept.at(-1)!;
	return [...kept.slice(0, -1), {...last, text: elideEnd(withMark(last.text, mark, width), width)}];
}

/** Returns the text, or the whole words of it that fit, followed by the mark. */
function withMark(text: Printable, mark: Printable, width: number): Printable {
	const fits = mark === '' || cellWidth(text) + mark.length <= width;
	return safe`${(fits ? text : safe`${wrapped(text, width - mark.length - ' …'.length)[0]} …`)}${mark}`;
}
