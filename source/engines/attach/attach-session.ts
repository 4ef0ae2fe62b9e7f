import type {Interner} from '../../model/frame.js';
import {JvmStacks} from '../../model/jvm-stacks.js';
import type {Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {safe, type Printable} from '../../util/printable.js';
import {IdleList} from '../../jvm/threads/idle.js';
import {namedTask, NativeIds} from '../../jvm/threads/native-ids.js';
import {vmThreadName} from '../../jvm/attachability/signal.js';
import type {Target} from '../../jvm/target.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';
import {
	type EngineOptions, type EngineSession, type SampleOutcome, SessionOver, type UnattributedReason,
} from '../common/engine.js';
import {steadyNow} from '../../util/steady-clock.js';
import {AttachClient, type FailedReply} from '../../jvm/attach/client.js';
import {DumpCpu} from './dump-cpu.js';
import {tooManyThreads} from './dump/thread-headers.js';
import {DumpParser} from './dump/parser.js';
import {SynchronizerOwners} from './dump/dump-locks.js';
import {NativeThreads} from './native-threads.js';
import {PauseEstimate} from './pause-estimate.js';

/** A full collection, or a slow way to a safepoint, may take seconds. A time-out loses the sample, not the session. */
const dumpTimeoutMs = 10_000;

/** A full dump walks the heap: long enough for some hundred gigabytes. */
const fullDumpTimeoutMs = 120_000;

/**
A session ends after this many consecutive failures; if it has had a good sample, only after this much time of nothing
but failures, as a container may be frozen for a while.
*/
const minFailures = 3;
const maxFailingMs = 60_000;

/** With a larger share of runnable time spent waiting for a CPU, errors of line shares may exceed chance. */
const minReportedCpuWait = 0.35;

/** Samples one JVM by thread dumps through its attach socket. */
export class AttachSession implements EngineSession {
	readonly note?: string;

	readonly #client: AttachClient;
	readonly #parser: DumpParser;
	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	readonly #dumpCpu: DumpCpu;
	readonly #nativeThreads: NativeThreads;
	readonly #jvmStacks: JvmStacks;
	readonly #pause: PauseEstimate;
	#aborter = new AbortController();
	/** Linux ids of the VM Thread and of the Attach Listener; 0 if unknown. */
	#vmThread = 0;
	#listener = 0;
	#hasGoodSample = false;
	/** Consecutive failed samples, and when they began. */
	#failures = 0;
	#failingSinceMs = 0;
	readonly #synchronizerOwners = new SynchronizerOwners();
	/** The next sample takes a full dump. */
	#isFullNext = false;

	constructor(target: Target, options: EngineOptions, interner: Interner) {
		this.#client = new AttachClient(target);
		this.#parser = new DumpParser(interner, {depth: options.depth, idle: new IdleList(options.extraIdle)});
		this.#threadCpu = new ThreadCpu(target.pid);
		this.#ids = new NativeIds(target);
		this.#dumpCpu = new DumpCpu(this.#threadCpu, this.#ids);
		this.#nativeThreads = new NativeThreads(target.pid, this.#threadCpu);
		this.#jvmStacks = new JvmStacks(interner);
		this.#pause = new PauseEstimate(target.pid);
		// Later taken from the dumps.
		this.#vmThread = namedTask(target.pid, [vmThreadName]);
		this.note = noteFor(target, this.#threadCpu);
	}

	async sample(into: Sample): Promise<SampleOutcome> {
		into.clear();
		const {signal} = this.#aborter;
		this.#pause.begin(this.#vmThread, this.#listener);
		const isFull = this.#isFullNext;
		// A request applies to one dump, even if that fails.
		this.#isFullNext = false;
		const reply = await this.#client.threadDump({
			timeoutMs: isFull ? fullDumpTimeoutMs : dumpTimeoutMs,
			signal,
			isFull,
		});
		if (reply.status === 'ended') {
			throw new SessionOver(reply.reason, {targetEnded: true});
		}

		if (reply.status === 'failed') {
			// Without an answer the latency counts as 0, and so does the pause, which is never longer.
			const stoppedMs = this.#pause.end(this.#vmThread, this.#listener, 0);
			if (signal.aborted) {
				return {ok: false, reason: reply.reason, stoppedMs};
			}

			return this.#failed(reply, stoppedMs);
		}

		const stoppedMs = this.#pause.end(this.#vmThread, this.#listener, reply.firstByteMs);
		const atMs = steadyNow() - (reply.tookMs - reply.firstByteMs);
		const problem = this.#parser.parse(reply.bytes, into);
		if (problem) {
			return this.#failed({status: 'failed', reason: problem, hint: safe``, otherEnginesMayWork: true}, stoppedMs);
		}

		this.#synchronizerOwners.applyTo(into, {isFullDump: isFull});
		this.#dumpCpu.fill(into, this.#parser.headerCpuNs);
		this.#vmThread = this.#ids.ours(this.#parser.vmThreadId);
		this.#listener = this.#ids.ours(this.#parser.attachListenerId);
		for (const [row, method] of this.#parser.compiled) {
			into.addAttributedCpu(
				row,
				into.cpuNs[row],
				this.#jvmStacks.ofCompilation(into.name[row].split(' ', 1)[0], method),
			);
		}

		this.#parser.frames.markIdle(into, this.#dumpCpu.hasCpuTime, this.#listener);
		this.#nativeThreads.add(into);
		markObserved(into);
		this.#hasGoodSample = true;
		this.#failures = 0;
		return {ok: true, pauseUs: stoppedMs * 1000, stoppedMs, atMs};
	}

	askForHolders(): void {
		this.#isFullNext = true;
	}

	/** Warns if threads often wait for a CPU: a dump shows them as if they ran. */
	get lineNote(): Printable | undefined {
		const share = this.#dumpCpu.cpuWaitShare;
		return share < minReportedCpuWait
			? undefined
			: safe`threads wait for a CPU about ${
				Math.round(share * 10) * 10
			}% of the time they could run: lines where they wait look hotter than they are`;
	}

	get unattributed(): UnattributedReason {
		return 'unobserved';
	}

	async release(): Promise<void> {
		this.#aborter.abort();
		this.#aborter = new AbortController();
	}

	async close(): Promise<void> {
		this.#aborter.abort();
		this.#threadCpu.close();
		this.#pause.close();
	}

	#failed({reason, hint, otherEnginesMayWork}: FailedReply, stoppedMs: number): SampleOutcome {
		const nowMs = performance.now();
		if (this.#failures++ === 0) {
			this.#failingSinceMs = nowMs;
		}

		const isFailing = this.#failures >= minFailures
			&& (!this.#hasGoodSample || nowMs - this.#failingSinceMs >= maxFailingMs);
		if (isFailing || (!this.#hasGoodSample && reason === tooManyThreads)) {
			throw new SessionOver(reason, {targetEnded: false, hint, otherEnginesMayWork});
		}

		return {ok: false, reason, stoppedMs};
	}
}

/** Marks threads as observed running: the JVM reports them RUNNABLE, and they used CPU time. */
function markObserved(into: Sample): void {
	into.isObservation = true;
	for (let row = 0; row < into.count; row++) {
		into.isObserved[row] = Number(into.state[row] === stateCode.RUNNABLE && into.cpuNs[row] > 0);
	}
}

/** Returns a note about what this engine cannot read from this target. */
function noteFor(target: Target, threadCpu: ThreadCpu): string | undefined {
	const isReadable = threadCpu.read(target.pid) || threadCpu.lastResult === 'gone';
	if (!isReadable && target.jdk === 8) {
		return 'thread CPU times are not available (no schedstat in /proc, none in JDK 8 dumps); rows are ordered by ticks';
	}

	if (target.jdk >= 21 && target.jdk < 24) {
		return `JDK ${target.jdk} does not show what virtual threads do; their CPU time appears at the carrier's Continuation.run`;
	}

	return isReadable ? undefined : 'thread CPU times come from the JVM itself (/proc has no schedstat)';
}
