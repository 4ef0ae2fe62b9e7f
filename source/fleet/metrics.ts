import http from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import {threadStates} from '../model/thread-state.js';
import {windowStats} from '../exports/common/window-snapshot.js';
import {locationName} from '../query/counters/location.js';
import {summarize} from '../query/summary/summary.js';
import {defaultQuery} from '../query/types/query.js';
import {UserError} from '../runtime/errors.js';
import {queryLines} from '../views/lines/lines.js';
import {isLoopback} from './http-headers.js';
import type {Labels, Sender} from './sender.js';

/** Figures in the order of the page, and help texts. Names that end with `_total` are counters, others gauges. */
const families = {
	tprof_jvm_info: 'A JVM that is sampled.',
	tprof_cpu_cores:
		'CPU use of the program (java), compilers (jit), collectors (gc) and the JVM beside (vm), in cores.',
	tprof_line_cpu_cores: 'CPU use of the hottest lines, in cores.',
	tprof_threads: 'Java threads by state.',
	tprof_contending_threads: 'Threads that wait for a lock that another thread holds.',
	tprof_deadlocked_threads: 'Threads that wait for each other forever.',
	tprof_heap_used_bytes: 'Java heap in use.',
	tprof_heap_max_bytes: 'Maximum of the Java heap.',
	tprof_gc_ratio: 'Share of time in which collections stopped the program; concurrent cycles do not.',
	tprof_safepoint_ratio: 'Share of time in which safepoints stopped the program, collections included.',
	tprof_alloc_bytes_per_second: 'Allocation in the Java heap.',
	tprof_cost_ratio: 'Share of time for which sampling stopped or interrupted the JVM.',
	tprof_push_windows_total: 'Windows that the backend took (sent) or refused, and that found no room (dropped).',
	tprof_push_waiting_bytes: 'Size of the windows that wait to be sent.',
} as const;

type Metric = {readonly family: keyof typeof families; readonly labels: Labels; readonly value: number};

/** Lines of a JVM at a time, and over its life: lines beyond that count together, so that series stay few. */
const maxLines = 20;
const maxLinesEver = 200;

/** Figures of one JVM, from one window to the next. */
export class JvmMetrics {
	metrics: readonly Metric[] = [];
	readonly #labels: Labels;
	readonly #info: Metric;
	readonly #lines = new Set<string>();

	constructor({service_name, pid, ...others}: Labels) {
		this.#labels = {service_name, pid};
		this.#info = {family: 'tprof_jvm_info', labels: {service_name, pid, ...others}, value: 1};
	}

