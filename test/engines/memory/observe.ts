import {memoryEngine} from '../../../source/engines/memory/engine.js';
import {type EngineOptions, type EngineSession} from '../../../source/engines/common/engine.js';
import {type Interner, nativeCodeLine, unknownStack} from '../../../source/model/frame.js';
import {lockKinds, Sample, threadFlag} from '../../../source/model/sample.js';
import {threadStates, type ThreadState} from '../../../source/model/thread-state.js';
import {schedstatOf} from '../../helpers/proc.js';
import {sum} from '../../helpers/sum.js';
import {rawTarget} from '../../helpers/target.js';
import {closedAfterTest} from '../../helpers/for-test.js';

/** One thread as the engine saw it, in words. Frames are "Class.method(File:line)", with a line below 0 as in java.lang.StackTraceElement; a native method has no file. */
export type ObservedThread = {
	readonly key: number;
	readonly nativeId: number;
	readonly name: string;
	readonly state: ThreadState;
	readonly isDaemon: boolean;
	readonly isIncomplete: boolean;
	readonly isVmInternal: boolean;
	readonly isVirtual: boolean;
	readonly cpuNs: number;
	readonly frames: string[];
	/** Stacks that used CPU time since the sample before, without frames of native code. */
	readonly credits: Array<{readonly cpuNs: number; readonly frames: string[]}>;
	readonly lock: string;
	readonly lockClass: string;
	readonly lockOwner: string;
	readonly lockOwnerFrame: string;
	/** Name of the carrier of a virtual thread. */
	readonly carrier: string;
};

/** A table of names and frames that can be looked up both ways. */
export class Names implements Interner {
	readonly strings = [''];
	/** The first two are none and "(other)", as in the table. */
	readonly frames = ['', '(other)'];
	readonly #stringIds = new Map([['', 0]]);
	readonly #frameIds = new Map<string, number>();

	internString(text: string): number {
		return this.#idOf(this.#stringIds, this.strings, text);
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		return this.#idOf(this.#frameIds, this.frames, `${this.strings[classId]}.${this.strings[methodId]}(${line === -2 ? '' : this.strings[fileId]}:${line})`);
	}

	#idOf(ids: Map<string, number>, list: string[], text: string): number {
		const known = ids.get(text);
		if (known !== undefined) {
			return known;
		}

		ids.set(text, list.length);
		return list.push(text) - 1;
	}
}

/** A frame as attach/dumps.ts has it: "Class.method:line". */
export const withoutFile = (frame: string) => frame.replace(/\(.*:(-?\d+)\)$/, ':$1');

/** Five standard deviations of CPU time recorded by CPU clocks, nanoseconds: each timeslice has a record more or less. */
export function chanceNs(pid: number, tids: Iterable<number>, periodNs = 10e6): number {
	const timeslices = sum([...tids].map(tid => schedstatOf(pid, tid).timeslices));
	return 5 * periodNs * Math.sqrt(timeslices / 4);
}

/** An open session and everything it has named; closed with the test. */
export class Observer {
	static async open(pid: number, {depth = Number.POSITIVE_INFINITY, timer = 'stop', ...options}: Partial<EngineOptions> = {}): Promise<Observer> {
		const observer = closedAfterTest(new Observer());
		observer.session = await memoryEngine.open(rawTarget(pid), {depth, timer, ...options}, observer.names);
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

		this.late += outcome.skipped?.late ?? 0;

		return Array.from({length: this.sample.count}, (_, row) => this.#thread(row));
	}

	async close(): Promise<void> {
		await this.session.close();
	}

	#thread(row: number): ObservedThread {
		const {sample, names: {strings, frames}} = this;
		const nameOf = (other: number) => other < 0 ? '' : sample.name[other];
		const flags = sample.flags[row];
		return {
			key: sample.key[row], nativeId: sample.nativeId[row], name: sample.name[row], state: threadStates[sample.state[row]],
			isDaemon: (flags & threadFlag.daemon) !== 0, isIncomplete: (flags & threadFlag.incomplete) !== 0, isVmInternal: (flags & threadFlag.vmInternal) !== 0,
			isVirtual: (flags & threadFlag.virtual) !== 0, cpuNs: sample.cpuNs[row],
			frames: [...sample.frames.subarray(sample.stackStart[row], sample.stackStart[row] + sample.stackLength[row])].map(frame => frames[frame]).filter(frame => !frame.startsWith(`${unknownStack.className}.`)),
			credits: this.#credits(row),
			lock: lockKinds[sample.lockKind[row]], lockClass: strings[sample.lockClass[row]], lockOwner: nameOf(sample.lockOwner[row]), lockOwnerFrame: frames[sample.lockOwnerFrame[row]],
			carrier: nameOf(sample.carrier[row]),
		};
	}

	#credits(row: number): ObservedThread['credits'] {
		const {sample: {attributedCpu, frames}, names} = this;
		return Array.from({length: attributedCpu.count}, (_, credit) => credit).filter(credit => attributedCpu.row[credit] === row).map(credit => ({
			cpuNs: attributedCpu.cpuNs[credit], frames: Array.from(frames.subarray(attributedCpu.stackStart[credit], attributedCpu.stackStart[credit] + attributedCpu.stackLength[credit]), frame => names.frames[frame]).filter(frame => !frame.endsWith(`:${nativeCodeLine})`)),
		}));
	}
}
