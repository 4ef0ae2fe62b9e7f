import {eventKinds} from '../model/schema.js';
import type {Options} from '../options/parse.js';
import {beforeStop} from '../runtime/suspension.js';
import {startSampler, type SamplerHandle} from '../sampler/handle.js';
import {addToRing, emptyRing, usualBounds, type Ring, type RingBounds} from '../query/past/past-ring.js';
import type {SnapshotSource} from '../model/source.js';
import {openVitals} from '../jvm/counters/vitals.js';
import type {Target} from '../jvm/target.js';

/** Samples a target while `action` runs. `depth`: maximum number of frames of a stack if --depth is not given. */
export async function sampled<T>(
	target: Target,
	options: Options,
	action: (source: SamplerHandle) => Promise<T>,
	depth = Infinity,
): Promise<T> {
	const {engine, timer, intervalMs, threads, idleCalls, maxVirtualThreads, waits, maxOverheadPercent, maxCpuPercent}
		= options;
	const sampler = startSampler({
		target,
		engine,
		timer,
		intervalMs,
		depth: options.depth ?? depth,
		threads,
		extraIdle: idleCalls,
		maxVirtualThreads,
		waits,
		maxOverheadPercent,
		maxCpuPercent,
		// What is measured is recorded.
		events: eventKinds.filter(kind => options.events.includes(kind) || options.measure === kind),
	});
	// Before we are suspended, the target must be released: threads that we stop would stay stopped.
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

/**
Less than a screen keeps, but enough for the minute before a trigger, and to write windows late after a full disk.
*/
const bounds: RingBounds = {...usualBounds, maxBytes: 8 * 1024 * 1024, maxWindows: 900};

/** The windows of a session without a screen, a second long each. */
export class Windows {
	ring: Ring = emptyRing;
	readonly #source: SnapshotSource;
	readonly #vitals: ReturnType<typeof openVitals> | undefined;

	constructor(source: SnapshotSource, target: Target) {
		this.#source = source;
		this.#vitals = openVitals(target);
	}

	/** Adds what was sampled since the last window, if that is a second or `isLast`; returns all windows. */
	follow(isLast = false): Ring {
		const snapshot = this.#source.read();
		const vitals = {...this.#vitals?.read(), ...this.#source.figures?.()};
		if (snapshot && snapshot.session.samples > 0) {
			const {note, lineNote, tracer} = this.#source.status();
			this.ring = addToRing(
				this.ring,
				snapshot,
				{vitals, sourceNotes: {note, lineNote, tracer}},
				isLast ? {...bounds, leastMs: 0} : bounds,
			);
		}

		return this.ring;
	}

	close(): void {
		this.#vitals?.close();
	}
}
