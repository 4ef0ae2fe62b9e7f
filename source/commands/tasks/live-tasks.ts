import type {SnapshotSource} from '../../model/source.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {TaskReport} from '../../model/tasks/report.js';
import {UserError} from '../../process/errors.js';
import type {TaskSession} from '../../tracing/tasks/session.js';

/** Tasks that are followed beside the sampling; what is known of them stands in each snapshot. */
export class LiveTasks {
	#session: TaskSession | undefined;
	#report: TaskReport | undefined;
	#problem: string | undefined;
	#last: {readonly from: Snapshot; readonly report: TaskReport; readonly snapshot: Snapshot} | undefined;

	constructor(session: TaskSession) {
		this.#session = session;
	}

	/** The source with the tasks in its snapshots. */
	source(inner: SnapshotSource): SnapshotSource {
		return {
			status: () => this.#problem === undefined ? inner.status() : {...inner.status(), message: this.#problem},
			read: () => this.#with(inner.read()),
			setPaused(isPaused) {
				inner.setPaused(isPaused);
			},
			close: async () => inner.close(),
			onChange: listener => inner.onChange(listener),
		};
	}

	/** Takes everything out of the target. Never throws. */
	async close(): Promise<void> {
		const session = this.#session;
		this.#session = undefined;
		await session?.close();
	}

	#with(snapshot: Snapshot | undefined): Snapshot | undefined {
		try {
			this.#report = this.#session?.read() ?? this.#report;
		} catch (error) {
			this.#problem = error instanceof UserError ? error.message : String(error);
			void this.close();
		}

		const report = this.#report;
		if (!snapshot || !report) {
			return snapshot;
		}

		// The same snapshot is the same object: what is known of it need not be asked again.
		if (this.#last?.from !== snapshot || this.#last.report !== report) {
			this.#last = {from: snapshot, report, snapshot: {...snapshot, tasks: report}};
		}

		return this.#last.snapshot;
	}
}
