import {printable, type Printable} from '../util/printable.js';
import type {Snapshot} from '../model/snapshot.js';
import {sourceOver, type SnapshotSource} from '../model/source.js';
import {UserError} from '../runtime/errors.js';

/** What this module needs of the class AgentSession. */
type AgentSession<Report> = {
	/** Returns the newest report; undefined before the first. May throw UserError. */
	read(): Report | undefined;
	close(): Promise<unknown>;
};

/** Adds an agent's newest report to each snapshot during sampling. */
export class LiveReports<Session extends AgentSession<Report>, Report> {
	/** The agent in the target, and its newest report; undefined if there is none. Subclasses may set them. */
	session: Session | undefined;
	report: Report | undefined;
	/** Why there are no more reports; shown on the screen. */
	problem: Printable | undefined;
	readonly #join: (snapshot: Snapshot, report: Report) => Snapshot;
	/** The last snapshot returned, and what it was made of. */
	#last: {readonly inner: Snapshot; readonly report: Report; readonly joined: Snapshot} | undefined;

	constructor(join: (snapshot: Snapshot, report: Report) => Snapshot, session?: Session) {
		this.#join = join;
		this.session = session;
	}

	/** Returns a source that adds reports to the snapshots of another. */
	source(inner: SnapshotSource): SnapshotSource {
		return sourceOver(inner, {
			status: () => this.problem === undefined ? inner.status() : {...inner.status(), message: this.problem},
			read: () => this.#withNewestReport(inner.read()),
		});
	}

	/** Undoes all changes in the target. Never throws. */
	async close(): Promise<void> {
		const {session} = this;
		this.session = undefined;
		await session?.close();
	}

	/** Reads the agent's report, and adds it to the snapshot. After an error the last report stays. */
	#withNewestReport(snapshot: Snapshot | undefined): Snapshot | undefined {
		try {
			this.report = this.session?.read() ?? this.report;
		} catch (error) {
			this.problem = printable(error instanceof UserError ? error.message : String(error), 1000);
			void this.close();
		}

		const {report} = this;
		if (!snapshot || !report) {
			return snapshot;
		}

		// An unchanged snapshot stays the same object: caches use it as their key.
		if (this.#last?.inner !== snapshot || this.#last.report !== report) {
			this.#last = {inner: snapshot, report, joined: this.#join(snapshot, report)};
		}

		return this.#last.joined;
	}
}
