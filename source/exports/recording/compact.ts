import type {Snapshot} from '../../model/snapshot.js';
import {together, type RingWindow} from '../../query/past/ring.js';
import {cellOf} from '../../query/past/steps.js';
import type {MemberFile, WrittenMember} from './member-file.js';
import {memberKinds} from './members.js';

/** Lengths of merged windows: the first that leaves few enough of the older half. */
const cellsMs = [10_000, 60_000, 600_000, 3_600_000];
const fewEnough = 0.4;

/** Minimum number of windows between two indexes of the older half. */
const leastBetween = 20;

/**
Copies a recording into an empty file, with the windows of its older half merged into longer ones. Gives back that file;
throws the system's errors.
*/
export async function compacted(from: MemberFile, to: MemberFile, newest: Snapshot, version: string): Promise<MemberFile> {
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
	return to;
}

function cellFor(windows: readonly WrittenMember[]): number {
	return cellsMs.find(cellMs => new Set(windows.map(({figures}) => cellOf(figures.atMs, cellMs))).size <= fewEnough * windows.length) ?? cellsMs.at(-1)!;
}
