import process from 'node:process';
import {formatOf} from '../exports/formats/format-registry.js';
import {headersFrom, warnIfReadable, type Headers} from '../fleet/http-headers.js';
import {
	BackendError, backendQuery, fleetRows, labelSet, maxJvms, fetchMergedSnapshot, movedSpan, serviceLabel, withLabels,
	type BackendQuery, type FleetRow, type RequestContext,
} from '../fleet/querier.js';
import type {Snapshot} from '../model/snapshot.js';
import {sourceOver} from '../model/source.js';
import {fixed, joined, printable, safe, type Printable} from '../util/printable.js';
import {threadStates} from '../model/thread-state.js';
import type {Options} from '../options/parse.js';
import {clock, dayAndTime, plural} from '../query/columns/format.js';
import {filtered, filterOf} from '../query/filter/filter.js';
import type {Baseline} from '../query/types/query.js';
import {usage, UserError} from '../runtime/errors.js';
import type {ChoiceList} from '../ui/components/choice-table.js';
import type {ChooserState} from '../ui/state/reduce-chooser.js';
import {runBatch, withOutput} from './batch.js';
import {tableText} from './list.js';
import {choose, runLive} from './live.js';
import {savedSource} from './recording.js';

/**
Shows what a Pyroscope has. On the screen, the user opens services or JVMs from a table; a single JVM is opened at once.
A report is of all that the query matches or, without a query, the table. Returns the exit code; throws UserError.
*/
export async function openBackend(address: string, options: Options): Promise<number> {
	if ([options.at, options.from, options.to].some(moment => moment !== undefined)) {
		throw usage('--at, --from and --to are for recordings', 'from= and until= in the address say the span');
	}

	const query = backendQuery(address);
	const fleet = new Fleet(query, options);
	try {
		return await (options.onScreen ? fleet.show() : (query.isOfAll ? fleet.reportTable() : fleet.report()));
	} finally {
		fleet.close();
	}
}

/** The JVMs of a backend over a span, and the table of them. */
type Table = {
	readonly query: BackendQuery;
	readonly jvms: number;
	readonly rows: readonly FleetRow[];
	readonly list: ChoiceList;
};

/** What a backend has merged of the JVMs with some labels, and what it is compared with, or why with nothing. */
type OpenProfile = {
	readonly query: BackendQuery;
	readonly labels: FleetRow['labels'];
	readonly snapshot: Snapshot;
	readonly baseline?: Baseline;
	readonly problem?: Printable;
};

/** What a backend has, over a span that keys move. */
class Fleet {
	readonly #options: Options;
	readonly #headers: () => Headers;
	/** The query of the newest request; the screen may still show an older one. */
	#query: BackendQuery;
	#abort = new AbortController();
	#table: Table | undefined;
	#chooser: ChooserState | undefined;

