import {maxProfileBytes, readMerged} from '../exports/pprof/read.js';
import {getOrCreate} from '../util/get-or-create.js';
import {savedObject} from '../model/saved-values.js';
import type {Snapshot} from '../model/snapshot.js';
import {sumOf} from '../util/sum.js';
import {printable} from '../util/printable.js';
import {threadStates, type ThreadState} from '../model/thread-state.js';
import {VarintWriter} from '../util/varints.js';
import {corePercent} from '../query/counters/share.js';
import {usage, UserError} from '../runtime/errors.js';
import {withoutCredentials, type Headers} from './http-headers.js';
import {post} from './post.js';
import {periodAttribute, periodIn, periodLabel} from './pyroscope.js';

const example
	= 'tprof-top open \'pyroscope://HOST:4040/?query={service_name="shop"}&from=now-1h&until=now-30m\'; pyroscopes:// for https';
const parameters = ['query', 'from', 'until', 'groupBy'];
/** CPU time as `push` and other clients of Pyroscope send it, and as Pyroscope names it if it comes by OTLP. */
const cpuTypes = ['process_cpu:cpu:nanoseconds:cpu:nanoseconds', 'cpu:cpu:nanoseconds:cpu:nanoseconds'];
/** What can be shown: CPU time and thread time. */
const shownType = /^\w+:(?:cpu|wall):nanoseconds:/;
/** Labels of a thread's state and of the period, as `push` sends them to Pyroscope, and as they come by OTLP. */
const stateLabels = ['state', 'thread.state', 'thread_state'];
const periodLabels = [periodLabel, periodAttribute];
export const serviceLabel = 'service_name';
/** Labels that tell JVMs apart, ours and those of Pyroscope's other clients, as the table shows them. */
const jvmLabels = [
	serviceLabel,
	'pod',
	'hostname',
	'host',
	'instance',
	'pid',
	'container',
	'namespace',
	'k8s.pod.name',
	'host.name',
	'process.pid',
	'container.name',
	'k8s.namespace.name',
];
const usualSpanMs = 15 * 60_000;
const timeoutMs = 60_000;
const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** Maximum JVMs that a table shows: those with the most CPU time. */
export const maxJvms = 2000;
/** A row with more is an error of its backend: nanoseconds that no JVM uses. */
const maxValue = 1e20;
const maxTableBytes = 8 * 1024 * 1024;
/** Into how many steps a span may be divided, of a second at least, to see for which part of it there are windows. */
const stepCounts = [30, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 1];

/** What Pyroscope is asked for: profiles of a type that a selector matches, over a span (epoch milliseconds). */
export type BackendQuery = {
	readonly url: URL;
	/** Types of profiles, all of which count; the first is what the user asked for. */
	readonly types: readonly string[];
	/** `{}` if none was given. */
	readonly selector: string;
	/** No selector was given. */
	readonly isOfAll: boolean;
	readonly groupBy: readonly string[];
	readonly startMs: number;
	readonly endMs: number;
};

/**
Reads an address with `query`, `from`, `until` and `groupBy` as in Pyroscope's own API: TYPE{SELECTOR}, times as now-1h
or epoch seconds or milliseconds, more labels to tell JVMs apart. Throws UserError (2).
*/
export function backendQuery(address: string, nowMs = Date.now()): BackendQuery {
	const text = address.replace(/^pyroscope/, 'http');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const match = /^((?:\w*:){4}\w*)?({.*})?$/s.exec(url?.searchParams.get('query') ?? '');
	if (!url || !match) {
		throw usage(url ? 'query must be {SELECTOR} or TYPE{SELECTOR}' : 'the address is not a URL', example);
	}

	const [, type, selector = '{}'] = match;
	if (type !== undefined && !shownType.test(type)) {
		const wallExample = 'for example wall:wall:nanoseconds:wall:nanoseconds{service_name="shop"}';
		throw usage(`tprof-top shows profiles of CPU and wall time, not ${type}`, wallExample);
	}

	const {searchParams} = url;
	const unknown = [...searchParams.keys()].find(name => !parameters.includes(name));
	if (unknown !== undefined) {
		throw usage(
			`${printable(unknown)} is not a parameter of the address; it has ${parameters.join(', ')}`,
			'credentials belong in a file for --headers',
		);
	}

	const backend = new URL(url);
	backend.search = '';
	return {
		url: withoutCredentials(backend, 'the address'),
		types: type === undefined ? cpuTypes : [type],
		selector,
		isOfAll: match[2] === undefined,
		groupBy: [...new Set([...jvmLabels, ...(searchParams.get('groupBy') ?? '').split(',').filter(Boolean)])],
		...spanOf(searchParams, nowMs),
	};
}

