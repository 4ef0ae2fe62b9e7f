import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {FollowedThreads, ringRecords} from './followed-threads.js';
import {type PerfCalls} from './perf-calls.js';
import {recordMs} from './period.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {setCurrentStack, type RunningTimer} from './running-timer.js';

/** Takes the stacks of running threads from events on their own CPU clocks, without stopping them. */
export class PerfTimer implements RunningTimer {
	/** Always empty: events of ended threads are closed unread. */
	readonly ended: readonly RecordedStack[] = [];
	readonly #periodNs: number;
	readonly #withKernel: boolean;
	readonly #threads: FollowedThreads;
	readonly #stacks: RecordedStacks;

	constructor(calls: PerfCalls, stacks: RecordedStacks, options: {readonly withKernel: boolean; readonly periodNs: number}) {
		this.#withKernel = options.withKernel;
		this.#threads = new FollowedThreads(calls, options);
		this.#stacks = stacks;
		this.#periodNs = options.periodNs;
	}

	/** Takes and walks all records, and opens and closes events. */
	poll(awake: readonly JavaThread[]): number {
		let count = 0;
		let recorded = 0;
		for (const [thread, followed, event] of this.#threads.withEvents()) {
			const {records} = event.take();
			followed.fresh = records.map(record => this.#stacks.walk(record, thread)).filter(stack => stack !== undefined);
			followed.last = followed.fresh.at(-1) ?? followed.last;
			count += records.length;
			recorded += records.length > 0 ? 1 : 0;
		}

		this.#threads.update(awake, performance.now());
		return recorded > 0 ? count * recordMs / recorded : 0;
	}

	setCurrentStack(thread: JavaThread): boolean {
		const followed = this.#threads.of(thread);
		if (!followed?.event) {
			return false;
		}

		setCurrentStack(thread, followed.last, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get unattributed(): UnattributedReason {
		return this.finding === '' ? (this.#withKernel ? 'wakeUps' : 'systemCalls') : 'refused';
	}

	get finding(): string {
		return this.#threads.finding;
	}

	get roomMs(): number {
		return this.#threads.events === 0 ? Infinity : ringRecords * this.#periodNs / 1e6;
	}

	recorded(thread: JavaThread): readonly RecordedStack[] {
		return this.#threads.of(thread)?.fresh ?? [];
	}

	/** Closes all events until the next sample. */
	release(): void {
		this.#threads.clear();
	}
}