	constructor(query: BackendQuery, options: Options) {
		this.#query = query;
		this.#options = options;
		this.#headers = headersFrom(options.headers);
		warnIfReadable(this.#headers(), query.url);
		process.stderr.write(process.stderr.isTTY ? `tprof-top: asking ${printable(query.url.host)}...\n` : '');
	}

	close(): void {
		this.#abort.abort();
	}

	/** Prints a report of all that the query matches. */
	async report(): Promise<number> {
		const opened = (await this.#open({}))!;
		return runBatch(savedSource({...opened, note: noteOn(opened.snapshot)}), this.#optionsFor(opened));
	}

	/** Prints the table. */
	async reportTable(): Promise<number> {
		const {format, filter, top} = this.#options;
		if (formatOf(format).listing !== 'table') {
			throw usage(
				`--format ${format} needs a query: this address has only a table of JVMs`,
				'add query={service_name="NAME"}',
			);
		}

		const {list, jvms} = (await this.#read())!;
		const rows = filtered(list.rows, filterOf(filter), {text: ({words}) => words}).slice(0, top);
		return withOutput(this.#options, async print => {
			const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
			await print(tableText(list.columns, rows.map(({cells}) => cells), width));
			const isTruncated = jvms === maxJvms;
			await print(isTruncated ? `note: only the ${maxJvms} largest JVMs; a query in the address chooses others\n` : '');
			return 0;
		});
	}

	/** Shows the table, and what the user opens of it, until they quit. Returns the exit code. */
	async show(): Promise<number> {
		this.#table = (await this.#read())!;
		const {rows: [jvm], jvms} = this.#table;
		const isTable = jvms > 1;
		for (;;) {
			const opened = await (isTable ? this.#choose() : this.#open(jvm.labels));
			const code = opened ? await this.#showProfile(opened, isTable) : 0;
			if (code !== undefined) {
				return code;
			}
		}
	}

	/** Shows the table until the user opens a row, or leaves: undefined. */
	async #choose(): Promise<OpenProfile | undefined> {
		let opened: OpenProfile | undefined;
		// The profile that the user left may still have a request in progress.
		this.#abort.abort();
		this.#query = this.#table!.query;
		await choose(this.#options, {
			list: () => this.#table!.list,
			initial: this.#chooser,
			waiting: safe`asking the backend...`,
			move: async steps => {
				this.#table = await this.#read(steps) ?? this.#table;
			},
			prepare: async (id, state) => {
				this.#chooser = state;
				this.#query = this.#table!.query;
				opened = await this.#open(JSON.parse(id) as FleetRow['labels']);
				return opened !== undefined;
			},
			cancel: () => {
				this.#abort.abort();
			},
		});
		return opened;
	}

	/** Shows a profile. Returns the exit code, or undefined if the user went back to the table. */
	async #showProfile(first: OpenProfile, canGoBack: boolean): Promise<number | undefined> {
		let shown = first;
		const keys = canGoBack ? safe`[ ] move it, Esc: the table` : safe`[ ] move it`;
		const source = sourceOver(savedSource(first), {
			read: () => shown.snapshot,
			status() {
				const span = spanText(shown.query);
				const note = noteOn(shown.snapshot);
				const message = safe`${span}; ${shown.problem ?? keys}`;
				return {phase: 'recording', stale: false, span, message, ...(note === undefined ? {} : {note})};
			},
		});
		const move = async (steps: number) => {
			const opened = await this.#open(first.labels, steps);
			shown = opened ?? shown;
			return opened;
		};

		return runLive(source, this.#optionsFor(first), {spans: {move}, opener: {canGoBack}});
	}

	/** Returns the options for a profile: one without CPU time shows the time of threads, in all states that it has. */
	#optionsFor({snapshot: {counters: {count, cpuNs, state}}, baseline}: OpenProfile): Options {
		const hasCpu = cpuNs.subarray(0, count).some(ns => ns > 0);
		const found = threadStates.filter((_, code) => state.subarray(0, count).includes(code));
		const ofThreads = hasCpu ? {} : {unit: 'ticks' as const, states: this.#options.states ?? found};
		return {...this.#options, ...ofThreads, baseline};
	}

	async #read(steps = 0): Promise<Table | undefined> {
		return this.#ask(steps, async (query, context) => {
			const {rows, jvms} = await fleetRows(query, context);
			if (jvms === 0) {
				const what = `${query.types.join(' or ')} of ${printable(query.selector)}`;
				const hint = 'from= and until= in the address say the span';
				throw new UserError(`${query.url.origin} has nothing of ${what}`, {hint});
			}

			return {query, rows, jvms, list: listOf(query, rows, jvms)};
		});
	}

