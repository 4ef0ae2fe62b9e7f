import {printable, safe, type Printable} from '../../util/printable.js';
import {deadlockText} from '../../query/locks/deadlocks.js';
import type {Column} from '../../query/columns/column.js';
import {views} from '../../views/view-registry.js';
import type {ViewRow} from '../../views/common/view.js';
import {allFindings} from '../status/finding-lines.js';
import {headerWords, programTexts} from '../status/items.js';
import {messageOf} from '../status/session-states.js';
import {samplingFigures, warningsOf} from '../status/sampling.js';
import {
	labelAfter,
	type KeyChanges,
	byGroup,
	keysOf,
	type KeyContext,
	type KeyBinding,
	type SourceKind,
} from '../state/keys.js';
import {sourceKindOf, type ScreenData} from '../state/screen-data.js';
import type {HelpLayer, UiState} from '../state/state.js';
import {elideEnd, wrapped, wrappedSpans, type Spans} from '../text/spans.js';
import {termCells, textCells, type TermLine, type TermRow} from './term-table.js';

/** Returns the context that the help is for: the detail, if one is open below it, or the view. */
function helpContext({layers, view}: UiState): KeyContext {
	return layers.some(({kind}) => kind === 'detail') ? 'detail' : view;
}

export function helpTitle({isOfView}: HelpLayer, ui: UiState): Printable {
	const context = helpContext(ui);
	return isOfView
		? safe`Help, ${printable(views.find(({id}) => id === context)?.title ?? 'a row\'s detail')}`
		: safe`Help`;
}

/** Returns the lines of the help layer: for the whole program, or for the current view or detail alone. */
export function helpOf({isOfView}: HelpLayer, ui: UiState, data: ScreenData, width: number): readonly HelpLine[] {
	return (isOfView ? viewHelpLines : helpLines)(helpContext(ui), width, {
		findings: [
			...(data.summary?.deadlocks ?? []).map(deadlock => deadlockText(deadlock)),
			...allFindings(data).filter(({isAlarm}) => !isAlarm).map(({text}) => text),
		],
		program: programTexts(ui, data),
		warnings: warningsOf(data).map(({whole}) => whole),
		notes: [...new Set([
			messageOf(ui, data).text,
			data.status.note ?? safe``,
			data.status.lineNote ?? safe``,
			...ui.notes,
		])]
			.filter(Boolean),
		sampling: samplingFigures.flatMap(({word, meaning, value}) => {
			const text = value(data);
			return text === undefined ? [] : [{word, meaning: `${text}: ${meaning}`}];
		}),
		source: sourceKindOf(data),
		keyChanges: ui.keyChanges,
	});
}

/** A line of the help: one of its own, or a line of a table of terms. */
export type HelpLine = Spans | TermLine;

/** On a screen narrower than this, each term has a line of its own. */
const narrowWidth = 60;
const narrowIndent = 3;

/** What the help says of the session, and what keys depend on. */
type HelpFacts = {
	readonly findings: readonly Printable[];
	readonly program: readonly Printable[];
	readonly sampling: ReadonlyArray<{readonly word: Printable; readonly meaning: string}>;
	readonly warnings: readonly Printable[];
	readonly notes: readonly Printable[];
	readonly source: SourceKind;
	readonly keyChanges?: KeyChanges;
};

const noFacts: HelpFacts = {findings: [], program: [], sampling: [], warnings: [], notes: [], source: 'jvm'};

/** Returns the whole help: words of the header, the session, the context's keys and columns, keys of other contexts. */
export function helpLines(context: KeyContext, width: number, facts: HelpFacts = noFacts): HelpLine[] {
	const {source, keyChanges} = facts;
	const keys = (bindings: readonly KeyBinding[], changes = keyChanges) =>
		bindings.flatMap(binding => describedKey(binding, changes));
	const isDetail = context === 'detail';
	return [
		...termSection(
			{term: safe`Header`, text: safe`what its words mean`},
			headerWords.map(({word, meaning}) => ({term: printable(word), text: printable(meaning, Infinity)})),
			width,
		),
		...sessionLines(facts, width),
		...samplingLines(facts, width),
		...byGroup(keysOf(context, source)).flatMap(({title, bindings}) => termSection({
			term: printable(title), text: isDetail ? safe`in a row's detail` : safe``,
		}, keys(bindings), width)),
		...columnLines(views.find(({id}) => id === context)?.columns ?? [], width),
		...(isDetail
			? []
			: termSection({term: safe`Keys`, text: safe`in a row's detail`}, keys(keysOf('detail', source)), width)),
		// Key changes do not apply where text is typed.
		...(isDetail
			? []
			: termSection({
				term: safe`Keys`, text: safe`where text is typed`,
			}, keys(keysOf('input', source), new Map()), width)),
	].slice(0, -1);
}

