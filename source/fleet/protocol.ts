import type {Snapshot} from '../model/snapshot.js';

/** What tells a JVM's profiles apart: `service_name`, `hostname`, `pid`, `jvm_version`, and those of --label. */
export type Labels = Readonly<Record<string, string>>;

/** How windows are sent to an engine: the body of one POST each. */
export type Protocol = {
	readonly headers: Readonly<Record<string, string>>;
	/** Returns the URL to post to, from that of the engine. */
	urlOf(engine: URL): URL;
	encode(window: Snapshot, labels: Labels): Uint8Array;
	/** Returns why an engine that answered 200 did not take all of it. */
	problemIn(answer: string): string | undefined;
};
