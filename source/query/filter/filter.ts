import {printable, type Printable} from '../../util/printable.js';
import {globListMatcher, globsOf} from '../../util/glob.js';
import {cached} from '../../util/get-or-create.js';
import {threadStates} from '../../model/thread-state.js';
import {FilterError, splitFilter, type Alternative, type Term} from './filter-terms.js';
import {compilePattern} from './regex.js';
import {maskOf, parseStates} from './state-sets.js';

export type RowFilter = {
	/** Bits of the states that count; undefined for all. */
	readonly stateMask?: number;
	readonly thread?: (name: string) => boolean;
	readonly terms?: readonly RowTerm[];
};

type Figure = 'percent' | 'totalPercent' | 'cpuMs' | 'ticks' | 'threads' | 'blocked' | 'stuckS';
type FigureOf = (name: Figure) => number;

/** A row passes if its text or its figures match or, if negated, neither does. */
export type RowTerm = {
	readonly isNegated: boolean;
	/** Whether some alternatives match text, and whether some compare figures. */
	readonly hasText: boolean;
	readonly hasFigures: boolean;
	text(line: string): boolean;
	figures(figureOf: FigureOf): boolean;
};

/** Functions that return a row's text and figures. Absent figures are 0, but an absent `totalPercent` is `percent`. */
export type FilterFields<Row> = {text(row: Row): string} & Readonly<Partial<Record<Figure, (row: Row) => number>>>;

/** Returns a function from a figure's name to its value in a row. */
export function figureReader<Row>(fields: Omit<FilterFields<Row>, 'text'>, row: Row): FigureOf {
	return name => (fields[name] ?? (name === 'totalPercent' ? fields.percent : undefined))?.(row) ?? 0;
}

/** Whether a row passes the filter's terms. */
export function passesFilter<Row>({terms = []}: RowFilter, fields: FilterFields<Row>, row: Row): boolean {
	return terms.every(term =>
		(term.text(fields.text(row)) || term.figures(figureReader(fields, row))) !== term.isNegated);
}

export function filtered<Row>(rows: readonly Row[], filter: RowFilter, fields: FilterFields<Row>): readonly Row[] {
	return filter.terms ? rows.filter(row => passesFilter(filter, fields, row)) : rows;
}

/** A parsed filter, or an error, one line. */
type ParsedFilter = {readonly ok: true; readonly filter: RowFilter} | {readonly ok: false; readonly error: Printable};

export const filterHelp: ReadonlyArray<{readonly form: string; readonly meaning: string}> = [
	{
		form: 'word',
		meaning: 'rows whose name contains the word; all words must match; case does not matter; quote "two words"',
	},
	{form: '!word', meaning: 'rows that do not contain the word'},
	{form: 'a|b', meaning: 'either'},
	{form: '/regex/', meaning: 'a regular expression (RE2: no look-around, no back-references)'},
	{
		form: 'state:B',
		meaning:
			'count only samples in these states: R B W T I, state names, or active, blocked, waiting, all; comma-separated',
	},
	{
		form: 'thread:http-*',
		meaning:
			'count only threads with these names, comma-separated; without * or ? any name that contains the text; '
			+ 'all samples of a thread that is renamed count under its last name: earlier names find nothing, and a line '
			+ 'says so',
	},
	{
		form: 'pct>1',
		meaning:
			'compare a value: pct, total (percent, in the unit that % chooses), cpu (ms), ticks, threads, blocked, '
			+ 'stuck (seconds); with > >= < <= =',
	},
];

const figures: Readonly<Record<string, Figure>> = {
	pct: 'percent',
	self: 'percent',
	total: 'totalPercent',
	tot: 'totalPercent',
	cpu: 'cpuMs',
	ticks: 'ticks',
	threads: 'threads',
	thr: 'threads',
	blocked: 'blocked',
	stuck: 'stuckS',
};

/** The names of figures in messages; the others are synonyms. */
const figureNames = ['pct', 'total', 'cpu', 'ticks', 'threads', 'blocked', 'stuck'];

function figureNamed(name: string | undefined): Figure | undefined {
	const lower = name?.toLowerCase() ?? '';
	return Object.hasOwn(figures, lower) ? figures[lower] : undefined;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
	'>': (a, b) => a > b, '>=': (a, b) => a >= b, '<': (a, b) => a < b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};

type OneTest = {readonly text?: (line: string, lowerLine: string) => boolean; readonly figure?: RowTerm['figures']};

/** Parses a filter expression; see `filterHelp` for the language. An empty one lets everything pass. */
export function parseFilter(text: string): ParsedFilter {
	try {
		return {ok: true, filter: readFilter(splitFilter(text, name => figureNamed(name) !== undefined))};
	} catch (error) {
		if (error instanceof FilterError) {
			return {ok: false, error: printable(error.message)};
		}

		throw error;
	}
}

