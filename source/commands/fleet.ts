import process from 'node:process';
import {jsonSchema} from '../exports/common/export-format.js';
import {csvText} from '../exports/formats/csv.js';
import {formatOf, formats, type ExportFormat} from '../exports/formats/registry.js';
import {headersFrom, warningOf, type Headers} from '../fleet/headers.js';
import {
	engineQuery, jvmRows, labelSet, maxJvms, movedSpan, selectorWith, serviceLabel, withSums, type Asked, type EngineQuery, type FleetRow,
} from '../fleet/querier.js';
import type {Snapshot} from '../model/snapshot.js';
import {sourceOver} from '../model/source.js';
import {printable} from '../model/text.js';
import {eitherOf} from '../options/option.js';
import type {Options} from '../options/parse.js';
import {clock, dayAndTime, formatCount} from '../query/columns/format.js';
import {filtered, filterOf} from '../query/filter/filter.js';
import type {Baseline} from '../query/types/query.js';
import {version} from '../runtime/bundle.js';
import {usage, UserError} from '../runtime/errors.js';
import type {ChoiceColumn, ChoiceList, ChooserState} from '../ui/screens/chooser.js';
import {runBatch, withOutput} from './batch.js';
import {tableText} from './list.js';
import {choose, runLive} from './live.js';
import {mergedSnapshot, savedSource} from './recording.js';

/**
Shows what a Pyroscope has: on the screen a table of services and JVMs if there are several, of which the user opens one.
A report is of all that the query matches or, without a query, the table. Returns the exit code; throws UserError.
*/
export async function openEngine(address: string, options: Options, isScreen: boolean): Promise<number> {
	if ([options.at, options.from, options.to].some(moment => moment !== undefined)) {
		throw usage('--at, --from and --to are for recordings', 'from= and until= in the address say the span');
	}

	const query = engineQuery(address);
	const fleet = new Fleet(query, options, isScreen);
	try {
		return await (isScreen ? fleet.show() : (query.isOfAll ? fleet.reportTable() : fleet.report()));
	} finally {
		fleet.close();
	}
}

/** The services and JVMs of an engine over a span. */
type Table = {readonly query: EngineQuery; readonly jvms: readonly FleetRow[]; readonly rows: ReadonlyMap<string, FleetRow>; readonly list: ChoiceList};

/** A profile that an engine has merged, and what it is compared with. */
type Opened = {readonly query: EngineQuery; readonly snapshot: Snapshot; readonly baseline?: Baseline};

const asking = 'asking the engine...';

/** What an engine has, over a span that keys move. */
class Fleet {
	readonly #options: Options;
	readonly #isScreen: boolean;
	readonly #headers: () => Headers;
	/** Of the newest request; what is shown may be of an older one. */
	#query: EngineQuery;
	#abort = new AbortController();
	#table: Table | undefined;
	/** Instead of the usual message below the table. */
	#message = '';
	#chooser: ChooserState | undefined;

