import type {TargetVitals} from '../../model/snapshot.js';
import {CpuHistory} from '../counters/cpu-history.js';
import {openVitals, type VitalsReader} from '../counters/vitals.js';
import {containerName} from '../identity/service.js';
import {safe, type Printable} from '../../util/printable.js';
import {processAgeMs, type ProcessStat} from '../system/proc.js';
import {listJvms, type JvmListing} from './list-jvms.js';

/** A JVM of this host with its figures. */
export type WatchedJvm = JvmListing & {
	readonly vitals: TargetVitals;
	readonly cpu: CpuHistory;
	/** Name of its pod or container; empty if it is in none that is known. */
	readonly container: Printable;
};

type Known = {
	listing: JvmListing;
	inspectedAtMs: number;
	/** Undefined in the first scan, which is to be quick: the table is empty until then. */
	reader?: VitalsReader;
	vitals: TargetVitals;
	/** When they were read, and the CPU time that the JVM had used by then. */
	readAtMs: number;
	readAtTicks: number;
	readonly cpu: CpuHistory;
	container: Printable;
};

/** What a JVM is may change: it may be replaced by another program (exec), or open its attach socket. */
const inspectAgainMs = 15_000;
/** Why a JVM cannot be profiled may be over sooner. */
const checkProblemMs = 3000;
/** A JVM that cannot be profiled, up to this age, may still be starting: it is inspected in every scan. */
const mayBeStartingMs = 20_000;

/** How often the figures of a JVM are read, and those of one that uses no CPU time, which hardly change. */
const readMs = 1900;
const readAtRestMs = 5000;

/** Follows all JVMs of this host, by /proc and the JVMs' counters alone. It inspects a JVM rarely once it is known. */
export class JvmWatch {
	readonly #jvms = new Map<number, Known>();
	#isFirstScan = true;

	/**
	Returns all JVMs, lowest pid first. Shares and rates are of the time since the previous reading. The first scan has
	no figures.
	*/
	scan(): readonly WatchedJvm[] {
		const nowMs = performance.now();
		const listings = listJvms((pid, stat) => this.#known(pid, stat, nowMs));
		const present = new Map(listings.map(({pid, startTicks}) => [pid, startTicks]));
		for (const [pid, {listing, reader}] of this.#jvms) {
			if (present.get(pid) !== listing.startTicks) {
				reader?.close();
				this.#jvms.delete(pid);
			}
		}

		const jvms = listings.map(listing => this.#figuresOf(listing, nowMs));
		this.#isFirstScan = false;
		return jvms;
	}

	/** Returns the reader of a JVM's figures, which has followed them since the JVM was found. */
	readerOf(pid: number): VitalsReader | undefined {
		return this.#jvms.get(pid)?.reader;
	}

	close(): void {
		for (const {reader} of this.#jvms.values()) {
			reader?.close();
		}

		this.#jvms.clear();
	}

	#known(pid: number, {startTicks, state}: ProcessStat, nowMs: number): JvmListing | undefined {
		const {listing, inspectedAtMs} = this.#jvms.get(pid) ?? {};
		// Whether it is stopped is part of an inspection.
		if (listing?.startTicks !== startTicks || !['R', 'S', 'D'].includes(state)) {
			return undefined;
		}

		const keptMs = listing.problem === undefined ? inspectAgainMs : this.#problemKeptMs(startTicks);
		return nowMs - inspectedAtMs! < keptMs ? listing : undefined;
	}

	#problemKeptMs(startTicks: number): number {
		return processAgeMs(startTicks) < mayBeStartingMs ? 0 : checkProblemMs;
	}

	#figuresOf(listing: JvmListing, nowMs: number): WatchedJvm {
		const known: Known = this.#jvms.get(listing.pid) ?? {
			listing,
			inspectedAtMs: nowMs,
			vitals: {},
			readAtMs: -Infinity,
			readAtTicks: 0,
			cpu: new CpuHistory(),
			container: safe``,
		};
		this.#jvms.set(listing.pid, known);
		if (known.listing.target !== listing.target) {
			known.inspectedAtMs = nowMs;
		}

		known.listing = listing;
		known.cpu.add(listing);
		if (!this.#isFirstScan) {
			this.#read(known, nowMs);
		}

		const {vitals, cpu, container} = known;
		return {...listing, vitals, cpu, container};
	}

	/** Reads the figures of a JVM if that is due. */
	#read(known: Known, nowMs: number): void {
		const {listing} = known;
		if (!known.reader) {
			known.reader = openVitals(listing.target);
			known.container = containerName(listing.pid);
		}

		if (nowMs - known.readAtMs >= (listing.cpuTicks === known.readAtTicks ? readAtRestMs : readMs)) {
			known.vitals = known.reader.read();
			known.readAtMs = nowMs;
			known.readAtTicks = listing.cpuTicks;
		}
	}
}
