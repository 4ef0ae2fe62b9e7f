import {cellWidth} from '../../util/cell-width.js';
import {joined, safe, type Printable} from '../../util/printable.js';
import type {Finding} from '../../query/types/query.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {elideEnd, wrapped, type Span} from '../text/spans.js';

type FindingData = Pick<ScreenData, 'findings' | 'table'>;

/** Returns all findings, the worst first: those in the program, the view's own, and those outside the program. */
export function allFindings({findings, table}: FindingData): readonly Finding[] {
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
export function selectedFinding({finding}: Pick<UiState, 'finding'>, data: FindingData): Finding | undefined {
	const all = allFindings(data);
	return all[finding % all.length];
}

/** Ends the first finding if not all fit, and names the key that shows the next one. */
const nextMark = safe` (!:next)`;

/** Ends the selected finding, and names the key that goes to its row. */
const selectedMark = safe` (Enter:go)`;

type FindingUi = Pick<UiState, 'finding' | 'isFindingSelected'>;

/** Returns the mark at the end of a finding, the one of `count` that is shown first. No row is outside the program. */
function markOf({isFindingSelected}: FindingUi, {isOutside}: Finding, count: number): Printable {
	return isFindingSelected && !isOutside ? selectedMark : (count > 1 ? nextMark : safe``);
}

/**
Returns all findings, each wrapped to lines, from that on which `!` has selected. With `isMarked`: with numbers
(`! 1/3 ...`), and a mark at the end of the first.
*/
export function findingLines(
	ui: FindingUi,
	data: FindingData,
	width: number,
	isMarked = false,
): ReadonlyArray<readonly Span[]> {
	const all = allFindings(data);
	const hasNumbers = isMarked && all.length > 1;
	const first = hasNumbers ? ui.finding % all.length : 0;
	return all.map((_, index) => (first + index) % all.length).map(index => {
		const finding = all[index];
		const {text, isAlarm} = finding;
		const bullet = hasNumbers ? safe`! ${index + 1}/${all.length} ` : safe`! `;
		const mark = isMarked && index === first ? markOf(ui, finding, all.length) : safe``;
		return wrapped(safe`${text}${mark}`, Math.max(1, width - bullet.length)).map((line, at): Span => ({
			text: safe`${(at === 0 ? bullet : safe` `.repeat(bullet.length))}${line}`, role: isAlarm ? 'error' : 'hot',
		}));
	});
}

/**
Returns the first `room` lines of the findings; if not all fit, with numbers and a mark. If `!` has selected a finding,
its lines alone.
*/
export function fittingLines(ui: FindingUi, data: FindingData, width: number, room: number): readonly Span[] {
	const lines = findingLines(ui, data, width).flat();
	if (lines.length <= room && !ui.isFindingSelected) {
		return lines;
	}

	const [first = [], ...others] = findingLines(ui, data, width, true);
	if (first.length <= room) {
		return [first, ...(ui.isFindingSelected ? [] : others)].flat().slice(0, room);
	}

	// The last line gets the rest of the finding, truncated before the mark.
	const mark = markOf(ui, selectedFinding(ui, data)!, others.length + 1);
	const rest = joined(first.slice(room - 1).map(({text}, index) => index === 0 ? text : text.trimStart()), safe` `);
	const elided = elideEnd(rest.slice(0, -mark.length || undefined), width - cellWidth(mark));
	// Half a word may read as another.
	const shown = elided.replace(/ \S*…$/, safe`…`);
	return [...first.slice(0, room - 1), {...first[0], text: safe`${shown}${mark}`}];
}