/** Returns the span that `from` and `until` name. Throws UserError (2). */
function spanOf(parameters: URLSearchParams, nowMs: number): Pick<BackendQuery, 'startMs' | 'endMs'> {
	const endMs = Math.min(momentOf(parameters.get('until') ?? 'now', nowMs), nowMs);
	const startMs = momentOf(parameters.get('from') ?? String(endMs - usualSpanMs), nowMs);
	if (!(startMs >= 0 && startMs < endMs)) {
		throw usage('from must be before until and now, as now-1h or epoch seconds', example);
	}

	return {startMs, endMs};
}

/** Returns epoch milliseconds; NaN if it is no time. */
function momentOf(text: string, nowMs: number): number {
	const [, amount, unit] = /^now(?:-(\d+)([smhd]))?$/.exec(text) ?? [];
	if (text.startsWith('now')) {
		return text === 'now' ? nowMs : nowMs - (Number(amount) * unitMs[unit]);
	}

	// Seconds have ten digits until the year 2286.
	return /^\d{1,10}$/.test(text) ? Number(text) * 1000 : (/^\d{11,14}$/.test(text) ? Number(text) : Number.NaN);
}

/** Returns the query for the span moved by `steps` of its length, at the latest to one that ends now. */
export function movedSpan(query: BackendQuery, steps: number): BackendQuery {
	const lengthMs = query.endMs - query.startMs;
	const endMs = Math.max(lengthMs, Math.min(query.endMs + (steps * lengthMs), Date.now()));
	return {...query, startMs: endMs - lengthMs, endMs};
}

/** Reads `label=value,...`; undefined for other texts. */
export function labelSet(text: string): Readonly<Record<string, string>> | undefined {
	return /^[a-z_]\w*=[^,]*(?:,[a-z_]\w*=[^,]*)*$/i.test(text)
		? Object.fromEntries(text.split(',').map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
		: undefined;
}

/** Returns the query with these labels in place of what its selector says of them. */
export function withLabels(query: BackendQuery, labels: Readonly<Record<string, string>>): BackendQuery {
	const matcher = /(\w+|"(?:[^"\\]|\\.)*")\s*(?:=~|!~|!=|=)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)\s*,?/g;
	const isReplaced = (name: string) => Object.hasOwn(labels, name.replaceAll('"', ''));
	const rest = query.selector.slice(1, -1).replaceAll(matcher, (text, name: string) => isReplaced(name) ? '' : text);
	// A name with a dot, as OpenTelemetry has them, is quoted.
	const nameOf = (label: string) => /^\w+$/.test(label) ? label : JSON.stringify(label);
	const added = Object.entries(labels).map(([name, value]) => `${nameOf(name)}=${JSON.stringify(value)}`);
	const matchers = [rest.replace(/[\s,]+$/, ''), ...added].filter(Boolean);
	return {...query, selector: `{${matchers.join(',')}}`};
}

/** A request failed. Whether the backend has what was asked for is unknown. */
export class BackendError extends UserError {}

/** What every request to a backend needs. */
export type RequestContext = {readonly headers: Headers; readonly signal: AbortSignal};

/** Posts to a method of querier/v1/querier.proto (Connect). Returns the body of the answer; throws UserError. */
async function ask(
	{url}: BackendQuery,
	method: string,
	{headers, signal}: RequestContext,
	request: {readonly body: Uint8Array; readonly contentType: string; readonly maxBytes: number},
): Promise<Uint8Array> {
	const address = new URL(url);
	address.pathname = `${url.pathname.replace(/\/+$/, '')}/querier.v1.QuerierService/${method}`;
	const answer = await post(address, {
		body: request.body,
		headers: {...headers, 'content-type': request.contentType},
		hasCredentials: Object.keys(headers).length > 0,
		timeoutMs,
		maxAnswerBytes: request.maxBytes + 1,
		signal,
	});
	if (answer.kind !== 'accepted') {
		throw new BackendError(answer.problem, {hint: example});
	}

	if (answer.bytes.length > request.maxBytes) {
		throw new BackendError(`${url.origin} sent more than ${request.maxBytes / 1024 / 1024} MB`, {hint: example});
	}

	return answer.bytes;
}

