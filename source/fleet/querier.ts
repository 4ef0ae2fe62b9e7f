import {usage, UserError} from '../runtime/errors.js';
import {printable} from '../model/text.js';
import {VarintWriter} from '../model/varints.js';
import type {Headers} from './headers.js';
import {post} from './post.js';

const example = 'tprof-top open \'pyroscope://HOST:4040/?query={service_name="shop"}&from=now-1h&until=now-30m\'; pyroscopes:// for https';
const usualType = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds';
const usualSpanMs = 15 * 60_000;
const timeoutMs = 60_000;
const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** What Pyroscope is asked for: a profile of all that matches, over a span (epoch milliseconds). */
type EngineQuery = {readonly url: URL; readonly type: string; readonly selector: string; readonly startMs: number; readonly endMs: number};

/**
Reads an address with `query`, `from` and `until` as of Pyroscope's own API: TYPE{SELECTOR}, times as now-1h or epoch
seconds or milliseconds. Throws UserError (2).
*/
export function engineQuery(address: string, nowMs = Date.now()): EngineQuery {
	const text = address.replace(/^pyroscope/, 'http');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const [, type, selector] = /^([\w:]*)({.*})$/s.exec(url?.searchParams.get('query') ?? '') ?? [];
	if (!url || selector === undefined) {
		throw usage(`no query in ${printable(address)}`, example);
	}

	if (url.username || url.password) {
		throw usage('the address must not hold a password: every user of this host could read it', 'put a header into a file, and give that to --headers');
	}

	const endMs = momentOf(url.searchParams.get('until') ?? 'now', nowMs);
	const startMs = momentOf(url.searchParams.get('from') ?? String(endMs - usualSpanMs), nowMs);
	if (!(startMs < endMs)) {
		throw usage('from must be before until, as now-1h or epoch seconds', example);
	}

	url.pathname = `${url.pathname.replace(/\/+$/, '')}/querier.v1.QuerierService/SelectMergeProfile`;
	url.search = '';
	return {url, type: type === '' ? usualType : type, selector, startMs, endMs};
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

/** Fetches the merged profile, as pprof (querier/v1/querier.proto, Connect with protobuf). Throws UserError. */
export async function mergedProfile({url, type, selector, startMs, endMs}: EngineQuery, headers: Headers, maxBytes: number): Promise<Uint8Array> {
	const request = new VarintWriter();
	for (const [field, text] of [[1, type], [2, selector]] as const) {
		request.number((field << 3) | 2);
		request.block(text);
	}

	for (const [field, ms] of [[3, startMs], [4, endMs]] as const) {
		request.number(field << 3);
		request.number(Math.round(ms));
	}

	const answer = await post(url, {
		body: request.take(), headers: {...headers, 'content-type': 'application/proto'}, hasCredentials: Object.keys(headers).length > 0, timeoutMs, maxAnswerBytes: maxBytes + 1, signal: new AbortController().signal,
	});
	if (answer.kind !== 'accepted') {
		throw new UserError(answer.problem, {hint: example});
	}

	if (answer.bytes.length === 0) {
		throw new UserError(`${url.origin} has nothing of ${printable(selector)} in that span`, {hint: example});
	}

	return answer.bytes;
}
