import {JvmWatch, type WatchedJvm} from '../jvm/discovery/jvm-watch.js';
import type {Snapshot} from '../model/snapshot.js';
import {findingsOf} from '../query/summary/findings.js';
import {defaultQuery, type Finding} from '../query/types/query.js';
import {HostSampler, type HostOptions} from '../sampler/host-sampler.js';
import {safe} from '../util/printable.js';
import type {Opener} from './live.js';

/** A JVM of this host with its figures, and what is wrong with it, the worst first. */
export type HostJvm = WatchedJvm & {readonly findings: readonly Finding[]};

/** Maximum JVMs that are sampled, the busiest: each takes some megabytes. */
const maxSampled = 40;

/** A JVM that used less than this in the last ten seconds, percent of a core, is sampled more rarely. */
const restPercent = 1;
const partsOfMinute = 6;

/** Findings are on a window of at least this length, if there is one. */
const windowMs = 10_000;

/** The part of the time that scans may take: after a long one, the next comes later. First our code is compiled. */
const scanShare = 0.015;
const warmUpMs = 10_000;

/** Follows all JVMs of this host, and samples them so rarely that all together cost little. */
export class HostMonitor {
	readonly #watch = new JvmWatch();
	readonly #options: HostOptions;
	/** Undefined in the first scan, which is to be quick. */
	#sampler: HostSampler | undefined;
	readonly #startedMs = performance.now();
	readonly #troubles = new Map<number, Troubles>();
	#jvms: readonly HostJvm[] = [];
	#scanAtMs = 0;

	/** `isShort`: for some seconds only, in which samples come as often as they can be of use. */
	constructor({isShort = false} = {}) {
		this.#options = {isShort};
	}

	/** Returns the JVMs, the busiest first. */
	jvms(): readonly HostJvm[] {
		const nowMs = performance.now();
		if (nowMs < this.#scanAtMs) {
			return this.#jvms;
		}

		// Unknown counts as 0; equally busy JVMs stay in the order of their pids.
		const busy = ({cpu}: WatchedJvm) => Math.round(cpu.percent ?? 0);
		const jvms = this.#watch.scan().toSorted((a, b) => busy(b) - busy(a));
		if (this.#jvms.length > 0) {
			this.#sampler ??= new HostSampler(this.#options);
		}

		this.#sampler?.follow(jvms.filter(({problem}) => problem === undefined).slice(0, maxSampled).map(jvm => ({
			target: jvm.target,
			isAtRest: (jvm.cpu.parts(partsOfMinute).at(-1) ?? restPercent) < restPercent,
		})));
		this.#jvms = jvms.map(jvm => ({...jvm, findings: this.#findingsOf(jvm)}));
		const pids = new Set(jvms.map(({pid}) => pid));
		for (const pid of this.#troubles.keys()) {
			if (!pids.has(pid)) {
				this.#troubles.delete(pid);
			}
		}

		const isYoung = nowMs - this.#startedMs < warmUpMs;
		this.#scanAtMs = isYoung ? 0 : nowMs + ((performance.now() - nowMs) / scanShare);
		return this.#jvms;
	}

	/** Returns what a session of this JVM can go on with. */
	openerOf(pid: number): Opener {
		const [first] = this.#jvms.find(jvm => jvm.pid === pid)?.findings ?? [];
		return {
			vitals: this.#watch.readerOf(pid),
			message: first && safe`in the table of JVMs: ${first.text}`,
			canGoBack: true,
		};
	}

	/** Stops sampling while a session is open, which has a budget of its own; or goes on. */
	setPaused(isPaused: boolean): void {
		this.#sampler?.setPaused(isPaused);
	}

	async close(): Promise<void> {
		this.#watch.close();
		await this.#sampler?.close();
	}

	#findingsOf(jvm: WatchedJvm): readonly Finding[] {
		const snapshot = this.#sampler?.snapshotOf(jvm.target);
		let troubles = this.#troubles.get(jvm.pid);
		if (troubles?.startTicks !== jvm.startTicks) {
			troubles = new Troubles(jvm.startTicks);
			this.#troubles.set(jvm.pid, troubles);
		}

		return snapshot ? troubles.of(snapshot, jvm) : [];
	}
}

/** What is wrong with one JVM, by rare samples. */
export class Troubles {
	/** The newest snapshot, and earlier ones at which windows begin, the oldest first. */
	#newest: Snapshot | undefined;
	#starts: readonly Snapshot[] = [];
	#found: readonly Finding[] = [];
	#shown: readonly Finding[] = [];

	/** `startTicks`: the start of the JVM, which tells it from a later one with the same pid. */
	constructor(readonly startTicks: number) {}

	/**
	Returns what is wrong. A problem that may pass must be found in two samples in a row, seconds apart. Causes outside
	the program, which all JVMs of the host would have, are left out.
	*/
	of(snapshot: Snapshot, {vitals}: Pick<WatchedJvm, 'vitals'>): readonly Finding[] {
		if (snapshot === this.#newest) {
			return this.#shown;
		}

		this.#newest = snapshot;
		const before = new Set(this.#found.map(({id}) => id));
		this.#found = findingsOf(snapshot, this.#since(snapshot), defaultQuery, {vitals}).filter(({isOutside}) =>
			!isOutside);
		this.#shown = this.#found.filter(({id, isAlarm}) => isAlarm ?? before.has(id));
		return this.#shown;
	}

	/** Returns where the window begins; undefined for the first sample. Adds the snapshot as a later start. */
	#since(snapshot: Snapshot): Snapshot | undefined {
		const isOld = ({session}: Snapshot) => session.takenAtMs <= snapshot.session.takenAtMs - windowMs;
		const newestOld = this.#starts.findLastIndex(start => isOld(start));
		this.#starts = [...this.#starts.slice(Math.max(0, newestOld)), snapshot];
		return newestOld === -1 ? undefined : this.#starts[0];
	}
}