	async #open(labels: FleetRow['labels'], steps = 0): Promise<OpenProfile | undefined> {
		return this.#ask(steps, async (query, context) => {
			const [snapshot, compared] = await Promise.all([
				fetchMergedSnapshot(withLabels(query, labels), context),
				this.#baselineOf(query, labels, context),
			]);
			const isOfQuery = Object.keys(labels).length === 0 && !query.isOfAll;
			const mainClass = isOfQuery
				? printable(query.selector)
				: safe`${serviceOf({labels})} ${othersText(labels)}`.trim();
			return {
				query,
				labels,
				snapshot: {...snapshot, target: {...snapshot.target, pid: 0, mainClass}},
				...compared,
			};
		});
	}

	/** Returns what --compare names or else, for the screen, the span before, if the backend has it. */
	async #baselineOf(
		query: BackendQuery,
		labels: FleetRow['labels'],
		context: RequestContext,
	): Promise<Pick<OpenProfile, 'baseline' | 'problem'>> {
		const {baseline, compare = ''} = this.#options;
		const compared = labelSet(compare);
		if (baseline !== undefined || (compared === undefined && !this.#options.onScreen)) {
			return {baseline};
		}

		// Of the row's labels, only the service applies beside --compare: another pod has another host and pid.
		const {[serviceLabel]: service} = labels;
		const other = compared
			? withLabels(query, {...(service === undefined ? {} : {[serviceLabel]: service}), ...compared})
			: withLabels(movedSpan(query, -1), labels);
		try {
			return {
				baseline: {
					snapshot: await fetchMergedSnapshot(other, context),
					since: undefined,
					title: compared ? printable(compare) : spanText(other),
				},
			};
		} catch (error) {
			if (compared) {
				throw error;
			}

			return error instanceof BackendError ? {problem: safe`nothing to compare with: ${error.message}`} : {};
		}
	}

	/** Moves the span by `steps` of its length and asks for it. Resolves to undefined if a newer request has begun. */
	async #ask<Answer>(
		steps: number,
		request: (query: BackendQuery, context: RequestContext) => Promise<Answer>,
	): Promise<Answer | undefined> {
		this.#abort.abort();
		const abort = new AbortController();
		this.#abort = abort;
		const before = this.#query;
		const query = movedSpan(before, steps);
		this.#query = query;
		try {
			const answer = await request(query, {headers: this.#headers(), signal: abort.signal});
			return abort.signal.aborted ? undefined : answer;
		} catch (error) {
			if (abort.signal.aborted) {
				return undefined;
			}

			// The next step repeats a failed request, but goes on from a span without profiles.
			this.#query = error instanceof BackendError ? before : query;
			throw error instanceof UserError && steps !== 0
				? new UserError(`${spanText(query)}: ${error.message}`)
				: error;
		}
	}
}

/** Returns what to know about a profile's figures, if something. */
function noteOn({session: {requestedIntervalMs}, counters: {count, cpuNs}}: Snapshot): Printable | undefined {
	const isOfCpu = cpuNs.subarray(0, count).some(ns => ns > 0);
	const unit = isOfCpu ? '' : '; a tick is a millisecond';
	return requestedIntervalMs > 0
		? undefined
		: safe`the backend does not know the sampling period: sampling errors are unknown${unit}`;
}

/** Returns the table of services and JVMs. */
function listOf(query: BackendQuery, rows: readonly FleetRow[], jvms: number): ChoiceList {
	return {
		title: spanText(query),
		facts: [
			printable(query.url.host),
			jvms === maxJvms ? safe`the ${maxJvms} largest JVMs` : plural(jvms, safe`JVM`),
		],
		columns: [
			{
				id: 'figure', heading: printable((query.types[0].split(':')[1] ?? '').toUpperCase()), align: 'right',
				fromColumns: 0, description: safe`mean over the span, percent of a core`,
			},
			{id: 'service', heading: safe`SERVICE`, align: 'left', fromColumns: 0, isText: true, description: safe`service`},
			{
				id: 'labels', heading: safe`LABELS`, align: 'left', fromColumns: 0, isText: true,
				description: safe`labels of a JVM, or the number of JVMs of the service`,
			},
		],
		sortedBy: 'figure',
		none: safe``,
		message: safe`${spanText(query)}; [ ] move it`,
		rows: rows.map(row => ({
			id: JSON.stringify(row.labels),
			cells: [
				{text: safe`${fixed(row.percent, row.percent < 9.95 ? 1 : 0)}%`, rank: row.percent},
				{text: serviceOf(row)},
				{text: labelsText(row)},
			],
			words: `${serviceOf(row)} ${labelsText(row)}`,
		})),
	};
}

const maxLabelLength = 200;

function serviceOf({labels}: Pick<FleetRow, 'labels'>): Printable {
	return printable(labels[serviceLabel] || '(no service)', maxLabelLength);
}

function labelsText({labels, jvms}: FleetRow): Printable {
	return jvms > 1 ? safe`${jvms} JVMs` : othersText(labels);
}

/** Returns the labels but the service. */
function othersText(labels: FleetRow['labels']): Printable {
	return joined(
		Object.entries(labels).filter(([name, value]) => name !== serviceLabel && value !== '')
			.map(([name, value]) => printable(`${name}=${value}`, maxLabelLength)),
		safe` `,
	);
}

/** Returns a span as "2026-09-14 14:00-14:15". */
function spanText({startMs, endMs}: BackendQuery): Printable {
	const [from, to] = [dayAndTime(startMs), dayAndTime(endMs)];
	return safe`${from}-${from.slice(0, 10) === to.slice(0, 10) ? clock(endMs) : to}`;
}
