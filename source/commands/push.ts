import {hostname} from 'node:os';
import process from 'node:process';
import {windowSnapshot} from '../exports/common/window-snapshot.js';
import {headersFrom, warnIfReadable, withoutCredentials} from '../fleet/http-headers.js';
import {JvmMetrics, metricsText, serveMetrics} from '../fleet/metrics.js';
import {otlp} from '../fleet/otlp.js';
import {pyroscope} from '../fleet/pyroscope.js';
import {Sender, type Labels, type Protocol} from '../fleet/sender.js';
import {openVitals} from '../jvm/counters/vitals.js';
import {labelText, serviceLabels, Settings} from '../jvm/identity/service.js';
import type {Target} from '../jvm/target.js';
import type {Snapshot} from '../model/snapshot.js';
import {isOver, type SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import {usage} from '../runtime/errors.js';
import {abortOnSignal, failureOf} from './batch.js';
import {eachJvm, type JvmSampler} from './each-jvm.js';
import {eachWindow, Progress, showing} from './record.js';
import {resolveTarget} from './resolve-target.js';
import {sampled} from './sampled.js';

/** How long the backend may take, at the end, for the windows that still wait. */
const graceMs = 5000;

/**
Sends windows of a JVM, or of all, to a backend, and serves metrics, until the JVM ends or a signal comes. Returns the
exit code; throws UserError.
*/
export async function push(name: string | undefined, options: Options): Promise<number> {
	const {to, all, metrics: address} = options;
	if (all === (name !== undefined)) {
		throw usage(all ? 'push --all takes no target' : 'push needs a target, or --all', example);
	}

	if (to === undefined && address === undefined) {
		throw usage('push needs --to, --metrics or both', example);
	}

	const pusher = new Pusher(options, to);
	const target = name === undefined ? undefined : await resolveTarget(name);
	const server = address && await serveMetrics(address, () => pusher.page());
	if (address?.port === 0) {
		process.stderr.write(`tprof-top: metrics at ${address.host} port ${server!.port}\n`);
	}

	try {
		await showing(() => {
			pusher.show(target);
		}, async () => target ? pusher.sample(target) : eachJvm(options, pusher));
	} finally {
		await pusher.close();
		server?.close();
	}

	return pusher.hasLostAll ? 1 : 0;
}

const example = 'tprof-top push 4711 --to http://pyroscope:4040, or push --all --metrics 9464';

/** What outlives a JVM's sessions, each of which ends when its table is full. */
type JvmState = {readonly labels: Labels; readonly vitals: ReturnType<typeof openVitals>; readonly metrics: JvmMetrics};

const hourMs = 3_600_000;

/** What is sent of all JVMs, and where. */
class Pusher implements JvmSampler {
	problem: string | undefined;
	omissionNote: string | undefined;
	readonly stop = abortOnSignal().signal;
	readonly #options: Options;
	readonly #backend: {readonly url: URL; readonly protocol: Protocol} | undefined;
	readonly #sender: Sender | undefined;
	readonly #jvms = new Set<JvmMetrics>();
	readonly #progress = new Progress();
	readonly #endMs: number;
	/** Why events are not recorded, as far as it was said. */
	readonly #saidRefusals = new Set<string>();
	/** When it was last said that a table of stacks was full. */
	#saidFullMs = -Infinity;

	constructor(options: Options, to: string | undefined) {
		this.#options = options;
		this.#endMs = performance.now() + ((options.durationS ?? Infinity) * 1000);
		if (to !== undefined) {
			this.#backend = backendOf(to);
			const headers = headersFrom(options.headers);
			warnIfReadable(headers(), this.#backend.url);
			this.#sender = new Sender(this.#backend.url, this.#backend.protocol, {headers});
		}
	}

	/** Sends a window of a JVM each --every, until the JVM ends or `stop`. Throws UserError if it cannot be sampled. */
	async sample(target: Target): Promise<void> {
		const labels = labelsOf(target, this.#options);
		const vitals = openVitals(target);
		// The shares of the next reading are of the time since this one.
		vitals.read();
		// Prometheus needs the pid: two JVMs may have the same other labels.
		const metrics = new JvmMetrics({...labels, pid: String(target.pid)});
		this.#jvms.add(metrics);
		try {
			while (
				await sampled(target, this.#options, async source =>
					this.#follow(source, {labels, vitals, metrics}))
			) {
				this.#sayFull(target);
			}
		} finally {
			this.#jvms.delete(metrics);
			vitals.close();
		}
	}

	/** Whether there were windows, and the backend took none. */
	get hasLostAll(): boolean {
		const {sent = 0, refused = 0, dropped = 0} = this.#sender ?? {};
		return sent === 0 && refused + dropped > 0;
	}

	page(): string {
		return metricsText(this.#jvms, this.#sender);
	}

	/** Shows the counts and any problem; `target`: undefined for all. */
	show(target: Target | undefined): void {
		const what = target ? `${target.pid} ${target.facts.mainClass}` : `${this.#jvms.size} JVMs`;
		const {problem = this.problem ?? this.omissionNote, isFull} = this.#sender ?? {};
		this.#progress.show(
			`pushing ${what}  ${this.#counts()}`,
			isFull ? `${problem ?? 'the backend is too slow'}; the oldest windows are dropped` : problem,
			`pushing goes on: ${this.#counts()}`,
		);
	}

	/** Sends the windows that still wait, if the backend takes them soon. */
	async close(): Promise<void> {
		await this.#sender?.close(graceMs);
		const problem = this.#sender?.problem ?? this.problem;
		this.#progress.end(`pushed: ${this.#counts()}${problem === undefined ? '' : ` (${problem})`}`);
	}

	/**
	Sends windows of a session until it is over. Returns whether its table of stacks is full: then another one begins.
	*/
	async #follow(source: SnapshotSource, {labels, vitals, metrics}: JvmState): Promise<boolean> {
		let since: Snapshot | undefined;
		const isFull = () => since !== undefined && since.session.otherTicks > 0;
		await eachWindow(
			() => isFull() || isOver(source.status()),
			(this.#endMs - performance.now()) / 1000,
			this.stop,
			async () => {
				const snapshot = source.read();
				this.#sayRefused(source.status().eventsRefusal);
				if (!snapshot || snapshot.session.samples === (since?.session.samples ?? 0)) {
					return;
				}

				if (this.#options.metrics) {
					metrics.update(snapshot, since, vitals.read());
				}

				if (this.#backend) {
					this.#sender?.add(this.#backend.protocol.encode(windowSnapshot(snapshot, since), labels));
				}

				since = snapshot;
			},
			this.#options.everyS * 1000,
		);
		if (source.status().phase === 'failed') {
			throw failureOf(source.status());
		}

		return isFull() && !isOver(source.status()) && !this.stop.aborted && performance.now() < this.#endMs;
	}

	#sayRefused(reason: string | undefined): void {
		if (reason !== undefined && !this.#saidRefusals.has(reason)) {
			this.#saidRefusals.add(reason);
			this.#progress.end(`tprof-top: events are not recorded: ${reason}`);
		}
	}

	#sayFull({pid, facts: {mainClass}}: Target): void {
		if (performance.now() - this.#saidFullMs > hourMs) {
			this.#saidFullMs = performance.now();
			this.#progress.end(`tprof-top: ${pid} ${mainClass} has had more stacks than there is room for: a new session began`);
		}
	}

	#counts(): string {
		if (!this.#backend || !this.#sender) {
			return 'metrics only';
		}

		const {sent, waiting, refused, dropped} = this.#sender;
		return [
			`${sent} windows to ${this.#backend.url.host}`,
			...Object.entries({waiting, refused, dropped}).filter(([, count]) => count > 0).map(([word, count]) =>
				`${count} ${word}`),
		].join(', ');
	}
}

/** Returns the address in --to, and the protocol by its path. Throws UserError (2). */
export function backendOf(text: string): {readonly url: URL; readonly protocol: Protocol} {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw usage(
			'--to needs the http or https address of a backend',
			'Pyroscope: http://HOST:4040; an OpenTelemetry collector: http://HOST:4318/v1development/profiles',
		);
	}

	return {
		url: withoutCredentials(url, '--to'),
		protocol: /\/v1(?:development)?\/profiles\/?$/.test(url.pathname) ? otlp : pyroscope,
	};
}