/** Returns the help for a view or for a row's detail: the session, what the view shows, its columns, its keys. */
export function viewHelpLines(context: KeyContext, width: number, facts: HelpFacts = noFacts): HelpLine[] {
	const {source, keyChanges} = facts;
	const view = views.find(({id}) => id === context);
	const bindings = keysOf(context, source).filter(({action, press}) =>
		!view || press !== undefined || commonActions.has(action));
	return [
		...sessionLines(facts, width),
		...(view ? section(printable(view.title), indented(printable(view.about), width), width) : []),
		...columnLines(view?.columns ?? [], width),
		...termSection(
			{term: safe`Keys`, text: view ? safe`what they do` : safe`in a row's detail`},
			bindings.flatMap(binding => describedKey(binding, keyChanges)),
			width,
		),
		...samplingLines(facts, width),
		...wrappedSpans(safe`h: the words of the header and all keys`, width, 'dim'),
	];
}

/** Returns the help for a list to choose from: its columns, and its keys. */
export function chooserHelpLines(
	columns: ReadonlyArray<{readonly heading: Printable; readonly description: Printable}>,
	source: SourceKind,
	width: number,
): HelpLine[] {
	// A column may have a variant for narrow screens.
	const terms = new Map(columns.map(({heading, description}) => [heading, description]));
	return [
		...termSection(
			{term: safe`Columns`, text: safe`wider terminals show more`},
			Array.from(terms, ([term, text]) => ({term, text})),
			width,
		),
		...termSection(
			{term: safe`Keys`, text: safe`what they do`},
			keysOf('chooser', source).flatMap(binding => describedKey(binding)),
			width,
		),
	].slice(0, -1);
}

/** Actions of all views that the help for a view lists beside the view's own keys. */
const commonActions: ReadonlySet<KeyBinding['action']> = new Set([
	'open',
	'focus',
	'filter',
	'only-threads',
	'next-view',
	'sort-menu',
]);

function samplingLines({sampling}: HelpFacts, width: number): HelpLine[] {
	return termSection(
		{term: safe`Sampling`, text: safe`how it goes`},
		sampling.map(({word, meaning}) => ({term: word, text: printable(meaning, Infinity)})),
		width,
	);
}

function sessionLines({findings, program, warnings, notes}: HelpFacts, width: number): HelpLine[] {
	return [
		...section(safe`Found`, findings.flatMap(text => indented(text, width, 'hot')), width),
		...section(safe`The program`, program.flatMap(text => indented(text, width)), width),
		...section(safe`Warnings`, warnings.flatMap(text => indented(text, width, 'error')), width),
		...section(safe`Notes`, notes.flatMap(text => indented(text, width)), width),
	];
}

function columnLines(columns: ReadonlyArray<Column<ViewRow>>, width: number): HelpLine[] {
	return termSection(
		{term: safe`Columns`, text: safe`wider terminals show more; C chooses`},
		columns.map(({heading, title, description}) => ({
			term: printable(heading) || printable(title), text: printable(description, Infinity),
		})),
		width,
	);
}

/** Returns a binding's keys and what they do; nothing if the user has remapped all of them. */
function describedKey(binding: KeyBinding, changes: KeyChanges = new Map()): TermRow[] {
	const term = labelAfter(changes, binding);
	return term === '' ? [] : [{term, text: printable(binding.help, Infinity)}];
}

function section(title: Printable, lines: readonly Spans[], width: number): HelpLine[] {
	return lines.length === 0 ? [] : [[{text: elideEnd(title, width), role: 'title'}], ...lines, []];
}

/** Returns a table of terms; on narrow screens a section with each explanation below its term. */
function termSection(heading: TermRow, terms: readonly TermRow[], width: number): HelpLine[] {
	if (width < narrowWidth) {
		const title = heading.text === '' ? heading.term : safe`${heading.term}: ${heading.text}`;
		return section(title, terms.flatMap(term => narrowLines(term, width)), width);
	}

	const rows = terms.flatMap(({term, text}) => wrapped(text, textCells(width)).map((line, index): TermRow => ({
		term: index === 0 ? elideEnd(term, termCells) : safe``, text: line,
	})));
	return rows.length === 0 ? [] : [...[heading, ...rows].map(row => ({...row, heading})), []];
}

function narrowLines({term, text}: TermRow, width: number): Spans[] {
	const below = wrapped(text, width - narrowIndent).map(part => safe`${safe` `.repeat(narrowIndent)}${part}`);
	return [
		[{text: elideEnd(safe` ${term}`, width), role: 'key'}],
		...below.map((part): Spans => [{text: elideEnd(part, width)}]),
	];
}

function indented(text: Printable, width: number, role?: 'hot' | 'error'): Spans[] {
	return wrapped(text, width - 1).map(line => [{text: safe` ${line}`, role}]);
}
