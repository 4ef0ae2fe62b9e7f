import type {FileHandle} from 'node:fs/promises';
import {lockKinds} from '../../model/sample.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {changing, type Region} from '../../query/past/deltas.js';
import {type WindowFigures, together, type RingWindow} from '../../query/past/ring.js';
import {figureNames} from '../../query/past/window-body.js';
import {ignoringErrors} from '../files/files.js';
import {cellOf} from '../../query/past/steps.js';
import {contentOf, firstLine, memberKinds, nameCounts, noNames, packed, partsOf, unpacked, type NameCounts} from './members.js';

/** A member of the file: its position, and its figures for the time line. */
type WrittenMember = {
	readonly kind: number;
	readonly number: number;
	readonly at: number;
	readonly size: number;
	readonly figures: WindowFigures;
};

/** Writes members to a recording. Methods throw system errors, and never leave a partial member. */
export class MemberFile {
	/** Windows and indexes in their order. */
	readonly members: WrittenMember[] = [];
	size = 0;
	#number = 0;
	/** Names that are in the file, and in its indexes. */
	#named: NameCounts = noNames;
	#indexed: NameCounts = noNames;

	constructor(readonly handle: FileHandle) {}

	/** Writes the first line and the session member. */
	async begin({target, session: {engine, timer}}: Snapshot, version: string): Promise<void> {
		const namesOfRegion = (region: Region) => changing.filter(part => part.region === region).map(({name}) => name);
		const about = {
			tool: 'tprof-top', version, target, engine, timer, figures: figureNames, columns: {counters: namesOfRegion('counters'), contention: namesOfRegion('contention'), threads: namesOfRegion('threads')}, states: threadStates, lockKinds,
		};
		const none: WindowFigures = {
			atMs: 0, cpuNs: 0, sampledMs: 0, blockedTicks: 0, samples: 0,
		};
		const member = packed(memberKinds.session, 0, none, Buffer.from(JSON.stringify(about)));
		await this.#append(Buffer.concat([Buffer.from(firstLine), member]));
	}

	async window(figures: WindowFigures, body: Uint8Array, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this.#add(memberKinds.window, figures, contentOf(dictionary, this.#named, names, body));
		this.#named = names;
		this.#number++;
	}

	/** Writes an index of the newest window's end. */
	async index(figures: WindowFigures, body: Uint8Array, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this.#add(memberKinds.index, figures, contentOf(dictionary, this.#indexed, names, body));
		this.#named = names;
		this.#indexed = names;
	}

	/** Marks a gap: windows are missing here. */
	skip(): void {
		this.#number++;
	}

	/** Reads the body of a member. */
	async body({at, size}: WrittenMember): Promise<Uint8Array> {
		const member = Buffer.alloc(size);
		await this.handle.read(member, 0, size, at);
		return partsOf(unpacked(member)).body;
	}

	async #add(kind: number, figures: WindowFigures, content: Uint8Array): Promise<void> {
		const [at, number] = [this.size, this.#number];
		const member = packed(kind, number, figures, content);
		await this.#append(member);
		const {atMs, cpuNs, sampledMs, blockedTicks, samples} = figures;
		this.members.push({
			kind, number, at, size: member.length, figures: {
				atMs, cpuNs, sampledMs, blockedTicks, samples,
			},
		});
	}

	async #append(bytes: Uint8Array): Promise<void> {
		try {
			for (let done = 0; done < bytes.length;) {
				const {bytesWritten} = await this.handle.write(bytes, done, bytes.length - done, this.size + done);
				done += bytesWritten;
			}
		} catch (error) {
			await ignoringErrors(async () => this.handle.truncate(this.size));
			throw error;
		}

		this.size += bytes.length;
	}
}

/** Lengths of merged windows; the first that leaves at most this fraction of the older half's windows is chosen. */
const cellsMs = [10_000, 60_000, 600_000, 3_600_000];
const maxLeft = 0.4;

/** Minimum number of windows between two indexes of the older half. */
const leastBetween = 20;

/** Copies a recording into an empty file, its older half in fewer, longer windows. Throws system errors. */
export async function compact(from: MemberFile, to: MemberFile, newest: Snapshot, version: string): Promise<void> {
	const {dictionary} = newest;
	const isOld = ({at}: WrittenMember) => at < from.size / 2;
	const cellMs = cellFor(from.members.filter(member => member.kind === memberKinds.window && isOld(member)));
	let merged: RingWindow | undefined;
	let [sinceIndex, number] = [leastBetween, 0];
	const write = async () => {
		if (merged) {
			await to.window(merged, merged.body(), dictionary);
			merged = undefined;
			sinceIndex++;
		}
	};

	await to.begin(newest, version);
	for (const member of from.members) {
		if (member.number > number) {
			await write();
			to.skip();
			sinceIndex = leastBetween;
			number = member.number;
		}

		if (member.kind === memberKinds.index) {
			if (!isOld(member) || sinceIndex >= leastBetween) {
				await write();
				await to.index(member.figures, await from.body(member), dictionary);
				sinceIndex = 0;
			}

			continue;
		}

		number++;
		const body = await from.body(member);
		const window: RingWindow = {
			...member.figures, body: () => body, bytes: body.length, isDeflated: false,
		};
		if (merged && isOld(member) && cellOf(merged.atMs, cellMs) === cellOf(window.atMs, cellMs)) {
			merged = together(merged, window);
		} else {
			await write();
			merged = window;
		}
	}

	await write();
}

function cellFor(windows: readonly WrittenMember[]): number {
	return cellsMs.find(cellMs => new Set(windows.map(({figures}) => cellOf(figures.atMs, cellMs))).size <= maxLeft * windows.length) ?? cellsMs.at(-1)!;
}
