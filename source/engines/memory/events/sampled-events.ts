import {pseudoFrame, unattributed} from '../../../model/frame.js';
import {eventKinds, type EventKind} from '../../../model/schema.js';
import {type Sample} from '../../../model/sample.js';
import {type Printable} from '../../../util/printable.js';
import {type EngineOptions} from '../../common/engine.js';
import {type BreakpointCalls} from '../cpu/perf/perf-calls.js';
import {type RecordedStacks} from '../cpu/perf/recorded-stack.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type JavaThread} from '../threads/java-thread.js';
import {ExceptionStacks} from './exception-stack.js';
import {ThreadEvents, type SymbolsAndJvm, type ThreadEvent} from './thread-events.js';

/** Records are taken from the rings all the time, and counted in samples that are at most this far apart. */
const sampleWithinMs = 500;

/** Thread, and through what the JDK's executors call its method from JDK 19 on: JavaLangAccess, thread containers. */
const startersOfThreads = /^(?:java\.lang\.(?:Thread|System\$\d+)|jdk\.internal\.(?:vm|misc)\.[\w$]+)$/;

const none = Object.freeze({coveredMs: 0, costMs: 0});

/** Adds events to samples: those of the kinds that are wanted. Opens nothing as long as none are. */
export class SampledEvents {
	/** How many times more rarely than usual events may be recorded. */
	recordEvery = 1;
	readonly #calls: BreakpointCalls;
	readonly #jvm: SymbolsAndJvm;
	readonly #exceptions: ExceptionStacks;
	readonly #stacks: RecordedStacks;
	readonly #options: EngineOptions;
	readonly #unattributed: number[] = [];
	#kinds: readonly EventKind[];
	/** Undefined before the first sample with events; why there are none if they are refused. */
	#events?: ThreadEvents | Printable;

	constructor(calls: BreakpointCalls, jvm: SymbolsAndJvm, stacks: RecordedStacks, options: EngineOptions) {
		this.#calls = calls;
		this.#jvm = jvm;
		this.#exceptions = new ExceptionStacks(jvm);
		this.#stacks = stacks;
		this.#options = options;
		this.#kinds = options.events ?? [];
	}

	set(kinds: readonly EventKind[]): void {
		this.#kinds = kinds;
		this.release();
		this.#events = undefined;
	}

	/** See `EngineSession.eventsNote`. */
	get note(): Printable | undefined {
		return this.#events instanceof ThreadEvents ? this.#events.note : undefined;
	}

	/** See `EngineSession.eventsRefusal`. */
	get refusal(): Printable | undefined {
		return typeof this.#events === 'string' ? this.#events : undefined;
	}

	/** See `SampleOutcome.hasTimers`. */
	get hasTimers(): boolean {
		return this.#events instanceof ThreadEvents;
	}

	/** The next sample must be taken within this time. */
	get nextWithinMs(): number {
		return this.hasTimers ? sampleWithinMs : Infinity;
	}

	/**
	Adds the events since the last sample to one that has the rows of these threads. Returns the time that they cover,
	and what they cost, on average of the threads with events.
	*/
	add(into: Sample, threads: readonly JavaThread[]): {readonly coveredMs: number; readonly costMs: number} {
		if (this.#kinds.length === 0) {
			return none;
		}

		this.#events ??= ThreadEvents.start(
			this.#calls,
			this.#jvm,
			this.#stacks,
			{kinds: this.#kinds, maxOverheadPercent: this.#options.maxOverheadPercent ?? 100},
		);
		if (!(this.#events instanceof ThreadEvents)) {
			return none;
		}

		const {events, ...figures} = this.#events.poll(threads, this.recordEvery);
		for (const event of events) {
			const {thread, kind, amount, squares} = event;
			into.addEvent(
				platformRow(into, thread),
				{kind: eventKinds.indexOf(kind), amount, squares},
				this.#framesOf(event),
			);
		}

		return figures;
	}

	/** Closes all breakpoints until the next sample. */
	release(): void {
		if (this.#events instanceof ThreadEvents) {
			this.#events.release();
		}
	}

	/** The frames of a virtual thread or, if none is mounted, of the thread, from the top. */
	#framesOf({kind, stack}: ThreadEvent): ArrayLike<number> {
		if (!stack) {
			return this.#unattributedStack;
		}

		const {frames, carrierStart} = stack;
		const own = frames.subarray(0, carrierStart < 0 ? frames.length : carrierStart);
		const shown = kind === 'exceptions'
			? this.#exceptions.fold(own)
			: (kind === 'starts' ? withoutStart(this.#jvm, own) : own);
		return shown.subarray(0, this.#options.depth);
	}

	get #unattributedStack(): readonly number[] {
		this.#unattributed[0] ??= pseudoFrame(this.#jvm.interner, unattributed);
		return this.#unattributed;
	}
}

/** Returns the frames, innermost first, without those of Thread.start and of what calls it inside the JDK. */
function withoutStart({methods}: Jvm, frames: Int32Array): Int32Array {
	const isStart = (frame: number) => {
		const method = methods.ofFrame(frame);
		return method !== undefined && /^start0?$/.test(method.name) && startersOfThreads.test(method.className);
	};

	const caller = frames.findIndex(frame => !isStart(frame));
	return frames.subarray(Math.max(0, caller));
}

/** Returns a thread's row; for a carrier its own, not that of its virtual thread. */
function platformRow({carrier}: Sample, {row: {index}}: JavaThread): number {
	return carrier[index] < 0 ? index : carrier[index];
}
