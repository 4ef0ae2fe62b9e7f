import type {SystemCalls} from '../jvm/waits/system-calls.js';
import type {Interner} from '../model/frame.js';
import {getOrCreateUpTo} from '../util/get-or-create.js';
import {threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/** How often a pass over all threads begins, and how many waits it reads at most. */
const passEveryMs = 1000;
const maxReads = 1000;

/** A wait that continues is read again after this time. */
const readAgainMs = 10_000;

/** Time for reading in one sample; the next sample continues the pass. */
const maxReadingMs = 5;

/** Peers in a session, whose names the dictionary never frees. */
const maxPeers = 2048;
const otherPeer = '(other peers)';

/**
A thread's wait as last read. `kind`, `peer` and `end` are `waitKind`, `waitPeer` and `waitEnd` of `threadColumns`; all
are 0 if the thread was in no system call.
*/
type LastWait = {
	readonly kind: number;
	readonly peer: number;
	readonly end: number;
	/** Hash of the thread's stack when it was read. */
	readonly stack: number;
	readonly readAtMs: number;
	/** Whether the thread has run since: it may wait for something else at the same stack. */
	hasRun: boolean;
	/** The last pass that found the thread waiting. */
	pass: number;
};

/**
Adds to samples what threads wait for in system calls. A pass over all threads begins every second; it reads the waits
of threads that have run or changed their stack, and those last read ten seconds ago. A wait is valid until the thread's
stack changes.
*/
export class SampledWaits {
	readonly #interner: Interner;
	readonly #calls: Pick<SystemCalls, 'of' | 'ofFile'>;
	/** By key of a thread. */
	readonly #waits = new Map<number, LastWait>();
	readonly #peers = new Map<string, number>();
	#pass = 0;
	#isInPass = false;
	#nextPassMs = Number.NEGATIVE_INFINITY;
	#readsLeft = 0;

	constructor(interner: Interner, calls: Pick<SystemCalls, 'of' | 'ofFile'>) {
		this.#interner = interner;
		this.#calls = calls;
	}

	/** Returns the kind and the peer (string ids) of a wait for an open file. Never throws. */
	ofFile(...file: Parameters<SystemCalls['ofFile']>): {readonly kind: number; readonly peer: number} {
		const {kind, peer} = this.#calls.ofFile(...file);
		return {kind: this.#interner.internString(kind), peer: this.#peer(peer)};
	}

	/** Fills `waitKind`, `waitPeer` and `waitEnd` of a sample's rows. */
	fill(sample: Sample, nowMs = performance.now()): void {
		if (nowMs >= this.#nextPassMs && !this.#isInPass) {
			this.#isInPass = true;
			this.#nextPassMs = nowMs + passEveryMs;
			this.#readsLeft = maxReads;
			this.#pass++;
		}

		for (let row = 0; row < sample.count; row++) {
			if ((this.#isInPass || sample.isSame[row] === 0) && mayWait(sample, row)) {
				this.#fillRow(sample, row, nowMs);
			}
		}

		this.#endPass(nowMs);
	}

	#fillRow(sample: Sample, row: number, nowMs: number): void {
		const known = this.#known(sample, row);
		const wait = this.#isInPass && this.#mayRead(known, nowMs) ? this.#read(sample, row, nowMs) : known;
		const {kind = 0, peer = 0, end = 0} = wait ?? {};
		if (sample.waitKind[row] !== kind || sample.waitPeer[row] !== peer || sample.waitEnd[row] !== end) {
			sample.waitKind[row] = kind;
			sample.waitPeer[row] = peer;
			sample.waitEnd[row] = end;
			sample.isSame[row] = 0;
		}
	}

	/** Returns the wait that was read last if the thread still has the same stack. */
	#known(sample: Sample, row: number): LastWait | undefined {
		const key = sample.key[row];
		const wait = this.#waits.get(key);
		if (wait?.stack !== stackHash(sample, row)) {
			this.#waits.delete(key);
			return undefined;
		}

		wait.hasRun ||= sample.cpuNs[row] > 0;
		wait.pass = this.#pass;
		return wait;
	}

	#read(sample: Sample, row: number, nowMs: number): LastWait {
		this.#readsLeft--;
		const {kind = '', peer = '', end = 0} = this.#calls.of(sample.nativeId[row]) ?? {};
		const wait = {
			kind: this.#interner.internString(kind),
			peer: this.#peer(peer),
			end,
			stack: stackHash(sample, row),
			readAtMs: nowMs,
			hasRun: false,
			pass: this.#pass,
		};
		this.#waits.set(sample.key[row], wait);
		return wait;
	}

	/** Whether a wait is due to be read, and this sample has time for it. */
	#mayRead(wait: LastWait | undefined, nowMs: number): boolean {
		const isDue = !wait || wait.hasRun || nowMs - wait.readAtMs >= readAgainMs;
		return isDue && wait?.readAtMs !== nowMs && this.#readsLeft > 0 && performance.now() - nowMs < maxReadingMs;
	}

	/** Returns the string id of a peer, or of `otherPeer` if there are too many. */
	#peer(peer: string): number {
		return getOrCreateUpTo(
			this.#peers,
			peer,
			maxPeers,
			isFull => this.#interner.internString(isFull ? otherPeer : peer),
		);
	}

	/** Ends the pass if this sample had time for all threads, or the maximum number has been read. */
	#endPass(nowMs: number): void {
		if (this.#isInPass && (this.#readsLeft <= 0 || performance.now() - nowMs < maxReadingMs)) {
			this.#isInPass = false;
			for (const [key, {pass}] of this.#waits) {
				if (pass !== this.#pass) {
					this.#waits.delete(key);
				}
			}
		}
	}
}

/** Whether a thread may wait in a system call: it has a Java stack, and is IDLE, or RUNNABLE without using CPU. */
function mayWait({state, stackLength, cpuNs, flags, nativeId}: Sample, row: number): boolean {
	return (state[row] === stateCode.IDLE || (state[row] === stateCode.RUNNABLE && cpuNs[row] === 0))
		&& stackLength[row] > 0 && nativeId[row] > 0
		&& (flags[row] & (threadFlag.vmInternal | threadFlag.compiler)) === 0;
}

/** FNV-1a over a row's frames. */
function stackHash({frames, stackStart, stackLength}: Sample, row: number): number {
	let hash = 0x81_1C_9D_C5;
	const end = stackStart[row] + stackLength[row];
	for (let index = stackStart[row]; index < end; index++) {
		hash = Math.imul(hash ^ frames[index], 0x01_00_01_93);
	}

	return hash;
}