/** Fetches a query's profiles, merged by the backend, as a snapshot. Throws UserError, also if it has nothing. */
export async function fetchMergedSnapshot(query: BackendQuery, context: RequestContext): Promise<Snapshot> {
	const {url, types, selector, startMs, endMs} = query;
	const kinds = await Promise.all(types.map(async type => kindsOf(query, type, context)));
	const found = kinds.flat();
	if (found.length === 0) {
		const what = `${types.join(' or ')} of ${printable(selector)}`;
		throw new UserError(`${url.origin} has nothing of ${what} in that span`, {hint: example});
	}

	const profiles = await Promise.all(found.map(async ({type, labels, state}) => {
		const bytes = await mergedProfile(withLabels(query, labels), type, context, maxProfileBytes);
		return {bytes, state};
	}));
	const series = found.flatMap(({series}) => series);
	const value = sumOf(series, ({value}) => value);
	// The mean by time: a sample of twice the period has twice the weight.
	const periodOf = ({labels}: Series) => periodLabels.map(name => periodIn(labels[name] ?? '')).find(Boolean);
	const periodMs = sumOf(series, one => one.value * (periodOf(one) ?? Number.NaN)) / value;
	const coveredMs = coverageOf(series.flatMap(({times}) => times), undefined, query);
	const span = {startMs, endMs, coveredMs, periodMs: Number.isNaN(periodMs) ? undefined : periodMs};
	return readMerged(profiles, span, printable(url.host));
}

/** A type of profile that a backend has, of CPU time, or of thread time in a state. */
type Kind = {
	readonly type: string;
	/** What selects it, beside the query. */
	readonly labels: Readonly<Record<string, string>>;
	readonly state?: ThreadState;
	readonly series: readonly Series[];
};

/** Finds out what a backend has of a type: thread time by the states in its labels, if these are states of threads. */
async function kindsOf(query: BackendQuery, type: string, context: RequestContext): Promise<Kind[]> {
	const isWall = type.split(':')[1] === 'wall';
	const all = await seriesOf({...query, groupBy: [...periodLabels, ...(isWall ? stateLabels : [])]}, type, context);
	const kinds = new Map<string, Kind & {readonly series: Series[]}>();
	for (const series of all) {
		const labels = Object.fromEntries(Object.entries(series.labels).filter(([name]) => stateLabels.includes(name)));
		const state = threadStates.find(state => Object.values(labels).includes(state));
		getOrCreate(kinds, JSON.stringify(labels), () => ({type, labels, state, series: []})).series.push(series);
	}

	const isEmpty = ({labels}: Kind) => Object.values(labels).every(value => value === '');
	const areStates = [...kinds.values()].every(kind => kind.state !== undefined || isEmpty(kind));
	return areStates ? [...kinds.values()] : [{type, labels: {}, series: all}];
}

/** Fetches a query's profiles of a type, merged by the backend, as pprof. Throws UserError, also if there is none. */
export async function mergedProfile(query: BackendQuery, type: string, context: RequestContext, maxBytes: number) {
	const {url, selector, startMs, endMs} = query;
	const request = new VarintWriter();
	for (const [field, text] of [[1, type], [2, selector]] as const) {
		request.number((field << 3) | 2);
		request.byteString(text);
	}

	for (const [field, ms] of [[3, startMs], [4, endMs]] as const) {
		request.number(field << 3);
		request.number(Math.round(ms));
	}

	const profile = await ask(query, 'SelectMergeProfile', context, {
		body: request.take(),
		contentType: 'application/proto',
		maxBytes,
	});
	if (profile.length === 0) {
		throw new UserError(`${url.origin} has nothing of ${type} of ${printable(selector)} in that span`, {
			hint: example,
		});
	}

	return profile;
}

/** Profiles with the same labels. */
type Series = {
	/** Those of the query's `groupBy` that some profile has; empty where this one lacks it. */
	readonly labels: Readonly<Record<string, string>>;
	/** Sum of their values, nanoseconds. */
	readonly value: number;
	/** Ends of the steps of the span that have profiles, epoch milliseconds. */
	readonly times: readonly number[];
};

/** Returns the steps into which the span of a query is divided, milliseconds. */
function stepOf({startMs, endMs}: BackendQuery): number {
	const lengthMs = endMs - startMs;
	return lengthMs / (stepCounts.find(count => lengthMs % count === 0 && lengthMs / count >= 1000) ?? 1);
}

/** Fetches the sums of a type's profiles by `groupBy`. Throws UserError. */
async function seriesOf(query: BackendQuery, type: string, context: RequestContext): Promise<Series[]> {
	const {url, selector, groupBy, startMs, endMs} = query;
	const body = Buffer.from(JSON.stringify({
		profileTypeID: type,
		labelSelector: selector,
		groupBy,
		limit: String(maxJvms),
		step: stepOf(query) / 1000,
		// A point's time is the end of its step. So the point at the start of the span does not count. A backend that
		// splits queries loses a step at their end, so the end is a millisecond later.
		start: String(startMs),
		end: String(endMs + 1),
	}));
	const answer = await ask(query, 'SelectSeries', context, {
		body,
		contentType: 'application/json',
		maxBytes: maxTableBytes,
	});
	try {
		const {series: all = []} = savedObject(JSON.parse(Buffer.from(answer).toString())) as SeriesAnswer;
		const names = groupBy.filter(label => all.some(({labels = []}) => labels.some(({name}) => name === label)));
		return all.map(({labels = [], points = []}) => {
			const counted = points.map(({timestamp, value}) => ({atMs: Number(timestamp), value: Number(value) || 0}))
				.filter(({atMs, value}) => atMs > startMs && atMs <= endMs + 1 && value > 0);
			const textOf = (label: string) => String(labels.find(({name}) => name === label)?.value ?? '');
			return {
				// A selector with an empty value matches only what lacks the label.
				labels: Object.fromEntries(names.map(label => [label, textOf(label)])),
				value: sumOf(counted, ({value}) => value),
				times: counted.map(({atMs}) => atMs),
			};
		}).filter(({value}) => value > 0 && value < maxValue);
	} catch {
		throw new UserError(`${url.origin} gave an answer that is not a Pyroscope's`, {hint: example});
	}
}

