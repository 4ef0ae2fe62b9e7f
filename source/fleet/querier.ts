import {maxProfileBytes, readPprof} from '../exports/pprof/read.js';
import {getOrCreate} from '../model/get-or-create.js';
import {record} from '../model/saved-values.js';
import type {Snapshot} from '../model/snapshot.js';
import {sumOf} from '../model/sum.js';
import {printable} from '../model/text.js';
import {VarintWriter} from '../model/varints.js';
import {usage, UserError} from '../runtime/errors.js';
import {withoutCredentials, type Headers} from './headers.js';
import {post} from './post.js';

const example = 'tprof-top open \'pyroscope://HOST:4040/?query={service_name="shop"}&from=now-1h&until=now-30m\'; pyroscopes:// for https';
const parameters = ['query', 'from', 'until', 'groupBy'];
const usualType = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds';
export const serviceLabel = 'service_name';
/** Labels that tell JVMs apart, ours and those of Pyroscope's other clients, as the table shows them. */
const jvmLabels = [serviceLabel, 'pod', 'hostname', 'host', 'instance', 'pid', 'container', 'namespace'];
const usualSpanMs = 15 * 60_000;
const timeoutMs = 60_000;
const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** Maximum JVMs that a table shows: those with the most CPU time. */
export const maxJvms = 2000;
/** A row with more is an error of its backend: nanoseconds or bytes that no JVM uses. */
const maxValue = 1e20;
const maxTableBytes = 4 * 1024 * 1024;

/** What Pyroscope is asked for: profiles of a type that a selector matches, over a span (epoch milliseconds). */
export type BackendQuery = {
	readonly url: URL;
	readonly type: string;
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

	const [, type = usualType, selector = '{}'] = match;
	const {searchParams} = url;
	const unknown = [...searchParams.keys()].find(name => !parameters.includes(name));
	if (unknown !== undefined) {
		throw usage(`${printable(unknown)} is not a parameter of the address; it has ${parameters.join(', ')}`, 'credentials belong in a file for --headers');
	}

	const endMs = Math.min(momentOf(searchParams.get('until') ?? 'now', nowMs), nowMs);
	const startMs = momentOf(searchParams.get('from') ?? String(endMs - usualSpanMs), nowMs);
	if (!(startMs >= 0 && startMs < endMs)) {
		throw usage('from must be before until and now, as now-1h or epoch seconds', example);
	}

	const backend = new URL(url);
	backend.search = '';
	return {
		url: withoutCredentials(backend, 'the address'),
		type,
		selector,
		isOfAll: match[2] === undefined,
		groupBy: [...new Set([...jvmLabels, ...(searchParams.get('groupBy') ?? '').split(',').filter(Boolean)])],
		startMs,
		endMs,
	};
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
	return /^[a-z_]\w*=[^,]*(?:,[a-z_]\w*=[^,]*)*$/i.test(text) ? Object.fromEntries(text.split(',').map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])) : undefined;
}

/** Returns the query with these labels in place of what its selector says of them. */
export function withLabels(query: BackendQuery, labels: Readonly<Record<string, string>>): BackendQuery {
	const rest = query.selector.slice(1, -1).replaceAll(/(\w+)\s*(?:=~|!~|!=|=)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)\s*,?/g, (matcher, name: string) => Object.hasOwn(labels, name) ? '' : matcher);
	const matchers = [rest.replace(/[\s,]+$/, ''), ...Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].filter(Boolean);
	return {...query, selector: `{${matchers.join(',')}}`};
}

/** A request failed. Whether the backend has what was asked for is unknown. */
export class BackendError extends UserError {}

/** What every request to a backend needs. */
export type RequestContext = {readonly headers: Headers; readonly signal: AbortSignal};

