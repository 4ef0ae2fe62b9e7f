import {pseudoFrame, unattributed} from '../../../model/frame.js';
import {eventKinds, type EventKind} from '../../../model/schema.js';
import {type Sample} from '../../../model/sample.js';
import {type Printable} from '../../../util/printable.js';
import {type EngineOptions} from '../../common/engine.js';
import {type BreakpointCalls} from '../cpu/perf/perf-calls.js';
import {type RecordedStacks} from '../cpu/perf/recorded-stack.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type JavaThread} from '../threads/java-thread.js';
import {Allocations} from './allocations.js';

/** Records are taken from the rings all the time, and counted in samples that are at most this far apart. */
const sampleWithinMs = 500;

const none = Object.freeze({coveredMs: 0, costMs: 0});

/** Code of bytes in `eventColumns`. */
const allocKind = eventKinds.indexOf('alloc');

/** Adds events to samples: those of the kinds that are wanted. Opens nothing as long as none are. */
export class SampledEvents {
	/** How many times more rarely than usual events may be recorded. */
	recordEvery = 1;
	readonly #calls: BreakpointCalls;
	readonly #jvm: Jvm;
	readonly #stacks: RecordedStacks;
	readonly #options: EngineOptions;
	readonly #unattributed: number[] = [];
	#kinds: readonly EventKind[];
	/** Undefined before the first sample with events; why there are none if they are refused. */
	#allocations?: Allocations | Printable;

	constructor(calls: BreakpointCalls, jvm: Jvm, stacks: RecordedStacks, options: EngineOptions) {
		this.#calls = calls;
		this.#jvm = jvm;
		this.#stacks = stacks;
		this.#options = options;
		this.#kinds = options.events ?? [];
	}

	set(kinds: readonly EventKind[]): void {
		this.#kinds = kinds;
		if (kinds.length === 0) {
			this.release();
			this.#allocations = undefined;
		}
	}

	/** See `EngineSession.eventsNote`. */
	get note(): Printable | undefined {
		return this.#allocations instanceof Allocations ? this.#allocations.note : undefined;
	}

	/** See `EngineSession.eventsRefusal`. */
	get refusal(): Printable | undefined {
		return typeof this.#allocations === 'string' ? this.#allocations : undefined;
	}

	/** The next sample must be taken within this time. */
	get nextWithinMs(): number {
		return this.#allocations instanceof Allocations ? sampleWithinMs : Infinity;
	}

	/**
	Adds the events since the last sample to one that has the rows of these threads. Returns the time that they cover,
	and what they cost, on average of the threads with events.
	*/
	add(into: Sample, threads: readonly JavaThread[]): {readonly coveredMs: number; readonly costMs: number} {
		if (this.#kinds.length === 0) {
			return none;
		}

		this.#allocations ??= Allocations.start(
			this.#calls,
			this.#jvm,
			this.#stacks,
			this.#options.maxOverheadPercent ?? 100,
		);
		if (!(this.#allocations instanceof Allocations)) {
			return none;
		}

		const {allocations, ...figures} = this.#allocations.poll(threads, this.recordEvery);
		for (const {thread, bytes, squares, stack} of allocations) {
			into.addEvent(platformRow(into, thread), {kind: allocKind, amount: bytes, squares}, stack
				? this.#framesOf(stack)
				: this.#unattributedStack);
		}

		return figures;
	}

	/** Closes all breakpoints until the next sample. */
	release(): void {
		if (this.#allocations instanceof Allocations) {
			this.#allocations.release();
		}
	}

	/** The frames of a virtual thread or, if none is mounted, of the thread, from the top. */
	#framesOf({frames, carrierStart}: {readonly frames: Int32Array; readonly carrierStart: number}): Int32Array {
		return frames.subarray(0, Math.min(this.#options.depth, carrierStart < 0 ? frames.length : carrierStart));
	}

	get #unattributedStack(): readonly number[] {
		this.#unattributed[0] ??= pseudoFrame(this.#jvm.interner, unattributed);
		return this.#unattributed;
	}
}

/** Returns a thread's row; for a carrier its own, not that of its virtual thread. */
function platformRow({carrier}: Sample, {row: {index}}: JavaThread): number {
	return carrier[index] < 0 ? index : carrier[index];
}
