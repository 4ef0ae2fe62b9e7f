import type {Printable} from '../../source/util/printable.js';
import {arrayFrom, makeArrays, namesOf, units} from '../../source/model/column-types.js';
import {contentionColumns, type ContentionColumns} from '../../source/model/schema.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';

export type ThreadUpdate = Partial<Parameters<SnapshotBuilder['addThread']>[0]>;

/** Builds snapshots of sessions in which threads change, and block each other. */
export class SessionBuilder extends SnapshotBuilder {
	readonly #now = new Map<number, ThreadUpdate>();
	readonly #contention: Array<Partial<Record<keyof ContentionColumns, number>>> = [];

	/** Values that are not given stay as they are. */
	setNow(thread: number, now: ThreadUpdate): void {
		this.#now.set(thread, {...this.#now.get(thread), ...now});
	}

	/** Counts ticks in which one thread blocked another; values that are not given are none. */
	addContention(row: Partial<Record<keyof ContentionColumns, number>>): void {
		this.#contention.push(row);
	}

	override build(...about: Parameters<SnapshotBuilder['build']>) {
		const {threads, ...others} = super.build(...about);
		for (const [thread, {name = threads.name[thread], ...numbers}] of this.#now) {
			(threads.name as Printable[])[thread] = name;
			for (const column of namesOf(numbers)) {
				threads[column][thread] = Number(numbers[column]);
			}
		}

		const columns = makeArrays(
			contentionColumns,
			namesOf(contentionColumns),
			(column, name) => arrayFrom(column, this.#contention.map(row => row[name] ?? units[column.unit].none)),
		);
		return {...others, threads, contention: {count: this.#contention.length, ...columns}};
	}
}
