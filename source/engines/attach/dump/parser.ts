import {normalClassName} from '../../../model/class-name.js';
import type {Interner} from '../../../model/frame.js';
import {bounded} from '../../../util/get-or-create.js';
import {lockKindCode, threadFlag, virtualThreadsKey, type Sample} from '../../../model/sample.js';
import {decodeModifiedUtf8, maxNameLength, printable, safe, type Printable} from '../../../util/printable.js';
import {stateCode, type ThreadState} from '../../../model/thread-state.js';
import type {IdleList} from '../../../jvm/threads/idle.js';
import {FrameLines, frameStart, type DumpFrame} from './frame-lines.js';
import {Headers, maxDumpThreads, tooManyThreads, truncated, type Header} from './thread-headers.js';
import {deadlockedSynchronizers, LockOwners, readLockLine, type LockLine} from './dump-locks.js';

/** HotSpot prints at most this many frames of a thread and silently omits the rest (MaxJavaStackTraceDepth). */
const dumpDepth = 1024;

const maxCachedNames = 1 << 13;

/** Maximum bytes of a name: three per character, and one character more than is kept, which shows that it is longer. */
const maxNameBytes = 3 * (maxNameLength + 1);

/** The title is the first or second line. */
const title = /^(?:.*\n)?Full thread dump .*\n/;
/** The starts of lines: the first one after all threads; of a lock, a state, a compiler thread's task. */
const endStart = 'JNI global ref';
const lockStart = '\t- ';
const stateStart = '   java.lang.Thread.State: ';
const noTask = '   No compile task';
const task = '   Compiling:';

/**
Time, number, attributes (`%`: on-stack replacement), level, method, index of a loop's entry (CompileTask::print).
*/
const compilation = /^ {3}Compiling: +(?:\d+ +){1,2}[%s!bn ]*(\d) +(\S+)::(\S+)(?: @ (\d+))? /;

/** Levels below this are C1's. */
const c2Level = 4;
const carrying = '   Carrying virtual thread #';
const mounted = '   Mounted virtual thread #';

/**
Parses HotSpot's thread dumps (JDK 8 to 28) as the attach command `threaddump` prints them. Each session has its own
parser, which caches lines. Nothing in the dump is trusted: names may contain line feeds, complete false headers and
frames.
*/
export class DumpParser {
	/** By row of the last sample: CPU time since the thread's start, from its header; -1 if not printed (JDK 8). */
	readonly headerCpuNs: number[] = [];
	/** What compiler threads compile, by row of the last sample, as in the memory engine: `tier 3 com.acme.Foo.bar`. */
	readonly compiled = new Map<number, string>();
	/** Linux ids, in the JVM's pid namespace, of the VM Thread and of the Attach Listener; 0 until found. */
	vmThreadId = 0;
	attachListenerId = 0;
	/** The caller marks IDLE threads by these once CPU times are known. */
	readonly frames: FrameLines;

	readonly #depth: number;
	readonly #interner: Interner;
	/** By raw Latin-1 text. */
	readonly #printableNames = new Map<string, Printable>();
	#dump = '';
	#sample!: Sample;
	#owners = new LockOwners();
	/** The thread being read; row -1 before the first. */
	#row = -1;
	#header!: Header;
	#lastFrame: DumpFrame | undefined;
	/** Number of frames of the current stack so far, kept or not. */
	#frameCount = 0;

	/** `depth`: frames kept of each stack, from the top. */
	constructor(interner: Interner, {depth, idle}: {readonly depth: number; readonly idle: IdleList}) {
		this.#depth = depth;
		this.#interner = interner;
		this.frames = new FrameLines(interner, idle);
	}