/** Returns the shortest time between two of a series' profiles, milliseconds; undefined if there are no two. */
function gapOf(times: readonly number[]): number | undefined {
	const sorted = [...new Set(times)].sort((a, b) => a - b);
	const gaps = sorted.slice(1).map((atMs, index) => atMs - sorted[index]);
	return gaps.length > 0 ? Math.min(...gaps) : undefined;
}

/**
Returns for how long there are profiles, milliseconds: from the first step that has one to the end of the last. `gapMs`:
the time between two, where it cannot be told from `times`; undefined: the whole span.
*/
function coverageOf(times: readonly number[], gapMs: number | undefined, {startMs, endMs}: BackendQuery): number {
	const lengthMs = endMs - startMs;
	const sorted = times.toSorted((a, b) => a - b);
	const lastMs = gapOf(times) ?? gapMs ?? lengthMs;
	return Math.min(lengthMs, sorted.at(-1)! - sorted[0] + lastMs);
}

/** A JVM, or all JVMs of a service. */
export type FleetRow = {
	/** As the backend sent them; for several JVMs, only the service. `withLabels` selects the row's profiles. */
	readonly labels: Readonly<Record<string, string>>;
	readonly jvms: number;
	/** Percent of a core, over the time for which there are profiles. */
	readonly percent: number;
};

type Uses = Omit<FleetRow, 'percent'> & Pick<Series, 'value' | 'times'>;

/** The rows, and how many of them are of one JVM. */
type FleetTable = {readonly rows: readonly FleetRow[]; readonly jvms: number};

/** Fetches a row for each JVM, and one for each service of several; those that use most first. Throws UserError. */
export async function fleetRows(query: BackendQuery, context: RequestContext): Promise<FleetTable> {
	const series = await Promise.all(query.types.map(async type => seriesOf(query, type, context)));
	const byLabels = new Map<string, Uses>();
	for (const {labels, value, times} of series.flat()) {
		const key = JSON.stringify(Object.entries(labels).filter(([, text]) => text !== ''));
		const found = byLabels.get(key);
		byLabels.set(key, {
			labels,
			jvms: 1,
			value: value + (found?.value ?? 0),
			times: [...found?.times ?? [], ...times],
		});
	}

	// Of a JVM with a single profile it is not known how long that is: no longer than the others'.
	const gaps = [...byLabels.values()].map(({times}) => gapOf(times)).filter(gap => gap !== undefined);
	const gapMs = gaps.sort((a, b) => b - a).at(0);
	const withPercent = (row: Uses) => ({...row, percent: corePercent(row.value, coverageOf(row.times, gapMs, query))});
	const jvms = [...byLabels.values()].map(row => withPercent(row)).sort(mostFirst).slice(0, maxJvms);
	const services = new Map<string, Uses[]>();
	for (const jvm of jvms) {
		getOrCreate(services, jvm.labels[serviceLabel] ?? '', () => []).push(jvm);
	}

	const sums = [...services].filter(([, rows]) => rows.length > 1).map(([service, rows]) => withPercent({
		labels: {[serviceLabel]: service},
		jvms: rows.length,
		value: sumOf(rows, ({value}) => value),
		times: rows.flatMap(({times}) => times),
	}));
	// Sorting keeps the order of equals: a sum stays above its parts.
	return {rows: [...sums, ...jvms].sort(mostFirst), jvms: jvms.length};
}

function mostFirst(a: FleetRow, b: FleetRow): number {
	return b.percent - a.percent;
}

/** The answer of a backend to SelectSeries; anything else may come. */
type SeriesAnswer = {
	readonly series?: ReadonlyArray<{
		readonly labels?: ReadonlyArray<{readonly name: string; readonly value: string}>;
		readonly points?: ReadonlyArray<{readonly timestamp?: unknown; readonly value?: unknown}>;
	}>;
};