/** Returns a JVM's labels: those that it has by itself, and those of --label, without those of --without-label. */
export function labelsOf({facts}: Pick<Target, 'facts'>, {labels = [], withoutLabels = []}: LabelOptions): Labels {
	const {pid, mainClass, user, jvmVersion} = facts;
	const settings = new Settings(pid);
	const own = {
		service_name: mainClass || 'java', hostname: hostname(), pid: String(pid), jvm_version: jvmVersion,
		...serviceLabels(pid, settings),
	};
	const words: Readonly<Record<string, string | undefined>> = {...own, main: mainClass, user};
	const textOf = (place: string) => {
		const [, source, name = ''] = /^(env|property):(.*)$/.exec(place) ?? [];
		const found = source === 'env' ? settings.variable(name) : settings.property(name);
		return source === undefined ? words[place] ?? '' : labelText(found);
	};

	const filledIn = (template: string) => template.replaceAll(/{([^{}]*)}/g, (_, place: string) => textOf(place));
	const given = labels.map(([name, template]) => [name, filledIn(template)] as const);
	const isKept = ([name, value]: readonly [string, string]) => value !== '' && !withoutLabels.includes(name);
	const all = {...own, ...Object.fromEntries(given.filter(([, value]) => value !== ''))};
	return Object.fromEntries(Object.entries(all).filter(pair => isKept(pair)));
}

type LabelOptions = Partial<Pick<Options, 'labels' | 'withoutLabels'>>;
