import type {Snapshot} from '../../model/snapshot.js';
import type {Ring} from '../../query/past/ring.js';
import type {Query} from '../../query/types/query.js';

/* What the screen of a session calls in the rest of the program. */

/** Writes the window on the screen to a file; resolves to a message, or rejects with an error that says why not. */
export type Save = (snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, how: {readonly name?: string; readonly format?: string; readonly ring?: Ring}) => Promise<string>;

/** Saves the user's columns of a view, undefined for the default; resolves to a message, or rejects as `Save` does. */
export type KeepColumns = (view: string, columns: readonly string[] | undefined) => Promise<string>;

/** Begins or ends a recording; resolves to a message, or rejects as `Save` does. */
export type RecordingToggle = {toggle(ring: Ring): Promise<string>};

/** The methods that a pattern matches: the question to the user, and the note to read before answering it. */
export type FoundMethods = {readonly question: string; readonly about: string};

/** Traces methods while the screen is up. `find` and `trace` reject with an error that says why they failed. */
export type MethodTracer = {
	/** Finds the methods that a pattern matches; does not trace them yet. */
	find(pattern: string): Promise<FoundMethods>;
	/** Traces the methods found last; resolves to a message. */
	trace(): Promise<string>;
	/** Discards the methods found last. */
	forget(): Promise<void>;
};
