import type {Interner} from '../../../model/frame.js';
import {normalClassName} from '../../../model/class-name.js';
import {printable} from '../../../model/text.js';
import {lockKindCode, threadFlag, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import type {IdleList} from '../../../jvm/threads/idle.js';
import {deadlockedParks} from './deadlock-section.js';
import {FrameLines} from './frame-lines.js';
import {cutShort, HeaderFinder, tooManyThreads} from './header-finder.js';
import {lineEndAfter, startsWith, wordOf} from './header.js';
import type {IdleFrames} from './idle-frames.js';
import {LockLine, lockLineKind} from './lock-line.js';
import {LockOwners} from './lock-owners.js';
import {KnownTexts} from './known-texts.js';
import {maxThreads} from './smr-list.js';
import {decimalAt, stateAt} from './thread-notes.js';

/**
HotSpot prints at most this many frames of a thread and drops those below without a mark (MaxJavaStackTraceDepth).
*/
const dumpDepth = 1024;

const tab = 9;
const newline = 10;
const blank = 32;
const quote = 34;
const letterJ = 74;

const titleWord = wordOf('Full thread dump ');
const tailWord = wordOf('JNI global ref');
const atWord = wordOf('\tat ');
const lockWord = wordOf('\t- ');
const stateWord = wordOf('   java.lang.Thread.State: ');
const noTaskWord = wordOf('   No compile task');
const taskWord = wordOf('   Compiling:');
const carryingWord = wordOf('   Carrying virtual thread #');
const mountedWord = wordOf('   Mounted virtual thread #');

export type ParserOptions = {
	/** Frames kept of each stack, from the top. */
	readonly depth: number;
	readonly idle: IdleList;
};

/**
Reads thread dumps of HotSpot (JDK 8 to 28) as the attach socket's `threaddump` gives them. One parser belongs to one
session: it remembers the lines it has seen, so that a dump like the one before allocates next to nothing. Nothing in
the dump is trusted: names may hold line feeds, complete false headers and frames.
*/
export class DumpParser {
	/**
	CPU nanoseconds since the thread's start as its header has it, by row of the last sample; -1 where the header does
	not say (JDK 8).
	*/
	headerCpuNs = new Float64Array(64);
	/** Linux ids (as the JVM knows them) of the VM Thread and of the thread that answers us; 0 until seen. */
	vmThreadId = 0;
	attachListenerId = 0;
	/** Which frames make a RUNNABLE thread IDLE; applied by the caller, once CPU times are known. */
	readonly idleFrames: IdleFrames;

	readonly #options: ParserOptions;
	readonly #frames: FrameLines;
	readonly #classes: KnownTexts<number>;
	readonly #names = new KnownTexts(text => printable(text));
	readonly #headers = new HeaderFinder();
	readonly #lock = new LockLine();
	readonly #owners = new LockOwners();
	#sample!: Sample;
	/** Row that lines now belong to, -1 when none. */
	#row = -1;
	/** The last frame read from this stack; 0 for none. */
	#frame = 0;
	/** Frames that the dump prints for this stack, kept or not. */
	#depth = 0;

	constructor(interner: Interner, options: ParserOptions) {
		this.#options = options;
		this.#frames = new FrameLines(interner, options.idle);
		this.idleFrames = this.#frames.idle;
		this.#classes = new KnownTexts(text => interner.internString(printable(normalClassName(text))));
	}

	/**
	Fills the sample (cleared first) with the dump's threads; undefined when all is well; otherwise the reason that the
	dump cannot be counted (one printable line), with the sample empty. CPU times are left at 0, IDLE threads are still
	RUNNABLE, and native ids are those that the JVM knows.
	*/
	parse(bytes: Buffer, into: Sample): string | undefined {
		this.#sample = into;
		into.clear();
		this.#row = -1;
		this.#owners.clear();
		const problem = this.#readDump(bytes);
		if (problem) {
			into.clear();
		} else {
			this.#owners.resolve(into);
		}

		return problem;
	}

	#readDump(bytes: Buffer): string | undefined {
		const end = bytes.length;
		const title = this.#findTitle(bytes);
		if (title < 0) {
			return 'the answer is not a thread dump';
		}

		let at = this.#firstHeader(bytes, title);
		const headers = this.#headers;
		if (!headers.begin(bytes, title, at)) {
			return headers.problem;
		}

		while (at < end) {
			const byte = bytes[at];
			switch (byte) {
				case tab: {
					at = this.#readIndented(bytes, at, end);

					break;
				}

				case quote: {
					const headerEnd = headers.findHeader(bytes, at);
					if (headers.problem) {
						return headers.problem;
					}

					if (headerEnd < 0) {
						at = lineEndAfter(bytes, at, end) + 1;
						continue;
					}

					if (this.#sample.count >= maxThreads) {
						return tooManyThreads;
					}

					this.#addThread(bytes, at);
					at = headerEnd + 1;

					break;
				}

				case blank: {
					const lineEnd = lineEndAfter(bytes, at, end);
					this.#readNote(bytes, at, lineEnd);
					at = lineEnd + 1;

					break;
				}

				case newline: {
					at++;

					break;
				}

				default: {
					const lineEnd = lineEndAfter(bytes, at, end);
					if (byte === letterJ && lineEnd < end && startsWith(bytes, at, lineEnd, tailWord)) {
						headers.end();
						this.#readDeadlocks(bytes, lineEnd);
						return headers.problem;
					}

					at = lineEnd + 1;
				}
			}
		}

		return cutShort;
	}

	/** Start of the line below the title, which is the first or second line; -1 when there is none. */
	#findTitle(bytes: Buffer): number {
		const first = lineEndAfter(bytes, 0, bytes.length);
		if (startsWith(bytes, 0, first, titleWord)) {
			return first + 1;
		}

		const second = lineEndAfter(bytes, first + 1, bytes.length);
		return startsWith(bytes, first + 1, second, titleWord) ? second + 1 : -1;
	}

	#firstHeader(bytes: Buffer, start: number): number {
		let at = start;
		while (at < bytes.length && bytes[at] !== quote) {
			at = lineEndAfter(bytes, at, bytes.length) + 1;
		}

		return Math.min(at, bytes.length);
	}

	#addThread(bytes: Buffer, start: number): void {
		const {header} = this.#headers;
		const name = this.#names.find(bytes, start + 1, header.nameEnd);
		const internal = header.id < 0;
		const row = this.#addRow(internal ? -header.nativeId : header.id, header.nativeId, name);
		this.#sample.flags[row] = (header.daemon ? threadFlag.daemon : 0) | (internal ? threadFlag.vmInternal : 0);
		this.headerCpuNs[row] = header.cpuNs;
		if (internal && name === 'VM Thread') {
			this.vmThreadId = header.nativeId;
		} else if (name === 'Attach Listener' && header.daemon) {
			this.attachListenerId = header.nativeId;
		}
	}

	#addRow(key: number, nativeId: number, name: string): number {
		const row = this.#sample.addThread(key, nativeId, name);
		if (row >= this.headerCpuNs.length) {
			const cpu = new Float64Array(row * 2);
			cpu.set(this.headerCpuNs);
			this.headerCpuNs = cpu;
		}

		this.headerCpuNs[row] = -1;
		this.#row = row;
		this.#frames.startStack(row);
		this.#frame = 0;
		this.#depth = 0;
		return row;
	}

	/** A line that begins with a tab: a frame or what a frame locked; returns the start of the next line. */
	#readIndented(bytes: Buffer, at: number, end: number): number {
		if (startsWith(bytes, at, end, atWord)) {
			return this.#readFrame(bytes, at + atWord.length, end);
		}

		const lineEnd = lineEndAfter(bytes, at, end);
		if (this.#row < 0 || !startsWith(bytes, at, lineEnd, lockWord)) {
			return lineEnd + 1;
		}

		const lock = this.#lock;
		lock.read(bytes, at + lockWord.length, lineEnd);
		this.#applyLock(bytes);
		// JDK 8 to 17 leave out the line feed after "eliminated <owner is scalar replaced>" (JDK-8268780): the caller's
		// frame stands on the same line.
		return lock.gluedFrame > 0 ? this.#readFrame(bytes, lock.gluedFrame, end) : lineEnd + 1;
	}

	#readFrame(bytes: Buffer, start: number, end: number): number {
		if (this.#row < 0) {
			return lineEndAfter(bytes, start, end) + 1;
		}

		const frames = this.#frames;
		frames.read(bytes, start, end);
		this.#frame = frames.frame;
		if (frames.frame !== 0) {
			this.#pushFrame();
			if (frames.initialises !== 0) {
				this.#owners.initialises(this.#row, frames.initialises, frames.frame);
			}
		}

		return frames.lineEnd + 1;
	}

	#pushFrame(): void {
		if (this.#depth < this.#options.depth) {
			this.#sample.addFrame(this.#frame);
		}

		if (++this.#depth === dumpDepth) {
			this.#sample.flags[this.#row] |= threadFlag.incomplete;
		}
	}

	#applyLock(bytes: Buffer): void {
		const lock = this.#lock;
		const row = this.#row;
		const sample = this.#sample;
		if (lock.kind === lockLineKind.holds) {
			this.#owners.holds(row, lock.addressHigh, lock.addressLow, this.#frame);
			return;
		}

		if (lock.kind === lockLineKind.ownsSynchronizer) {
			this.#owners.holds(row, lock.addressHigh, lock.addressLow, 0);
			return;
		}

		// Only the top frame waits; lines further down (a wait that must lock again, JDK 11) belong to the past.
		const kind = sample.lockKind[row];
		if (lock.kind === lockLineKind.other || this.#depth > 1 || (kind !== lockKindCode.none && kind !== lockKindCode['class-init'])) {
			return;
		}

		const virtual = (sample.flags[row] & threadFlag.virtual) !== 0;
		switch (lock.kind) {
			case lockLineKind.entersMonitor: {
				sample.lockKind[row] = lockKindCode.monitor;
				if (virtual) {
					sample.state[row] = stateCode.BLOCKED;
				}

				break;
			}

			case lockLineKind.initialisesClass: {
				// The JVM says RUNNABLE, but the thread stands still until another one has finished the class's
				// initialiser.
				sample.lockKind[row] = lockKindCode['class-init'];
				sample.state[row] = stateCode.BLOCKED;
				break;
			}

			default: {
				// Notified and waiting to lock again, a thread is BLOCKED in Object.wait.
				const parks = lock.kind === lockLineKind.parks;
				sample.lockKind[row] = parks ? lockKindCode.park : (sample.state[row] === stateCode.BLOCKED ? lockKindCode.monitor : lockKindCode['monitor-wait']);
				if (virtual) {
					sample.state[row] = stateCode.WAITING;
				}
			}
		}

		sample.lockClass[row] = lock.classEnd > lock.classStart ? this.#classes.find(bytes, lock.classStart, lock.classEnd) : 0;
		this.#owners.wants(row, lock.addressHigh, lock.addressLow);
	}

	/** Holders of locks that the threads' own stacks say nothing of. */
	#readDeadlocks(bytes: Buffer, start: number): void {
		for (const {high, low, nameStart, nameEnd} of deadlockedParks(bytes, start)) {
			const row = this.#onlyRowOf(this.#names.find(bytes, nameStart, nameEnd));
			if (row !== -1) {
				this.#owners.holds(row, high, low, 0);
			}
		}
	}

	/** The row of a thread's name; -1 where none or several have it. */
	#onlyRowOf(name: string): number {
		const {name: names} = this.#sample;
		const row = names.indexOf(name);
		return names.includes(name, row + 1) ? -1 : row;
	}

	/** A line that begins with blanks: the state, the compiler's task, virtual threads. */
	#readNote(bytes: Buffer, at: number, end: number): void {
		const row = this.#row;
		if (row < 0) {
			return;
		}

		const {flags, state} = this.#sample;
		if (startsWith(bytes, at, end, stateWord)) {
			state[row] = stateAt(bytes, at + stateWord.length, end);
			if (this.#headers.header.inObjectWait && state[row] === stateCode.RUNNABLE) {
				// It waits for a class to be initialised; up to JDK 16 no other line says so.
				state[row] = stateCode.BLOCKED;
				this.#sample.lockKind[row] = lockKindCode['class-init'];
			}
		} else if (startsWith(bytes, at, end, noTaskWord) || startsWith(bytes, at, end, taskWord)) {
			flags[row] |= threadFlag.compiler;
		} else if (startsWith(bytes, at, end, carryingWord)) {
			// JDK 21 to 23 print nothing about the virtual thread: then it is hidden what the carrier does.
			flags[row] |= threadFlag.carrier | threadFlag.incomplete;
		} else if (startsWith(bytes, at, end, mountedWord) && (flags[row] & threadFlag.carrier) !== 0) {
			flags[row] &= ~threadFlag.incomplete;
			state[row] = stateCode.WAITING;
			this.#addVirtual(row, decimalAt(bytes, at + mountedWord.length, end));
		}
	}

	/** The frames below belong to the virtual thread that the row carries. */
	#addVirtual(carrier: number, key: number): void {
		const row = this.#addRow(key, 0, 'virtual thread');
		this.#sample.flags[row] = threadFlag.virtual | threadFlag.daemon;
		this.#sample.carrier[row] = carrier;
	}
}