	constructor(query: EngineQuery, options: Options, isScreen: boolean) {
		this.#query = query;
		this.#isScreen = isScreen;
		this.#options = options;
		this.#headers = headersFrom(options.headers);
		const warning = warningOf(this.#headers(), query.url);
		process.stderr.write(warning === undefined ? '' : `${warning}\n`);
	}

	close(): void {
		this.#abort.abort();
	}

	/** Prints a report of all that the query matches. */
	async report(): Promise<number> {
		const opened = (await this.#open({}))!;
		return runBatch(savedSource(opened), {...this.#options, baseline: opened.baseline});
	}

	/** Prints the JVMs. */
	async reportTable(): Promise<number> {
		const {format, filter, top} = this.#options;
		const {id, listing} = formatOf(format);
		if (listing === undefined) {
			throw usage(`--format ${id} needs a query: this address has only a table of JVMs`, `add query={service_name="NAME"}, or use ${eitherOf(formats.filter(other => other.listing).map(other => other.id))}`);
		}

		const {query, jvms} = (await this.#read())!;
		const rows = filtered(jvms, filterOf(filter), {text: row => `${serviceOf(row)} ${labelsText(row)}`});
		const listed = (listing === 'table' ? withSums(rows) : rows).slice(0, top);
		return withOutput(this.#options, async print => {
			await print(writers[listing](listed, query));
			return 0;
		});
	}

	/** Shows the table, and what the user opens of it, until they quit. Returns the exit code. */
	async show(): Promise<number> {
		this.#table = (await this.#read())!;
		const {jvms: [jvm, ...others]} = this.#table;
		if (others.length === 0) {
			return await this.#showProfile(jvm, (await this.#open(jvm.labels))!, false) ?? 0;
		}

		for (;;) {
			const chosen = await this.#choose();
			if (!chosen) {
				return 0;
			}

			const code = await this.#showProfile(chosen.row, chosen.opened, true);
			if (code !== undefined) {
				return code;
			}

			void this.#move(0);
		}
	}

	/** Shows the table until the user opens a row, or leaves: undefined. */
	async #choose(): Promise<{readonly row: FleetRow; readonly opened: Opened} | undefined> {
		let row: FleetRow;
		let opened: Opened | undefined;
		await choose(this.#options, {
			list: () => this.#message === '' ? this.#table!.list : {...this.#table!.list, message: this.#message},
			initial: this.#chooser,
			move: async spans => this.#move(spans),
			prepare: async (id, state) => {
				this.#chooser = state;
				this.#message = asking;
				const {query, rows} = this.#table!;
				this.#query = query;
				row = rows.get(id)!;
				try {
					opened = await this.#open(row.labels);
				} finally {
					this.#message = '';
				}
			},
		});
		return opened && {row: row!, opened};
	}

	/** Shows the table of the span so many lengths later; until it is there, the last one. */
	async #move(spans: number): Promise<void> {
		this.#message = asking;
		try {
			const table = await this.#read(spans);
			if (table) {
				this.#table = table;
				this.#message = '';
			}
		} catch (error) {
			this.#message = (error as Error).message;
		}
	}

	/** Shows a profile. Returns the exit code, or undefined if the user went back to the table. */
	async #showProfile(row: FleetRow, first: Opened, canGoBack: boolean): Promise<number | undefined> {
		let shown = first;
		const source = sourceOver(savedSource(first), {
			read: () => shown.snapshot,
			status: () => ({phase: 'recording', stale: false, span: spanText(shown.query), message: `${spanText(shown.query)}; [ ] move it${canGoBack ? ', Esc: the table' : ''}`}),
		});
		const move = async (spans: number) => {
			const opened = await this.#open(row.labels, spans);
			shown = opened ?? shown;
			return opened;
		};

		const code = await runLive(source, {...this.#options, baseline: first.baseline}, {spans: {move, canGoBack}});
		this.#query = shown.query;
		return code;
	}

	async #read(spans = 0): Promise<Table | undefined> {
		return this.#ask(spans, async (query, asked) => {
			const jvms = await jvmRows(query, asked);
			if (jvms.length === 0) {
				throw new UserError(`${query.url.origin} has nothing of ${printable(query.selector)}`, {hint: 'from= and until= in the address say the span'});
			}

			const rows = new Map(withSums(jvms).map(row => [JSON.stringify(row.labels), row]));
			return {query, jvms, rows, list: listOf(query, rows, jvms.length)};
		});
	}

	async #open(labels: FleetRow['labels'], spans = 0): Promise<Opened | undefined> {
		return this.#ask(spans, async (query, asked) => {
			const own = {...query, selector: selectorWith(query.selector, labels)};
			const [snapshot, baseline] = await Promise.all([mergedSnapshot(own, asked), this.#baselineOf(own, labels, asked)]);
			const isOfQuery = Object.keys(labels).length === 0 && !query.isOfAll;
			const mainClass = isOfQuery ? printable(query.selector) : `${serviceOf({labels})} ${othersText(labels)}`.trim();
			return {query, snapshot: {...snapshot, target: {...snapshot.target, pid: 0, mainClass}}, baseline};
		});
	}

	/** Returns what --compare names or else, for the screen, the span before, if the engine has it. */
	async #baselineOf(query: EngineQuery, {[serviceLabel]: service}: FleetRow['labels'], asked: Asked): Promise<Baseline | undefined> {
		const {baseline, compare = ''} = this.#options;
		if (baseline) {
			return baseline;
		}

		const labels = labelSet(compare);
		if (labels) {
			// Of the row only the service stays: another pod has another host and pid.
			const selector = selectorWith(this.#query.selector, {...(service === undefined ? {} : {[serviceLabel]: service}), ...labels});
			return {snapshot: await mergedSnapshot({...query, selector}, asked), since: undefined, title: printable(compare)};
		}

		if (!this.#isScreen) {
			return undefined;
		}

		const before = movedSpan(query, -1);
		try {
			return {snapshot: await mergedSnapshot(before, asked), since: undefined, title: spanText(before)};
		} catch {
			return undefined;
		}
	}

	/** Asks for the span so many lengths after the last one. Resolves to undefined if something else was asked for meanwhile. */
	async #ask<Answer>(spans: number, request: (query: EngineQuery, asked: Asked) => Promise<Answer>): Promise<Answer | undefined> {
		this.#abort.abort();
		const abort = new AbortController();
		this.#abort = abort;
		const query = movedSpan(this.#query, spans);
		this.#query = query;
		try {
			const answer = await request(query, {headers: this.#headers(), signal: abort.signal});
			return abort.signal.aborted ? undefined : answer;
		} catch (error) {
			if (abort.signal.aborted) {
				return undefined;
			}

			throw error instanceof UserError && spans !== 0 ? new UserError(`${spanText(query)}: ${error.message}`) : error;
		}
	}
}

/** Returns the table for the screen. */
function listOf(query: EngineQuery, rows: Table['rows'], jvms: number): ChoiceList {
	return {
		title: spanText(query),
		from: `${printable(query.url.host)}, ${jvms === maxJvms ? `the ${jvms} largest JVMs` : `${jvms} JVMs`}`,
		columns: columnsOf(query),
		nameHeading: 'LABELS',
		none: '',
		message: `${spanText(query)}; CHANGE: since the span before; [ ] move it`,
		rows: [...rows].map(([id, row]) => ({
			id, cells: cellsOf(row, query), name: labelsText(row), words: `${serviceOf(row)} ${labelsText(row)}`,
		})),
	};
}

function columnsOf({type}: EngineQuery): readonly ChoiceColumn[] {
	return [
		{heading: (type.split(':')[1] ?? '').toUpperCase() || 'VALUE', align: 'right', fromColumns: 0},
		{heading: 'CHANGE', align: 'right', fromColumns: 30},
		{heading: 'SERVICE', align: 'left', fromColumns: 0},
	];
}

function cellsOf({labels, now, before}: FleetRow, query: EngineQuery): readonly string[] {
	const change = now === 0 ? 'gone' : (before === 0 ? 'new' : `${now < before ? '-' : (now > before ? '+' : '')}${figureText(Math.abs(now - before), query)}`);
	return [figureText(now, query), change, serviceOf({labels})];
}

/** Returns a time in percent of a core, other values as they are. */
function figureText(value: number, {type, startMs, endMs}: EngineQuery): string {
	const percent = value / 1e4 / (endMs - startMs);
	return type.split(':')[2] === 'nanoseconds' ? `${percent.toFixed(percent < 9.95 ? 1 : 0)}%` : formatCount(Math.round(value));
}

const maxLabelLength = 200;

function serviceOf({labels}: Pick<FleetRow, 'labels'>): string {
	return Object.keys(labels).length === 0 ? '(all)' : printable(labels[serviceLabel] || '(no service)', maxLabelLength);
}

function labelsText({labels, jvms}: FleetRow): string {
	return jvms > 1 ? `${jvms} JVMs` : othersText(labels);
}

/** Returns the labels but the service. */
function othersText(labels: FleetRow['labels']): string {
	return Object.entries(labels).filter(([name, value]) => name !== serviceLabel && value !== '').map(([name, value]) => printable(`${name}=${value}`, maxLabelLength)).join(' ');
}

/** Returns a span as "2026-09-14 14:00-14:15". */
function spanText({startMs, endMs}: EngineQuery): string {
	const [from, to] = [dayAndTime(startMs), dayAndTime(endMs)];
	return `${from}-${from.slice(0, 10) === to.slice(0, 10) ? clock(endMs) : to}`;
}

const writers: Readonly<Record<NonNullable<ExportFormat['listing']>, (rows: readonly FleetRow[], query: EngineQuery) => string>> = {
	table(rows, query) {
		return tableText({columns: columnsOf(query), nameHeading: 'LABELS'}, rows.map(row => ({cells: cellsOf(row, query), name: labelsText(row)})), process.stdout.isTTY ? process.stdout.columns : Infinity);
	},
	document(rows, {url, type, selector, startMs, endMs}) {
		const head = {
			tool: 'tprof-top', version, schema: jsonSchema, engine: url.origin, type, selector, from: new Date(startMs).toISOString(), until: new Date(endMs).toISOString(),
		};
		const jvms = rows.map(({labels, now, before}) => ({labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, printable(value, maxLabelLength)])), value: now, before}));
		return `${JSON.stringify({...head, jvms}, undefined, '\t')}\n`;
	},
	records(rows) {
		const names = Object.keys(rows.at(0)?.labels ?? {});
		return csvText([[...names, 'value', 'before'], ...rows.map(({labels, now, before}) => [...names.map(name => printable(labels[name], maxLabelLength)), now, before])]);
	},
};
