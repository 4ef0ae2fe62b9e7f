import {printable} from '../../source/util/printable.js';
import {nativeCodeLine, nativeLine, rootNode, unknownLine} from '../../source/model/frame.js';
import {lockKindCode, threadFlag, type LockKind} from '../../source/model/sample.js';
import type {SessionStats, Snapshot} from '../../source/model/snapshot.js';
import {stateCode, type ThreadState} from '../../source/model/thread-state.js';
import {SessionBuilder, type ThreadUpdate} from './session-builder.js';

const states: Readonly<Record<string, ThreadState>> = {
	R: 'RUNNABLE', B: 'BLOCKED', w: 'WAITING', t: 'TIMED_WAITING', '.': 'IDLE', N: 'NEW', X: 'TERMINATED',
};

/** Lines that have no number: of frames without, of native methods, of native code. */
const lineCodes: Readonly<Record<string, number>> = {'': unknownLine, native: nativeLine, code: nativeCodeLine};

type Holder = {readonly thread: string; readonly frame?: string; readonly kind: LockKind; readonly lockClass: string};

/**
Samples drawn as text, a line for a thread, or several. Before the first bar stand its name, its flags, and whom it
waits for; then come samples, each with a state (R B w t . N X) and, if it is not 10 ms for R and none for others, its
CPU milliseconds, and `*` with how many are the same; then the frames, outermost first, one for all samples or one for
each;
`-` is no frame.

	worker [daemon] <- other@a.Pool.take:8 | R R30 B | main:3 | sort:7 sort:7 lock:9
	other                                  | R*20    | main:1 | find:7

Whom it waits for may come without the frame that took the lock, and with the lock's kind and class (`park of a.Pool`).
A frame is `[package.Class.]method[:line]`, with `:native` for a native method and `library.so.function:code` for native
code; without a class it is of the class `A`. Flags: daemon, vm, compiler, dead.
*/
export class Picture {
	readonly builder = new SessionBuilder();
	readonly #threads = new Map<string, number>();
	#samples = 0;

	/** Adds the samples of one or more threads. */
	draw(text: string): this {
		const samples = new Map<string, number>();
		for (const line of text.split('\n').map(line => line.trim()).filter(Boolean)) {
			const {name, count} = this.#drawThread(line.split(/ +\| /));
			samples.set(name, (samples.get(name) ?? 0) + count);
		}

		this.#samples = Math.max(this.#samples, ...samples.values());

		return this;
	}

	/** Says more of what threads do now; a text is the value of a column of names. */
	set(
		threads: string | readonly string[],
		now: {readonly [Name in keyof ThreadUpdate]?: number | boolean | string},
	): this {
		const entries = Object.entries(now).map(([name, value]) => [name, typeof value === 'string' ? this.builder.internString(value) : value]);
		for (const thread of [threads].flat()) {
			this.builder.setNow(this.thread(thread), Object.fromEntries(entries) as ThreadUpdate);
		}

		return this;
	}

	/** Everything drawn so far; `durationMs` of the session is a second unless said otherwise. */
	build(session: Partial<SessionStats> = {}): Snapshot {
		return this.builder.build({
			session: {
				samples: this.#samples, durationMs: 1000, takenAtMs: 100_000, lastSampleAtMs: 100_000, ...session,
			},
		});
	}

	/** Index of a thread that was drawn. */
	thread(name: string): number {
		return this.#threads.get(name) ?? this.#addThread(name, '');
	}

	/** Id of the frame that a cell names. */
	frame(cell: string): number {
		const [, path, line] = /^(.*?)(?::(\d+|native|code))?$/.exec(cell)!;
		const dot = path.lastIndexOf('.');
		const className = dot === -1 ? 'A' : path.slice(0, dot);
		const simple = className.slice(className.lastIndexOf('.') + 1);
		return this.builder.addFrame(
			className,
			path.slice(dot + 1),
			`${simple}.java`,
			lineCodes[line ?? ''] ?? Number(line),
		);
	}