	/**
	Clears the sample and fills it with the dump's threads. If the dump is unusable, returns the reason, one printable
	line, with the sample empty. CPU times remain 0, IDLE threads are still RUNNABLE, and native ids are those in the
	JVM's pid namespace.
	*/
	parse(bytes: Buffer, into: Sample): Printable | undefined {
		into.clear();
		this.#sample = into;
		this.#row = -1;
		this.#owners = new LockOwners();
		this.headerCpuNs.length = 0;
		this.compiled.clear();
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

	#readDump(): Printable | undefined {
		const dump = this.#dump;
		const titleMatch = title.exec(dump);
		if (!titleMatch) {
			return safe`the answer is not a thread dump`;
		}

		let at = titleMatch[0].length;
		const headers = new Headers(dump, at);
		while (at < dump.length && !headers.problem) {
			const first = dump[at];
			if (first === '\t' && this.#row >= 0) {
				at = this.#readIndented(at);
				continue;
			}

			const header = first === '"' ? headers.headerAt(at) : undefined;
			if (header) {
				if (this.#sample.count >= maxDumpThreads) {
					return tooManyThreads;
				}

				this.#addThread(at, header);
				at = header.end;
				continue;
			}

			const lineEnd = lineEndFrom(dump, at);
			if (first === ' ' && this.#row >= 0) {
				this.#readDetail(dump.slice(at, lineEnd - 1));
			} else if (first === 'J' && dump.startsWith(endStart, at) && dump[lineEnd - 1] === '\n') {
				headers.checkComplete();
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
		this.#sample.flags[this.#row] = (header.isDaemon ? threadFlag.daemon : 0)
			| (isInternal ? threadFlag.vmInternal : 0);
		if (isInternal && name === 'VM Thread') {
			this.vmThreadId = header.nativeId;
		} else if (name === 'Attach Listener' && header.isDaemon) {
			this.attachListenerId = header.nativeId;
		}
	}

	#addRow(key: number, nativeId: number, name: Printable, cpuNs: number): void {
		this.#row = this.#sample.addThread(key, nativeId, name);
		this.headerCpuNs[this.#row] = cpuNs;
		this.#lastFrame = undefined;
		this.#frameCount = 0;
	}

	/** Returns a name, given as raw Latin-1 text, as printable text. */
	#nameOf(text: string): Printable {
		let name = this.#printableNames.get(text);
		if (name === undefined) {
			const bytes = Buffer.from(text, 'latin1');
			name = printable(decodeModifiedUtf8(bytes.subarray(0, maxNameBytes)));
			if (bytes.length <= maxNameBytes) {
				// A copy: a slice of the dump would keep the whole dump in memory.
				bounded(this.#printableNames, maxCachedNames).set(bytes.toString('latin1'), name);
			}
		}

		return name;
	}

	/** Reads a line that begins with a tab, a frame or a lock; returns the start of the next line. */
	#readIndented(at: number): number {
		const dump = this.#dump;
		const frame = this.frames.frameAt(dump, at, this.#lastFrame);
		if (frame) {
			this.#addFrame(frame);
			return at + frame.line.length;
		}

		const lineEnd = lineEndFrom(dump, at);
		if (dump.startsWith(lockStart, at)) {
			const text = dump.slice(at + lockStart.length, lineEnd - 1);
			// JDK 8 to 17 omit the line feed after "eliminated <owner is scalar replaced> (a X)" (JDK-8268780): the
			// caller's frame is on the same line.
			const frameAt = text.startsWith('eliminated <owner is scalar replaced>')
				? text.indexOf(`)${frameStart}`)
				: -1;
			if (frameAt !== -1) {
				return this.#readIndented(at + lockStart.length + frameAt + 1);
			}

			const lock = readLockLine(text);
			if (lock) {
				this.#applyLock(lock);
			}
		}

		return lineEnd;
	}

	#addFrame(frame: DumpFrame): void {
		this.#lastFrame = frame;
		if (this.#frameCount < this.#depth) {
			this.#sample.addFrame(frame.id);
		}

		if (++this.#frameCount === dumpDepth) {
			this.#sample.flags[this.#row] |= threadFlag.incomplete;
		}

		if (frame.initializedClass !== 0) {
			this.#owners.addInitializer(this.#row, frame.initializedClass, frame.id);
		}
	}

	#applyLock({kind, address, className}: LockLine): void {
		const row = this.#row;
		const {lockKind, lockClass} = this.#sample;
		if (kind === 'monitor-held' || kind === 'synchronizer-held') {
			this.#owners.addHeld(row, address, kind === 'monitor-held' ? this.#lastFrame?.id ?? 0 : 0);
			return;
		}

		// Only the top frame waits; a wait printed further down (of a thread that must lock again, JDK 11) is over.
		if (
			this.#frameCount > 1
			|| (lockKind[row] !== lockKindCode.none && lockKind[row] !== lockKindCode['class-init'])
		) {
			return;
		}

		this.#setWaiting(kind);
		lockClass[row] = className
			? this.#interner.internString(normalClassName(decodeModifiedUtf8(Buffer.from(
				className.slice(0, maxNameBytes),
				'latin1',
			))))
			: 0;
		this.#owners.addWaiter(row, address);
	}

	/** Sets the state of the thread, and the kind of the lock, from a line of what its top frame waits for. */
	#setWaiting(kind: Exclude<LockLine['kind'], 'monitor-held' | 'synchronizer-held'>): void {
		const row = this.#row;
		const {lockKind, state, flags} = this.#sample;
		const isVirtual = (flags[row] & threadFlag.virtual) !== 0;
		switch (kind) {
			case 'blocked': {
				lockKind[row] = lockKindCode.monitor;
				state[row] = isVirtual ? stateCode.BLOCKED : state[row];
				break;
			}

			case 'class-init': {
				// The JVM prints RUNNABLE, but the thread waits for another one to finish the class's initializer.
				lockKind[row] = lockKindCode['class-init'];
				state[row] = stateCode.BLOCKED;
				break;
			}

			case 'parked': {
				lockKind[row] = lockKindCode.park;
				state[row] = isVirtual ? stateCode.WAITING : state[row];
				break;
			}

			case 'waiting': {
				// A thread that was notified and must lock again is BLOCKED in Object.wait.
				lockKind[row] = state[row] === stateCode.BLOCKED ? lockKindCode.monitor : lockKindCode['monitor-wait'];
				state[row] = isVirtual ? stateCode.WAITING : state[row];
				break;
			}
		}
	}

	/** The threads' own stacks do not show all holders of locks. */
	#readDeadlocks(start: number): void {
		const {name: names} = this.#sample;
		for (const {address, holder} of deadlockedSynchronizers(this.#dump.slice(start))) {
			const name = this.#nameOf(holder);
			const row = names.indexOf(name);
			if (row !== -1 && !names.includes(name, row + 1)) {
				this.#owners.addHeld(row, address, 0);
			}
		}
	}

	/** Reads a line that begins with blanks: the state, a compiler's task, a virtual thread. */
	#readDetail(line: string): void {
		const row = this.#row;
		const {flags, state} = this.#sample;
		if (line.startsWith(stateStart)) {
			state[row] = stateOf(line.slice(stateStart.length));
			if (this.#header.isInObjectWait && state[row] === stateCode.RUNNABLE) {
				// The thread waits for a class to be initialized; up to JDK 16 no other line shows it.
				state[row] = stateCode.BLOCKED;
				this.#sample.lockKind[row] = lockKindCode['class-init'];
			}
		} else if (line.startsWith(noTask) || line.startsWith(task)) {
			flags[row] |= threadFlag.compiler;
			const [, level, className, method, bci] = compilation.exec(line) ?? [];
			if (method !== undefined) {
				this.compiled.set(
					row,
					`${Number(level) < c2Level ? `tier ${level} ` : ''}${this.#nameOf(className)}.${this.#nameOf(method)}${bci === undefined ? '' : `@${bci}`}`,
				);
			}
		} else if (line.startsWith(carrying)) {
			// JDK 21 to 23 print nothing about the virtual thread, so what the carrier runs is unknown.
			flags[row] |= threadFlag.carrier | threadFlag.incomplete;
		} else if (line.startsWith(mounted) && (flags[row] & threadFlag.carrier) !== 0) {
			flags[row] &= ~threadFlag.incomplete;
			state[row] = stateCode.WAITING;
			// The key is the carrier's, not the virtual thread's: virtual threads may come and go by the thousand.
			this.#addRow(virtualThreadsKey - this.#sample.key[row], 0, safe`virtual thread`, -1);
			this.#sample.flags[this.#row] = threadFlag.virtual | threadFlag.daemon;
			this.#sample.carrier[this.#row] = row;
		}
	}
}

/** Returns the start of the next line, or the end of the dump. */
function lineEndFrom(dump: string, at: number): number {
	const newline = dump.indexOf('\n', at);
	return newline === -1 ? dump.length : newline + 1;
}

/** Returns the code of the state that the text starts with; RUNNABLE for unknown words. */
function stateOf(text: string): number {
	const word = /^[A-Z_]+/.exec(text)?.[0] ?? '';
	return Object.hasOwn(stateCode, word) ? stateCode[word as ThreadState] : stateCode.RUNNABLE;
}
