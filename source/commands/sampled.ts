import type {Options} from '../options/parse.js';
import {beforeStop} from '../runtime/suspension.js';
import {optimizeLess} from '../runtime/heap-trimming.js';
import {startSampler, type SamplerHandle} from '../sampler/handle.js';
import {addToRing, emptyRing, usualBounds, type Ring, type RingBounds} from '../query/past/ring.js';
import type {SnapshotSource} from '../model/source.js';
import {openVitals} from '../jvm/counters/vitals.js';
import type {Target} from '../jvm/target.js';

/** Samples a target while `action` runs; `depth`: frames of each stack without --depth. */
export async function sampled<T>(target: Target, options: Options, action: (source: SamplerHandle) => Promise<T>, depth = Infinity): Promise<T> {
	optimizeLess();
	const sampler = startSampler({
		target,
		engine: options.engine,
		timer: options.timer,
		intervalMs: options.intervalMs,
		depth: options.depth ?? depth,
		threads: options.threads,
		extraIdle: options.idleCalls,
		maxVirtualThreads: options.maxVirtualThreads,
		waits: options.waits,
		maxOverheadPercent: options.maxOverheadPercent,
		maxCpuPercent: options.maxCpuPercent,
	});
	// While suspended we must not hold the target: threads that we stopped a moment ago would stay stopped.
	const endSuspending = beforeStop({
		suspend: async () => sampler.hold(),
		resume() {
			sampler.resume();
		},
	});
	try {
		return await action(sampler);
	} finally {
		await sampler.close();
		endSuspending();
	}
}

/** More windows than a screen keeps: what could not be written while the disk was full is written later. */
const bounds: RingBounds = {...usualBounds, maxBytes: 8 * 1024 * 1024, maxWindows: 900};

/** The past of a session without a screen, in windows of a second. */
export class Windows {
	ring: Ring = emptyRing;
	readonly #source: SnapshotSource;
	readonly #vitals: ReturnType<typeof openVitals> | undefined;

	constructor(source: SnapshotSource, target: Target) {
		this.#source = source;
		this.#vitals = openVitals(target);
	}

	/** Adds what was sampled since the last call as a window; `isLast`: even if that is less than a second. */
	follow(isLast = false): Ring {
		const snapshot = this.#source.read();
		const vitals = this.#vitals?.read();
		if (snapshot && snapshot.session.samples > 0) {
			const {note, lineNote, tracer} = this.#source.status();
			this.ring = addToRing(this.ring, snapshot, {vitals, sourceNotes: {note, lineNote, tracer}}, isLast ? {...bounds, leastMs: 0} : bounds);
		}

		return this.ring;
	}

	close(): void {
		this.#vitals?.close();
	}
}