	#addThread(name: string, flags: string): number {
		const bits = (flags.includes('daemon') ? threadFlag.daemon : 0)
			| (flags.includes('vm') ? threadFlag.vmInternal : 0)
			| (flags.includes('compiler') ? threadFlag.compiler : 0);
		const key = this.#threads.size + 1;
		const index = this.builder.addThread({
			key: flags.includes('vm') ? -key : key,
			name: printable(name),
			nativeId: 1000 + key,
			flags: bits,
			alive: !flags.includes('dead'),
		});
		this.#threads.set(name, index);
		return index;
	}

	#drawThread([header, marks, ...rows]: readonly string[]): {readonly name: string; readonly count: number} {
		const [, name, flags, holder] = /^(.*?)(?: \[(.*?)])?(?: <- (.*))?$/.exec(header)!;
		const thread = this.#threads.get(name) ?? this.#addThread(name, flags ?? '');
		const held = holder ? parseHolder(holder) : undefined;
		const cells = rows.map(row => row.trim().split(/\s+/));
		const samples = (marks?.trim() ?? '').split(/\s+/).filter(Boolean).flatMap(text => {
			const [mark, times = 1] = text.split('*');
			return Array.from({length: Number(times)}, () => mark);
		});
		for (const [column, mark] of samples.entries()) {
			const names = cells.map(row => row.length === 1 ? row[0] : row[column]).filter(cell =>
				cell !== undefined && cell !== '-');
			const node = this.builder.addStack(names.map(cell => this.frame(cell)).reverse());
			const state = stateCode[states[mark[0]]];
			const cpuMs = mark.length > 1 ? Number(mark.slice(1)) : (mark === 'R' ? 10 : 0);
			this.builder.count(thread, node, state, 1, cpuMs * 1e6);
			this.builder.setNow(thread, {state, node});
			if (held) {
				this.#hold(thread, node, held);
			}
		}

		return {name, count: samples.length};
	}

	#hold(thread: number, node: number, {thread: name, frame, kind, lockClass}: Holder): void {
		const owner = this.thread(name);
		const lock = {
			lockKind: lockKindCode[kind],
			lockClass: this.builder.internString(lockClass),
			ownerFrame: frame === undefined ? 0 : this.frame(frame),
		};
		this.builder.addContention({thread, node, ...lock, owner, ownerNode: rootNode, ticks: 1});
		this.builder.setNow(thread, {
			lockKind: lock.lockKind, lockClass: lock.lockClass, lockOwner: owner, lockOwnerFrame: lock.ownerFrame,
		});
	}
}

/** Two threads that wait for each other, for 50 s or from this time on (milliseconds). */
export function deadlocked(sinceMs = 50_000): Snapshot {
	return new Picture().draw('one <- two@take:1 | B | enter:4\ntwo <- one@take:2 | B | enter:9').set(['one', 'two'], {
		sinceMs,
	}).build();
}

/** The snapshot of one picture. */
export function picture(text: string, session?: Partial<SessionStats>): Snapshot {
	return new Picture().draw(text).build(session);
}

/** Text without the tabs that its lines share, for comparing results with pictures of them. */
export function undent(text: string): string {
	const lines = text.replaceAll(/^\n+|\s+$/g, '').split('\n');
	const indent = Math.min(...lines.filter(line => line.trim()).map(line => /^\t*/.exec(line)![0].length));
	return lines.map(line => line.slice(indent).trimEnd()).join('\n');
}

function parseHolder(text: string): Holder {
	const [, thread, frame, kind = 'monitor', lockClass = 'java.lang.Object']
		= /^([^@ ]+)(?:@(\S+))?(?: (?!of )(\S+))?(?: of (\S+))?$/.exec(text)!;
	return {thread, frame, kind: kind as LockKind, lockClass};
}