	/** Takes the figures of the window from `since` to `snapshot`. */
	update(snapshot: Snapshot, since: Snapshot | undefined, vitals: TargetVitals): void {
		const {
			javaCpuPercent,
			jitCpuPercent,
			vmCpuPercent,
			collectorCpuPercent,
			statesNow,
			contendingNow,
			deadlocks,
			windowMs,
		} = summarize(snapshot, since);
		const cpuPercents = {
			java: javaCpuPercent, jit: jitCpuPercent, gc: collectorCpuPercent, vm: vmCpuPercent - collectorCpuPercent,
		};
		const {targetStoppedMs, targetInterruptedMs} = windowStats(snapshot.session, since?.session);
		const one = (family: Metric['family'], value: number | undefined, labels: Labels = {}): Metric[] =>
			value === undefined ? [] : [{family, labels: {...this.#labels, ...labels}, value}];
		const ratio = (percent: number | undefined) => percent === undefined ? undefined : percent / 100;
		this.metrics = [
			this.#info,
			...Object.entries(cpuPercents).flatMap(([of, percent]) => one('tprof_cpu_cores', percent / 100, {of})),
			...[...this.#hotLines(snapshot, since)].flatMap(([location, cpuNs]) =>
				one('tprof_line_cpu_cores', cpuNs / 1e6 / Math.max(1, windowMs), {location})),
			...threadStates.flatMap((state, code) => one('tprof_threads', statesNow[code], {state})),
			...one('tprof_contending_threads', contendingNow),
			...one('tprof_deadlocked_threads', deadlocks.flat().length),
			...one('tprof_heap_used_bytes', vitals.heapUsedBytes),
			...one('tprof_heap_max_bytes', vitals.heapMaxBytes),
			...one('tprof_gc_ratio', ratio(vitals.gcPercent)),
			...one('tprof_safepoint_ratio', ratio(vitals.safepointPercent)),
			...one('tprof_alloc_bytes_per_second', vitals.allocBytesPerS),
			...one('tprof_cost_ratio', (targetStoppedMs + targetInterruptedMs) / Math.max(1, windowMs)),
		];
	}

	#hotLines(snapshot: Snapshot, since: Snapshot | undefined): Map<string, number> {
		const {rows} = queryLines(snapshot, since, defaultQuery);
		const hot = new Map<string, number>();
		for (const row of rows.slice(0, maxLines).filter(({selfCpuNs}) => selfCpuNs > 0)) {
			const name = locationName(row);
			const isKnown = this.#lines.has(name) || this.#lines.size < maxLinesEver;
			const location = isKnown ? name : '(other)';
			this.#lines.add(location);
			hot.set(location, (hot.get(location) ?? 0) + row.selfCpuNs);
		}

		return hot;
	}
}

/** Returns the page for Prometheus, in its text format 0.0.4. */
export function metricsText(
	jvms: Iterable<JvmMetrics>,
	sender: Pick<Sender, 'sent' | 'refused' | 'dropped' | 'waitingBytes'> | undefined,
): string {
	const all = [...jvms].flatMap(({metrics}) => metrics);
	if (sender) {
		const {sent, refused, dropped, waitingBytes} = sender;
		all.push(
			...Object.entries({sent, refused, dropped}).map(([result, value]): Metric => ({
				family: 'tprof_push_windows_total',
				labels: {result},
				value,
			})),
			{family: 'tprof_push_waiting_bytes', labels: {}, value: waitingBytes},
		);
	}

	return Object.entries(families).map(([name, help]) => {
		const samples = all.filter(({family}) => family === name).map(({labels, value}) => {
			const pairs = Object.entries(labels).map(([label, text]) =>
				`${label.replaceAll('.', '_')}="${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`);
			return `${name}{${pairs.join(',')}} ${value}\n`;
		});
		return samples.length === 0
			? ''
			: `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n${samples.join('')}`;
	}).join('');
}

/** Serves `page()` at /metrics. Returns the port, and a function that ends it. Throws UserError. */
export async function serveMetrics(
	{host, port}: {readonly host: string; readonly port: number},
	page: () => string,
): Promise<{readonly port: number; close(): void}> {
	const server = http.createServer({
		headersTimeout: 3000,
		requestTimeout: 3000,
		connectionsCheckingInterval: 1000,
		maxHeaderSize: 8192,
	}, (request, response) => {
		// A web page may make its own host name resolve to this host (DNS rebinding).
		const name = (request.headers.host ?? '').replace(/:\d+$/, '');
		const [path] = (request.url ?? '').split('?', 1);
		const isFound = path === '/metrics' && request.method === 'GET' && (!isLoopback(host) || isLoopback(name));
		response.writeHead(isFound ? 200 : 404, {
			'content-type': 'text/plain; version=0.0.4; charset=utf-8',
			connection: 'close',
		});
		response.end(isFound ? page() : 'see /metrics\n');
	});
	server.maxConnections = 32;
	await new Promise<void>((resolve, reject) => {
		server.once('error', error => {
			reject(new UserError(
				`cannot listen on ${host} port ${port}: ${(error as NodeJS.ErrnoException).code ?? error.message}`,
				{hint: 'give --metrics another port'},
			));
		});
		server.listen(port, host, resolve);
	});
	return {
		port: (server.address() as AddressInfo).port,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
