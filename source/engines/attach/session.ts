import type {Interner} from '../../model/frame.js';
import type {Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {printable} from '../../model/text.js';
import {IdleList} from '../../jvm/threads/idle.js';
import {namedTask, NativeIds} from '../../jvm/threads/native-ids.js';
import {vmThreadName} from '../../jvm/attachability/running-vm.js';
import type {Target} from '../../jvm/target.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';
import {
	type EngineOptions, type EngineSession, type SampleOutcome, SessionOver, type UnattributedReason,
} from '../common/engine.js';
import {AttachClient, type Failed} from './socket/client.js';
import {DumpCpu} from './dump-cpu.js';
import {tooManyThreads} from './dump/headers.js';
import {DumpParser} from './dump/parser.js';
import {KnownHolders} from './dump/locks.js';
import {PauseEstimate} from './pause-estimate.js';

/**
Longest wait for one dump: a full collection of a large heap, or a JVM slow to reach a safepoint, takes seconds. After
this the sample is lost, but not the session.
*/
const dumpTimeoutMs = 10_000;

/** The same for a full dump: some hundred gigabytes of heap. */
const fullDumpTimeoutMs = 120_000;

/** Failures in a row that end a session without a single good sample: the cause will not go away. */
const failuresAtStart = 3;

/**
A session that did work ends only after nothing but failures for this long (a container may be frozen for a while), and
at least this many.
*/
const failingEndsAfterMs = 60_000;
const failingAtLeast = 3;

const usInMs = 1000;

/** Part of the time spent waiting for a CPU from which shares may be off by more than chance. */
const muchWaiting = 0.35;

/** Samples one JVM by thread dumps through its attach socket. */
export class AttachSession implements EngineSession {
	readonly note?: string;

	readonly #client: AttachClient;
	readonly #parser: DumpParser;
	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	readonly #threadTimes: DumpCpu;
	/** Reads the VM Thread and the listener; apart from the readings of all threads, which come later. */
	readonly #pause: PauseEstimate;
	readonly #pauseCpu: ThreadCpu;
	#aborter = new AbortController();
	#vmThread = 0;
	#listener = 0;
	#goodSamples = 0;
	#failures = 0;
	#failingSinceMs = 0;
	#closed = false;
	readonly #holders = new KnownHolders();
	#isFullNext = false;

	constructor(target: Target, options: EngineOptions, interner: Interner) {
		this.#client = new AttachClient(target);
		this.#parser = new DumpParser(interner, {depth: options.depth, idle: new IdleList(options.extraIdle)});
		this.#threadCpu = new ThreadCpu(target.pid);
		this.#pauseCpu = new ThreadCpu(target.pid, 2);
		this.#ids = new NativeIds(target);
		this.#threadTimes = new DumpCpu(this.#threadCpu, this.#ids);
		this.#pause = new PauseEstimate(this.#pauseCpu);
		// Later the dumps themselves say which one it is.
		this.#vmThread = namedTask(target.pid, [vmThreadName]);
		this.note = noteFor(target, this.#threadCpu);
	}

	async sample(into: Sample): Promise<SampleOutcome> {
		into.clear();
		if (this.#closed) {
			throw new SessionOver('the session was closed', {targetEnded: false});
		}

		const {signal} = this.#aborter;
		this.#pause.begin(this.#vmThread, this.#listener);
		const isFull = this.#isFullNext;
		// Once, even if it fails.
		this.#isFullNext = false;
		const reply = await this.#client.threadDump({timeoutMs: isFull ? fullDumpTimeoutMs : dumpTimeoutMs, signal, isFull});
		if (reply.status === 'ended') {
			throw new SessionOver(reply.reason, {targetEnded: true});
		}

		if (reply.status === 'failed') {
			// Nothing came back: all we know is how long the VM Thread worked.
			const stoppedMs = this.#pause.end(this.#vmThread, this.#listener, 0);
			if (signal.aborted) {
				return {ok: false, reason: printable(reply.reason), stoppedMs};
			}

			return this.#failed(reply, stoppedMs);
		}

		const stoppedMs = this.#pause.end(this.#vmThread, this.#listener, reply.firstByteMs);
		const atMs = Date.now() - (reply.tookMs - reply.firstByteMs);
		const problem = this.#parser.parse(reply.bytes, into);
		if (problem) {
			return this.#failed({status: 'failed', reason: problem, hint: '', othersMayDo: true}, stoppedMs);
		}

		this.#holders.applyTo(into, isFull);
		this.#threadTimes.fill(into, this.#parser.headerCpuNs);
		this.#vmThread = this.#ids.ours(this.#parser.vmThreadId);
		this.#listener = this.#ids.ours(this.#parser.attachListenerId);
		this.#parser.frames.markIdle(into, this.#threadTimes.known, this.#listener);
		observe(into);
		this.#goodSamples++;
		this.#failures = 0;
		return {
			ok: true, pauseUs: stoppedMs * usInMs, stoppedMs, atMs,
		};
	}

	askForHolders(): void {
		this.#isFullNext = true;
	}

	/** A dump shows a thread that waits for a CPU as if it ran. */
	get finding(): string | undefined {
		const part = this.#threadTimes.waitingPart;
		return part < muchWaiting ? undefined : `threads wait for a CPU about ${Math.round(part * 10) * 10}% of the time they could run: lines where they wait look hotter than they are`;
	}

	get unattributed(): UnattributedReason {
		return 'unobserved';
	}

	async release(): Promise<void> {
		this.#aborter.abort();
		this.#aborter = new AbortController();
	}

	async close(): Promise<void> {
		this.#closed = true;
		this.#aborter.abort();
		this.#threadCpu.close();
		this.#pauseCpu.close();
		this.#pause.close();
	}

	#failed({reason, hint, othersMayDo}: Failed, stoppedMs: number): SampleOutcome {
		const nowMs = performance.now();
		if (this.#failures++ === 0) {
			this.#failingSinceMs = nowMs;
		}

		const isOver = this.#goodSamples === 0
			? this.#failures >= failuresAtStart || reason === tooManyThreads
			: this.#failures >= failingAtLeast && nowMs - this.#failingSinceMs >= failingEndsAfterMs;
		if (isOver) {
			throw new SessionOver(printable(reason), {targetEnded: false, hint: printable(hint), othersMayDo});
		}

		return {ok: false, reason: printable(reason), stoppedMs};
	}
}

/** A thread that the JVM says is RUNNABLE, and that has used CPU time, was observed running. */
function observe(into: Sample): void {
	into.isObservation = true;
	for (let row = 0; row < into.count; row++) {
		into.isObserved[row] = Number(into.state[row] === stateCode.RUNNABLE && into.cpuNs[row] > 0);
	}
}

/** What this engine cannot see in this target. */
function noteFor(target: Target, threadCpu: ThreadCpu): string | undefined {
	const isReadable = threadCpu.read(target.pid) || threadCpu.reading === 'gone';
	if (!isReadable && target.jdk === 8) {
		return 'thread CPU times are not available (no schedstat in /proc, none in JDK 8 dumps); rows are ordered by ticks';
	}

	if (target.jdk >= 21 && target.jdk < 24) {
		return `JDK ${target.jdk} does not show what virtual threads do; their CPU time appears at the carrier's Continuation.run`;
	}

	return isReadable ? undefined : 'thread CPU times come from the JVM itself (/proc has no schedstat)';
}