/** Posts to a method of querier/v1/querier.proto (Connect). Returns the body of the answer; throws UserError. */
async function ask({url}: BackendQuery, method: string, {headers, signal}: RequestContext, request: {readonly body: Uint8Array; readonly contentType: string; readonly maxBytes: number}): Promise<Uint8Array> {
	const address = new URL(url);
	address.pathname = `${url.pathname.replace(/\/+$/, '')}/querier.v1.QuerierService/${method}`;
	const answer = await post(address, {
		body: request.body, headers: {...headers, 'content-type': request.contentType}, hasCredentials: Object.keys(headers).length > 0, timeoutMs, maxAnswerBytes: request.maxBytes + 1, signal,
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
export async function mergedSnapshot(query: BackendQuery, context: RequestContext): Promise<Snapshot> {
	const {url, startMs, endMs} = query;
	const snapshot = readPprof(await mergedProfile(query, context, maxProfileBytes), printable(url.host));
	return {...snapshot, session: {...snapshot.session, startedAtMs: startMs, takenAtMs: endMs, lastSampleAtMs: endMs, durationMs: endMs - startMs, sampledMs: endMs - startMs}};
}

/** Fetches a query's profiles, merged by the backend, as pprof. Throws UserError, also if there is none. */
export async function mergedProfile(query: BackendQuery, context: RequestContext, maxBytes: number): Promise<Uint8Array> {
	const {url, type, selector, startMs, endMs} = query;
	const request = new VarintWriter();
	for (const [field, text] of [[1, type], [2, selector]] as const) {
		request.number((field << 3) | 2);
		request.block(text);
	}

	for (const [field, ms] of [[3, startMs], [4, endMs]] as const) {
		request.number(field << 3);
		request.number(Math.round(ms));
	}

	const profile = await ask(query, 'SelectMergeProfile', context, {body: request.take(), contentType: 'application/proto', maxBytes});
	if (profile.length === 0) {
		throw new UserError(`${url.origin} has nothing of ${printable(selector)} in that span`, {hint: example});
	}

	return profile;
}

/** A JVM, or all JVMs of a service. */
export type FleetRow = {
	/** The labels as the backend sent them; for several JVMs, only the service. `withLabels` selects the row's profiles. */
	readonly labels: Readonly<Record<string, string>>;
	readonly jvms: number;
	/** Sum of the values of its profiles, in the unit of their type: nanoseconds for CPU time. */
	readonly value: number;
};

/** Fetches a row for each JVM, those that use most first. Throws UserError. */
export async function jvmRows(query: BackendQuery, context: RequestContext): Promise<FleetRow[]> {
	const {url, type, selector, groupBy, startMs, endMs} = query;
	const body = Buffer.from(JSON.stringify({
		profileTypeID: type, labelSelector: selector, groupBy, limit: String(maxJvms), step: (endMs - startMs) / 1000,
		// A point's time is the end of its step. So of the points at the start and at the end of the span, only the second
		// counts. A backend that splits queries loses a step at their end, so the end is a millisecond later.
		start: String(startMs), end: String(endMs + 1),
	}));
	const answer = await ask(query, 'SelectSeries', context, {body, contentType: 'application/json', maxBytes: maxTableBytes});
	try {
		const {series = []} = record(JSON.parse(Buffer.from(answer).toString())) as SeriesAnswer;
		const names = groupBy.filter(label => series.some(({labels = []}) => labels.some(({name}) => name === label)));
		const rows = new Map<string, FleetRow>();
		for (const {labels: all = [], points = []} of series) {
			// Empty if the JVM lacks the label: a selector with an empty value matches only such JVMs.
			const labels = Object.fromEntries(names.map(label => [label, String(all.find(({name}) => name === label)?.value ?? '')]));
			const key = JSON.stringify(labels);
			const value = sumOf(points.filter(({timestamp}) => Number(timestamp) > startMs && Number(timestamp) <= endMs + 1), ({value}) => Number(value) || 0);
			rows.set(key, {labels, jvms: 1, value: value + (rows.get(key)?.value ?? 0)});
		}

		return [...rows.values()].filter(({value}) => value > 0 && value < maxValue).sort(largestFirst).slice(0, maxJvms);
	} catch {
		throw new UserError(`${url.origin} gave an answer that is not a Pyroscope's`, {hint: example});
	}
}

/** The answer of a backend to SelectSeries; anything else may come. */
type SeriesAnswer = {readonly series?: ReadonlyArray<{readonly labels?: ReadonlyArray<{readonly name: string; readonly value: string}>; readonly points?: ReadonlyArray<{readonly timestamp?: unknown; readonly value?: unknown}>}>};

/** Returns the rows, and a row of sums for each service of several JVMs. */
export function withServices(jvms: readonly FleetRow[]): FleetRow[] {
	const services = new Map<string, FleetRow[]>();
	for (const jvm of jvms) {
		getOrCreate(services, jvm.labels[serviceLabel] ?? '', () => []).push(jvm);
	}

	const sums = [...services].filter(([, rows]) => rows.length > 1).map(([service, rows]): FleetRow => ({
		labels: {[serviceLabel]: service}, jvms: rows.length, value: sumOf(rows, ({value}) => value),
	}));
	// Sorting keeps the order of equals: a sum stays above its parts.
	return [...sums, ...jvms].sort(largestFirst);
}

function largestFirst(a: FleetRow, b: FleetRow): number {
	return b.value - a.value;
}
