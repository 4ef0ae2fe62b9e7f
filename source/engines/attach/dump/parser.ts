import {normalClassName} from '../../../model/class-name.js';
import type {Interner} from '../../../model/frame.js';
import {decodeModifiedUtf8} from '../../../model/modified-utf8.js';
import {
	lockKindCode, threadFlag, virtualThreadsKey, type Sample,
} from '../../../model/sample.js';
import {maxNameLength, printable} from '../../../model/text.js';
import {stateCode, type ThreadState} from '../../../model/thread-state.js';
import type {IdleList} from '../../../jvm/threads/idle.js';
import {FrameLines, frameStart, type DumpFrame} from './frame-lines.js';
import {
	Headers, maxThreads, tooManyThreads, truncated, type Header,
} from './headers.js';
import {
	deadlockedParks, LockOwners, readLockLine, type LockLine,
} from './locks.js';

/** HotSpot prints at most this many frames of a thread and drops those below without a mark (MaxJavaStackTraceDepth). */
const dumpDepth = 1024;

/** Distinct names of threads remembered. */
const maxNames = 1 << 13;

/**
Bytes of a name that are read: a character takes at most three, and reading one more character than is kept shows that
the name is longer.
*/
const maxNameBytes = 3 * (maxNameLength + 1);

/** The title is the first or second line. */
const title = /^(?:.*\n)?Full thread dump .*\n/;
const tail = 'JNI global ref';
const lockStart = '\t- ';
const stateStart = '   java.lang.Thread.State: ';
const noTask = '   No compile task';
const task = '   Compiling:';
const carrying = '   Carrying virtual thread #';
const mounted = '   Mounted virtual thread #';

/**
Reads thread dumps of HotSpot (JDK 8 to 28) as the attach socket's `threaddump` gives them. One parser belongs to one
session: it remembers the lines that it has seen. Nothing in the dump is trusted: names may hold line feeds, complete
false headers and frames.
*/
export class DumpParser {
	/**
	CPU nanoseconds since the thread's start as its header has it, by row of the last sample; -1 where the header does
	not say (JDK 8).
	*/
	readonly headerCpuNs: number[] = [];
	/** Linux ids (as the JVM knows them) of the VM Thread and of the thread that answers us; 0 until seen. */
	vmThreadId = 0;
	attachListenerId = 0;
	/** The frames seen so far; the caller marks IDLE threads by them, once CPU times are known. */
	readonly frames: FrameLines;

	readonly #depth: number;
	readonly #interner: Interner;
	/** By what is printed. */
	readonly #names = new Map<string, string>();
	#dump = '';
	#sample!: Sample;
	#owners = new LockOwners();
	/** The thread that lines now belong to: its row, -1 when none, and its header. */
	#row = -1;
	#header!: Header;
	/** The last frame read from this stack. */
	#frame: DumpFrame | undefined;
	/** Frames that the dump prints for this stack, kept or not. */
	#frameCount = 0;

	/** `depth`: frames kept of each stack, from the top. */
	constructor(interner: Interner, {depth, idle}: {readonly depth: number; readonly idle: IdleList}) {
		this.#depth = depth;
		this.#interner = interner;
		this.frames = new FrameLines(interner, idle);
	}

	/**
	Fills the sample (cleared first) with the dump's threads; undefined when all is well; otherwise the reason that the
	dump cannot be counted (one printable line), with the sample empty. CPU times are left at 0, IDLE threads are still
	RUNNABLE, and native ids are those that the JVM knows.
	*/
	parse(bytes: Buffer, into: Sample): string | undefined {
		into.clear();
		this.#sample = into;
		this.#row = -1;
		this.#owners = new LockOwners();
		this.headerCpuNs.length = 0;
		this.#dump = bytes.toString('latin1');
		const problem = this.#readDump();
		this.#dump = '';
		if (problem) {
			into.clear();
		} else {
			this.#owners.resolve(into);
		}

		return problem;
	}

	#readDump(): string | undefined {
		const dump = this.#dump;
		const found = title.exec(dump);
		if (!found) {
			return 'the answer is not a thread dump';
		}

