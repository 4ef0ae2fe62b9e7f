import {attachEngine} from '../../source/engines/attach/attach-engine.js';
import {type EngineOptions, type EngineSession} from '../../source/engines/common/engine.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {type Interner, nativeCodeLine, unknownStack} from '../../source/model/frame.js';
import {lockKinds, Sample, threadFlag} from '../../source/model/sample.js';
import {printable} from '../../source/util/printable.js';
import {type ThreadState, threadStates} from '../../source/model/thread-state.js';
import {targetOf} from '../helpers/jvm.js';
import {closedAfterTest} from '../helpers/for-test.js';

/** A table of names and frames that can be looked up both ways. */
export class Names implements Interner {
	readonly strings = [''];
	/**
	"Class.method:line", with a line below 0 as in java.lang.StackTraceElement. The first two are none and "(other)", as
	in the table.
	*/
	readonly frames = ['', '(other)'];
	/** The file of each frame; none of a native method. */
	readonly files = ['', ''];
	readonly #stringIds = new Map([['', 0]]);
	readonly #frameIds = new Map<string, number>();

	internString(text: string): number {
		const id = this.#stringIds.get(text) ?? this.strings.push(printable(text)) - 1;
		this.#stringIds.set(text, id);
		return id;
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		const key = [classId, methodId, fileId, line].join(' ');
		const id = this.#frameIds.get(key)
			?? this.frames.push(`${this.strings[classId]}.${this.strings[methodId]}:${line}`) - 1;
		this.#frameIds.set(key, id);
		this.files[id] = line === -2 ? '' : this.strings[fileId];
		return id;
	}
}

/** A row of a sample in words. */
export type Row = {
	readonly key: number;
	readonly nativeId: number;
	readonly name: string;
	readonly state: ThreadState;
	readonly flags: string[];
	readonly isIncomplete: boolean;
	readonly isVirtual: boolean;
	readonly isVmInternal: boolean;
	readonly cpuNs: number;
	/** The top frame first; none of a stack that is unknown. */
	readonly frames: string[];
	/** "kind class", and who holds it, at which frame. */
	readonly lock: string;
	readonly owner: string;
	/** Name of the carrier of a virtual thread. */
	readonly carrier: string;
};

/** The sample in words, by what it has named. */
export function rowsOf(sample: Sample, {strings, frames}: Names): Row[] {
	return Array.from({length: sample.count}, (_, row) => {
		const flags = Object.entries(threadFlag).filter(([, bit]) => (sample.flags[row] & bit) !== 0).map(([name]) =>
			name);
		const [start, owner, ownerFrame, carrier] = [
			sample.stackStart[row],
			sample.lockOwner[row],
			sample.lockOwnerFrame[row],
			sample.carrier[row],
		];
		return {
			key: sample.key[row],
			nativeId: sample.nativeId[row],
			name: sample.name[row],
			state: threadStates[sample.state[row]],
			flags,
			isIncomplete: flags.includes('incomplete'),
			isVirtual: flags.includes('virtual'),
			isVmInternal: flags.includes('vmInternal'),
			cpuNs: sample.cpuNs[row],
			frames: Array.from(sample.frames.subarray(start, start + sample.stackLength[row]), frame => frames[frame])
				.filter(frame => !frame.startsWith(`${unknownStack.className}.`)),
			lock: sample.lockKind[row] === 0
				? ''
				: `${lockKinds[sample.lockKind[row]]} ${strings[sample.lockClass[row]]}`.trim(),
			owner: owner < 0 ? '' : `${sample.name[owner]}${ownerFrame ? ` at ${frames[ownerFrame]}` : ''}`,
			carrier: carrier < 0 ? '' : sample.name[carrier],
		};
	});
}

/** A stack that used CPU time since the sample before, without frames of native code. */
export type Credit = {readonly cpuNs: number; readonly frames: string[]};

/** One thread as the engine saw it, in words. */
export type ObservedThread = Row & {readonly credits: Credit[]};

const engines = {memory: memoryEngine, attach: attachEngine};

/** An open session and everything it has named; closed with the test. */
export class Observer {
	static async open(
		pid: number,
		{engine = 'memory', ...options}: Partial<EngineOptions> & {readonly engine?: keyof typeof engines} = {},
	): Promise<Observer> {
		const observer = closedAfterTest(new Observer());
		observer.session = await engines[engine].open(await targetOf({pid}), {
			depth: Infinity,
			timer: 'stop',
			...options,
		}, observer.names);
		return observer;
	}

	readonly names = new Names();
	readonly sample = new Sample();
	session!: EngineSession;
	/** Threads, over all samples, that did not stop in time: on a busy host there may be many. */
	late = 0;

	/** Takes a sample; fails when it is a bad one. */
	async observe(): Promise<ObservedThread[]> {
		const outcome = await this.session.sample(this.sample);
		if (!outcome.ok) {
			throw new Error(outcome.reason);
		}

		this.late += outcome.skippedThreads?.late ?? 0;
		const threads = rowsOf(this.sample, this.names).map(row => ({...row, credits: [] as Credit[]}));
		const {attributedCpu: {count, row, cpuNs, stackStart, stackLength}, frames} = this.sample;
		for (let credit = 0; credit < count; credit++) {
			const stack = Array.from(
				frames.subarray(stackStart[credit], stackStart[credit] + stackLength[credit]),
				frame => this.names.frames[frame],
			);
			threads[row[credit]].credits.push({
				cpuNs: cpuNs[credit],
				frames: stack.filter(frame => !frame.endsWith(`:${nativeCodeLine}`)),
			});
		}

		return threads;
	}

	async close(): Promise<void> {
		await this.session.close();
	}
}
