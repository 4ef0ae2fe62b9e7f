import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import {UserError} from '../runtime/errors.js';

/** A session of the agent as far as it is read and ended. */
type Reporting<Report> = {
	/** The newest report; undefined: none yet. May throw UserError. */
	read(): Report | undefined;
	close(): Promise<unknown>;
};

/** What the agent reports while samples are taken: its newest report stands in each snapshot. */
export class LiveReports<Session extends Reporting<Report>, Report> {
	session: Session | undefined;
	report: Report | undefined;
	/** What went wrong, for the screen. */
	problem: string | undefined;
	readonly #withReport: (snapshot: Snapshot, report: Report) => Snapshot;
	#last: {readonly from: Snapshot; readonly report: Report; readonly snapshot: Snapshot} | undefined;

	constructor(withReport: (snapshot: Snapshot, report: Report) => Snapshot, session?: Session) {
		this.#withReport = withReport;
		this.session = session;
	}

	/** The source with the reports in its snapshots. */
	source(inner: SnapshotSource): SnapshotSource {
		return {
			status: () => this.problem === undefined ? inner.status() : {...inner.status(), message: this.problem},
			read: () => this.#with(inner.read()),
			askForHolders() {
				inner.askForHolders?.();
			},
			setPaused(isPaused) {
				inner.setPaused(isPaused);
			},
			close: async () => inner.close(),
			onChange: listener => inner.onChange(listener),
		};
	}

	/** Takes everything out of the target. Never throws. */
	async close(): Promise<void> {
		const {session} = this;
		this.session = undefined;
		await session?.close();
	}

	#with(snapshot: Snapshot | undefined): Snapshot | undefined {
		try {
			this.report = this.session?.read() ?? this.report;
		} catch (error) {
			this.problem = error instanceof UserError ? error.message : String(error);
			void this.close();
		}

		const {report} = this;
		if (!snapshot || !report) {
			return snapshot;
		}

		// The same snapshot is the same object: what is known of it need not be asked again.
		if (this.#last?.from !== snapshot || this.#last.report !== report) {
			this.#last = {from: snapshot, report, snapshot: this.#withReport(snapshot, report)};
		}

		return this.#last.snapshot;
	}
}