/** Cache of parsed filters: each refresh uses the same one. */
const parsedFilters = new Map<string, RowFilter>();
const maxParsed = 16;

/** Returns the filter of an expression, or one that lets everything pass if it is invalid. */
export function filterOf(text: string): RowFilter {
	return cached(parsedFilters, text, maxParsed, () => {
		const parsed = parseFilter(text);
		return parsed.ok ? parsed.filter : {};
	});
}

function readFilter(terms: readonly Term[]): RowFilter {
	let stateMask: number | undefined;
	const threadTests: Array<(name: string) => boolean> = [];
	const rowTerms: RowTerm[] = [];
	for (const term of terms) {
		const kinds = new Set(term.alternatives.map(alternative => kindOf(alternative)));
		if (kinds.size > 1 && (kinds.has('state') || kinds.has('thread'))) {
			throw new FilterError('state: and thread: cannot be joined by | with anything else');
		}

		if (kinds.has('state')) {
			let mask = 0;
			for (const alternative of term.alternatives) {
				mask |= readStates(alternative);
			}

			// -1 has the bits of all states.
			stateMask = (stateMask ?? -1) & (term.isNegated ? ~mask : mask);
		} else if (kinds.has('thread')) {
			const tests = term.alternatives.map(alternative => readThread(alternative));
			threadTests.push(name => tests.some(test => test(name)) !== term.isNegated);
		} else {
			const tests = term.alternatives.map(alternative => readRowTest(alternative));
			rowTerms.push(termOf(tests, term.isNegated));
		}
	}

	return {
		stateMask: stateMask === undefined ? undefined : stateMask & ((1 << threadStates.length) - 1),
		thread: threadTests.length === 0 ? undefined : name => threadTests.every(test => test(name)),
		terms: rowTerms.length === 0 ? undefined : rowTerms,
	};
}

function termOf(tests: readonly OneTest[], isNegated: boolean): RowTerm {
	const texts = tests.flatMap(({text}) => text ?? []);
	const figureTests = tests.flatMap(({figure}) => figure ?? []);
	return {
		isNegated,
		hasText: texts.length > 0,
		hasFigures: figureTests.length > 0,
		text(line) {
			const lower = line.toLowerCase();
			return texts.some(test => test(line, lower));
		},
		figures: figureOf => figureTests.some(test => test(figureOf)),
	};
}

function kindOf({text, kind}: Alternative): 'state' | 'thread' | 'row' {
	const [, prefix] = kind === 'plain' ? /^(state|thread):/i.exec(text) ?? [] : [];
	return (prefix?.toLowerCase() as 'state' | 'thread' | undefined) ?? 'row';
}

function readStates({text}: Alternative): number {
	const found = parseStates(text.slice('state:'.length));
	if ('unknown' in found) {
		throw new FilterError(`"${found.unknown}" is not a thread state (R B W T I)`);
	}

	if (found.states.length === 0) {
		throw new FilterError('state: needs a state (R B W T I)');
	}

	return maskOf(found.states);
}

function readThread({text}: Alternative): (name: string) => boolean {
	const globs = text.slice('thread:'.length);
	if (globsOf(globs).length === 0) {
		throw new FilterError('thread: needs a name, such as http-*');
	}

	return globListMatcher(globs);
}

function readRowTest({text, kind}: Alternative): OneTest {
	if (kind === 'regex') {
		try {
			return {text: withCache(compilePattern(text))};
		} catch (error) {
			throw new FilterError((error as SyntaxError).message);
		}
	}

	const [, name, sign, number] = kind === 'plain' ? /^([a-z]+)([<>]=?|=)(.*)$/i.exec(text) ?? [] : [];
	const figure = figureNamed(name);
	if (figure) {
		const limit = Number(number.replace(/%$/, ''));
		if (!number || !Number.isFinite(limit)) {
			throw new FilterError(`${name}${sign} needs a number`);
		}

		const holds = comparisons[sign];
		return {figure: figureOf => holds(figureOf(figure), limit)};
	}

	if (name && /^[\d.]+%?$/.test(number)) {
		throw new FilterError(`cannot compare "${name}"; use ${figureNames.join(', ')}`);
	}

	const word = text.toLowerCase();
	return {text: (_, lowerLine) => lowerLine.includes(word)};
}

/** Maximum number of cached results of an expression: the rows of a view are nearly the same at each refresh. */
const maxResults = 5000;

function withCache(matches: (text: string) => boolean): (text: string) => boolean {
	const results = new Map<string, boolean>();
	return text => cached(results, text, maxResults, () => matches(text));
}