		let at = found[0].length;
		const headers = new Headers(dump, at);
		while (at < dump.length && !headers.problem) {
			const first = dump[at];
			if (first === '\t' && this.#row >= 0) {
				at = this.#readIndented(at);
				continue;
			}

			const header = first === '"' ? headers.headerAt(at) : undefined;
			if (header) {
				if (this.#sample.count >= maxThreads) {
					return tooManyThreads;
				}

				this.#addThread(at, header);
				at = header.end;
				continue;
			}

			const lineEnd = lineEndFrom(dump, at);
			if (first === ' ' && this.#row >= 0) {
				this.#readNote(dump.slice(at, lineEnd - 1));
			} else if (first === 'J' && dump.startsWith(tail, at) && dump[lineEnd - 1] === '\n') {
				headers.end();
				this.#readDeadlocks(lineEnd);
				return headers.problem;
			}

			at = lineEnd;
		}

		return headers.problem ?? truncated;
	}

	#addThread(start: number, header: Header): void {
		const name = this.#nameOf(this.#dump.slice(start + 1, header.nameEnd));
		const isInternal = header.id < 0;
		this.#header = header;
		this.#addRow(isInternal ? -header.nativeId : header.id, header.nativeId, name, header.cpuNs);
		this.#sample.flags[this.#row] = (header.isDaemon ? threadFlag.daemon : 0) | (isInternal ? threadFlag.vmInternal : 0);
		if (isInternal && name === 'VM Thread') {
			this.vmThreadId = header.nativeId;
		} else if (name === 'Attach Listener' && header.isDaemon) {
			this.attachListenerId = header.nativeId;
		}
	}

	#addRow(key: number, nativeId: number, name: string, cpuNs: number): void {
		this.#row = this.#sample.addThread(key, nativeId, name);
		this.headerCpuNs[this.#row] = cpuNs;
		this.#frame = undefined;
		this.#frameCount = 0;
	}

	/** A name as printed, a character a byte, made printable. */
	#nameOf(text: string): string {
		let name = this.#names.get(text);
		if (name === undefined) {
			const bytes = Buffer.from(text, 'latin1');
			name = printable(decodeModifiedUtf8(bytes.subarray(0, maxNameBytes)));
			if (bytes.length <= maxNameBytes) {
				if (this.#names.size >= maxNames) {
					this.#names.clear();
				}

				// In memory of its own: a slice of a dump keeps the whole dump.
				this.#names.set(bytes.toString('latin1'), name);
			}
		}

		return name;
	}

	/** A line that begins with a tab: a frame or what a frame locked; returns the start of the next line. */
	#readIndented(at: number): number {
		const dump = this.#dump;
		const frame = this.frames.frameAt(dump, at, this.#frame);
		if (frame) {
			this.#addFrame(frame);
			return at + frame.line.length;
		}

		const lineEnd = lineEndFrom(dump, at);
		if (dump.startsWith(lockStart, at)) {
			const text = dump.slice(at + lockStart.length, lineEnd - 1);
			// JDK 8 to 17 leave out the line feed after "eliminated <owner is scalar replaced> (a X)" (JDK-8268780): the
			// caller's frame stands on the same line.
			const glued = text.startsWith('eliminated <owner is scalar replaced>') ? text.indexOf(`)${frameStart}`) : -1;
			if (glued !== -1) {
				return this.#readIndented(at + lockStart.length + glued + 1);
			}

			const lock = readLockLine(text);
			if (lock) {
				this.#applyLock(lock);
			}
		}

		return lineEnd;
	}

	#addFrame(frame: DumpFrame): void {
		this.#frame = frame;
		if (this.#frameCount < this.#depth) {
			this.#sample.addFrame(frame.id);
		}

		if (++this.#frameCount === dumpDepth) {
			this.#sample.flags[this.#row] |= threadFlag.incomplete;
		}

		if (frame.initializes !== 0) {
			this.#owners.initializes(this.#row, frame.initializes, frame.id);
		}
	}

	#applyLock({kind, address, className}: LockLine): void {
		const row = this.#row;
		const {lockKind, lockClass, state, flags} = this.#sample;
		if (kind === 'holds' || kind === 'owns') {
			this.#owners.holds(row, address, kind === 'holds' ? this.#frame?.id ?? 0 : 0);
			return;
		}

		// Only the top frame waits; lines further down (a wait that must lock again, JDK 11) belong to the past.
		if (this.#frameCount > 1 || (lockKind[row] !== lockKindCode.none && lockKind[row] !== lockKindCode['class-init'])) {
			return;
		}

		const isVirtual = (flags[row] & threadFlag.virtual) !== 0;
		switch (kind) {
			case 'enters': {
				lockKind[row] = lockKindCode.monitor;
				state[row] = isVirtual ? stateCode.BLOCKED : state[row];
				break;
			}

			case 'initializes': {
				// The JVM says RUNNABLE, but the thread waits until another one has finished the class's
				// initializer.
				lockKind[row] = lockKindCode['class-init'];
				state[row] = stateCode.BLOCKED;
				break;
			}

			case 'parks':
			case 'waits': {
				// Notified and waiting to lock again, a thread is BLOCKED in Object.wait.
				lockKind[row] = kind === 'parks' ? lockKindCode.park : (state[row] === stateCode.BLOCKED ? lockKindCode.monitor : lockKindCode['monitor-wait']);
				state[row] = isVirtual ? stateCode.WAITING : state[row];
			}
		}

		lockClass[row] = className ? this.#interner.internString(normalClassName(decodeModifiedUtf8(Buffer.from(className.slice(0, maxNameBytes), 'latin1')))) : 0;
		this.#owners.wants(row, address);
	}

	/** Holders of locks that the threads' own stacks say nothing of. */
	#readDeadlocks(start: number): void {
		const {name: names} = this.#sample;
		for (const {address, holder} of deadlockedParks(this.#dump.slice(start))) {
			const name = this.#nameOf(holder);
			const row = names.indexOf(name);
			if (row !== -1 && !names.includes(name, row + 1)) {
				this.#owners.holds(row, address, 0);
			}
		}
	}

	/** A line that begins with blanks: the state, the compiler's task, virtual threads. */
	#readNote(line: string): void {
		const row = this.#row;
		const {flags, state} = this.#sample;
		if (line.startsWith(stateStart)) {
			state[row] = stateOf(line.slice(stateStart.length));
			if (this.#header.isInObjectWait && state[row] === stateCode.RUNNABLE) {
				// It waits for a class to be initialized; up to JDK 16 no other line says so.
				state[row] = stateCode.BLOCKED;
				this.#sample.lockKind[row] = lockKindCode['class-init'];
			}
		} else if (line.startsWith(noTask) || line.startsWith(task)) {
			flags[row] |= threadFlag.compiler;
		} else if (line.startsWith(carrying)) {
			// JDK 21 to 23 print nothing about the virtual thread: then it is hidden what the carrier does.
			flags[row] |= threadFlag.carrier | threadFlag.incomplete;
		} else if (line.startsWith(mounted) && (flags[row] & threadFlag.carrier) !== 0) {
			flags[row] &= ~threadFlag.incomplete;
			state[row] = stateCode.WAITING;
			// A record for each carrier: virtual threads may come and go by the thousand.
			this.#addRow(virtualThreadsKey - this.#sample.key[row], 0, 'virtual thread', -1);
			this.#sample.flags[this.#row] = threadFlag.virtual | threadFlag.daemon;
			this.#sample.carrier[this.#row] = row;
		}
	}
}

/** Start of the next line; the end when there is none. */
function lineEndFrom(dump: string, at: number): number {
	const newline = dump.indexOf('\n', at);
	return newline === -1 ? dump.length : newline + 1;
}

/** Code of the state named first; RUNNABLE for words that no JDK up to 28 prints. */
function stateOf(text: string): number {
	const word = /^[A-Z_]+/.exec(text)?.[0] ?? '';
	return Object.hasOwn(stateCode, word) ? stateCode[word as ThreadState] : stateCode.RUNNABLE;
}
