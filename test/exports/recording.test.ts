import {
	existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {describe, expect, test, vi} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {readSides} from '../../source/commands/diff.js';
import {BlockFile} from '../../source/exports/recording/block-file.js';
import {firstLine, headLength, headOf, blockKinds, packed, unpacked} from '../../source/exports/recording/blocks.js';
import {openRecording, type Recording} from '../../source/exports/recording/recording-reader.js';
import {Recorder} from '../../source/exports/recording/recorder.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {addToRing, emptyRing, type Ring} from '../../source/query/past/past-ring.js';
import {defaultQuery} from '../../source/query/types/query.js';
import type {Options} from '../../source/options/parse.js';
import {UserError} from '../../source/runtime/errors.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {views} from '../../source/views/view-registry.js';
import {folderForTest} from '../helpers/for-test.js';
import {pick, seeded} from '../helpers/random.js';
import {taskReportOf, traceReport} from '../helpers/reports.js';
import {randomSession, ringOf, saidBy, startMs} from '../helpers/random-session.js';

const newName = () => path.join(folderForTest(), 'x.tprof');

/** Records a session, its windows as they come; gives back its bytes and the ring. */
async function recorded(
	session: readonly Snapshot[],
	maxBytes?: number,
): Promise<{readonly file: string; readonly bytes: Buffer; readonly ring: Ring}> {
	const recorder = await Recorder.create(newName(), maxBytes);
	let ring = emptyRing;
	for (const [second, snapshot] of session.entries()) {
		ring = addToRing(ring, snapshot, {
			vitals: {cpuPercent: second, gcCause: safe`G1`, heapGrowthBytesPerMin: -1, openFilesGrowthPerMin: -2},
			sourceNotes: {note: safe`second ${second}`},
		});
		await recorder.follow(ring);
	}

	expect(recorder.problem).toBeUndefined();
	await recorder.finish();
	return {file: recorder.file, bytes: readFileSync(recorder.file), ring};
}

const secondOf = (atMs: number) => Math.round((atMs - startMs) / 1000);

/** What the snapshots of a session say, each asked once. */
const known = new WeakMap<Snapshot, ReturnType<typeof saidBy>>();

function knownOf(snapshot: Snapshot): ReturnType<typeof saidBy> {
	const said = known.get(snapshot) ?? saidBy(snapshot);
	known.set(snapshot, said);
	return said;
}

/** Every window of the recording says what the session did at its end. */
function expectWindowsOf({ring}: Recording, session: readonly Snapshot[]): void {
	const lookBack = new LookBack();
	for (const [index, {atMs}] of ring.windows.entries()) {
		const [said, wanted] = [saidBy(lookBack.at(ring, index)!.snapshot), knownOf(session[secondOf(atMs) - 1])];
		// What tells the difference takes longer than what finds none.
		if (!isDeepStrictEqual(said, wanted)) {
			expect(said).toEqual(wanted);
		}
	}
}

describe('a recording', () => {
	test.each([[1, 5], [2, 61], [4, 130]])(
		'says of each moment what the ring does (seed %i, %i s)',
		async (seed, seconds) => {
			const session = [...randomSession(seconds, seed)];
			const {bytes, ring} = await recorded(session);
			const recording = openRecording(bytes);
			expect(recording.problem).toBeUndefined();
			expect(recording.ring.windows).toMatchObject(ring.windows.map(({body, bytes, ...figures}) => figures));
			const random = seeded(seed);
			const lookBack = new LookBack();
			for (let step = 0; step < 40; step++) {
				const index = pick(random, seconds);
				const {snapshot, ...others} = lookBack.at(recording.ring, index)!;
				expect(others).toMatchObject({
					vitals: {cpuPercent: index, gcCause: 'G1', heapGrowthBytesPerMin: -1, openFilesGrowthPerMin: -2},
					sourceNotes: {note: `second ${index}`},
				});
				expect(saidBy(snapshot)).toEqual(saidBy(session[index]));
				expect(snapshot.dictionary).toEqual(session.at(-1)!.dictionary);
			}

			expect(recording.ring.newest!.target).toEqual(session[0].target);
		},
	);

	test('is for its owner alone, and replaces nothing', async () => {
		const {file} = await recorded([...randomSession(3)]);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		await expect(Recorder.create(file)).rejects.toThrow('it already exists');
	});

	test('has what an agent reported by then', async () => {
		const about = {notes: [safe`a note`], history: [[1, 0], [2, 0]]};
		const session = [...randomSession(4)].map((snapshot, second): Snapshot =>
			second === 0
				? snapshot
				: {
					...snapshot,
					traces: traceReport([second, 5, 0], second * 1e9),
					tasks: taskReportOf([second, 2], second * 1e9, {about}),
				});
		const {bytes, ring} = await recorded(session);
		for (const from of [openRecording(bytes).ring, ring]) {
			for (const index of [3, 0, 2, 1]) {
				const {traces, tasks} = new LookBack().at(from, index)!.snapshot;
				const plain = (report?: {readonly bytes: Uint8Array}) =>
					report && {...report, bytes: [...report.bytes]};
				expect(plain(traces)).toEqual(plain(session[index].traces));
				expect(plain(tasks)).toEqual(plain(session[index].tasks));
			}
		}
	});

	test('may begin within a session: at the moment before its first window', async () => {
		const session = [...randomSession(90)];
		const recorder = await Recorder.create(newName());
		await recorder.follow(ringOf(session), 30);
		await recorder.finish();
		const bytes = readFileSync(recorder.file);
		const recording = openRecording(bytes);
		expect(recording.ring.windows.length).toBe(60);
		expect(saidBy(new LookBack().at(recording.ring, -1)!.snapshot)).toEqual(saidBy(session[29]));
		expectWindowsOf(recording, session);
		bytes[blocksOf(bytes).find(({kind}) => kind === blockKinds.index)!.at + headLength] ^= 0x55;
		expectWindowsOf(openRecording(bytes), session);
	});
});

/** Where the blocks of a file begin. */
type BlockAt = {readonly at: number; readonly kind: number; readonly size: number; readonly number: number};

function blocksOf(bytes: Uint8Array): BlockAt[] {
	const blocks = [];
	for (let at = firstLine.length; at < bytes.length;) {
		const head = headOf(bytes.subarray(at))!;
		blocks.push({at, ...head});
		at += head.size;
	}

	return blocks;
}

/** What opening bytes comes to: the ends of the windows that are good, or why not. */
function opening(bytes: Buffer): {
	readonly seconds?: readonly number[];
	readonly problem?: string;
	readonly refusal?: string;
} {
	try {
		const recording = openRecording(bytes);
		return {seconds: recording.ring.windows.map(({atMs}) => secondOf(atMs)), problem: recording.problem};
	} catch (error) {
		expect(error).toBeInstanceOf(UserError);
		expect((error as UserError).message).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
		return {refusal: (error as UserError).message};
	}
}

const upTo = (end: number) => Array.from({length: end}, (_, index) => index + 1);

describe('a file that is', () => {
	test('cut at any byte has all windows before', async () => {
		const {bytes} = await recorded([...randomSession(4, 9)]);
		const blocks = blocksOf(bytes);
		const ends = blocks.filter(({kind}) => kind === blockKinds.window).map(({at, size}) => at + size);
		expect(ends.length).toBe(4);
		for (let length = 0; length < bytes.length; length++) {
			const whole = ends.filter(end => end <= length).length;
			const {seconds, problem, refusal} = opening(bytes.subarray(0, length));
			expect(
				whole === 0 ? refusal !== undefined : seconds?.length === whole,
				`${length} of ${bytes.length}: ${refusal}`,
			).toBe(true);
			const isBetween = blocks.some(({at}) => at === length);
			expect(whole === 0 || isBetween ? undefined : problem).toBe(whole === 0 || isBetween
				? undefined
				: 'the file is cut off: the window that was being written is missing');
		}
	});

	test('damaged in a window loses that window; in an index, or where it says what it is of, nothing', async () => {
		const session = [...randomSession(130, 5)];
		const {bytes} = await recorded(session);
		const blocks = blocksOf(bytes);
		for (const [index, {at, size, kind, number}] of blocks.entries()) {
			if (kind !== blockKinds.window || [0, 1, 70, 129].includes(number)) {
				const damaged = Buffer.from(bytes);
				damaged[at + Math.floor((headLength + size) / 2)] ^= 0x55;
				const recording = openRecording(damaged);
				expect(recording.problem).toMatch(index === blocks.length - 1
					? 'the file is cut off'
					: 'a part of the file is damaged and left out');
				const found = new Set(recording.ring.windows.map(({atMs}) => secondOf(atMs)));
				const isLost = kind === blockKinds.window && blocks[index + 1].kind !== blockKinds.session;
				expect(upTo(130).filter(second => !found.has(second))).toEqual(isLost ? [number + 1] : []);
				expectWindowsOf(recording, session);
			}
		}
	});

	test('without windows that were not written says so, and how many cannot be read for want of an index', async () => {
		const {bytes} = await recorded([...randomSession(130, 5)]);
		const blocks = blocksOf(bytes);
		const {at, size} = blocks.filter(({kind}) => kind === blockKinds.window)[70];
		const without = (end: number) =>
			opening(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size, end)]));
		expect(without(bytes.length)).toEqual({
			seconds: upTo(130).filter(second => second !== 71),
			problem: 'windows are missing in one place: they were not written',
		});
		const nextIndex = blocks.find(block => block.kind === blockKinds.index && block.at > at)!;
		expect(without(nextIndex.at).problem).toBe('30 windows cannot be read: no index follows them');
	});

	test('full of what looks like blocks is refused before all of it is read', async () => {
		const {bytes: whole} = await recorded([...randomSession(3, 7)]);
		const [session] = blocksOf(whole);
		const begin = whole.subarray(0, session.at + session.size);
		const head = whole.subarray(session.at, session.at + headLength);
		const filled = (piece: Uint8Array) => Buffer.concat([begin, Buffer.alloc(50 * 1_048_576, piece)]);
		const wrong = Buffer.from(head);
		wrong[20] ^= 1;
		const none = {atMs: 1, cpuNs: 0, sampledMs: 0, blockedTicks: 0, samples: 0};
		const empty = Buffer.from([0, 0, 0, 0, 0, 0, 0]);
		const answers = [
			head.subarray(0, 16),
			head,
			wrong,
			Buffer.concat([head, Buffer.alloc(1000)]),
			packed(blockKinds.session, 0, none, empty),
			packed(blockKinds.window, 0, none, empty),
			packed(blockKinds.index, 0, none, empty),
			packed(blockKinds.index, 0, none, Buffer.alloc(60 * 1_048_576)),
		].map(piece => opening(filled(piece)));
		const unreadable = (why: string) =>
			({refusal: `cannot open the file: not a recording that this version can read (${why})`});
		const tooMany = {refusal: 'cannot open the file: it holds too much (more than 200,000 windows)'};
		expect(answers).toEqual([
			...Array.from({length: 4}, () => unreadable('it has no complete window')),
			...Array.from({length: 3}, () => tooMany),
			unreadable('truncated data'),
		]);
	});

	test('changed at random opens as far as it is good, or is refused in a line', async () => {
		const {bytes: unchanged} = await recorded([...randomSession(70, 7)]);
		const random = seeded(11);
		for (let round = 0; round < 300; round++) {
			const bytes = Buffer.from(unchanged);
			for (let change = 0; change <= pick(random, 4); change++) {
				const at = pick(random, bytes.length);
				const [from, length] = [pick(random, bytes.length), pick(random, 200)];
				bytes[at] = pick(random, 256);
				if (pick(random, 3) === 0) {
					bytes.copyWithin(at, from, from + length);
				}
			}

			const {seconds = [], refusal} = opening(bytes);
			expect(refusal === undefined ? seconds.length > 0 : refusal.startsWith('cannot open')).toBe(true);
		}
	});

	test('malformed where opening does not look is refused by what looks there', async () => {
		const {bytes, file} = await recorded([...randomSession(5, 8)]);
		const {at, size} = blocksOf(bytes).findLast(({number}) => number === 1)!;
		const wrong = packed(
			blockKinds.window,
			1,
			headOf(bytes.subarray(at))!,
			unpacked(bytes.subarray(at, at + size)).subarray(0, 20),
		);
		writeFileSync(file, Buffer.concat([bytes.subarray(0, at), wrong, bytes.subarray(at + size)]));
		const span = `${file}@5s ago..3s ago`;
		await expect(readSides([span, span], {} as Options)).rejects
			.toThrow(/^cannot show .* it is not a valid recording \(/);
	});

	test('made to deceive is refused, or says only what it may', async () => {
		const {bytes} = await recorded([...randomSession(3, 8)]);
		const random = seeded(12);
		const unchanged = blocksOf(bytes).map(({at, size}) => bytes.subarray(at, at + size));
		for (let round = 0; round < 300; round++) {
			// The digests are right: what is in it is not.
			const blocks = unchanged.map((block, index) => {
				const content = Buffer.from(unpacked(block));
				if (index === round % unchanged.length) {
					content[pick(random, content.length)] = pick(random, 256);
				}

				const head = headOf(block)!;
				return packed(head.kind, head.number, head, content);
			});
			try {
				const recording = openRecording(Buffer.concat([Buffer.from(firstLine), ...blocks]));
				for (const index of recording.ring.windows.keys()) {
					const {snapshot} = new LookBack().at(recording.ring, index)!;
					expect([...snapshot.dictionary.strings, ...snapshot.threads.name].join('')).not
						.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
					for (const view of views) {
						view.query(snapshot, undefined, {...defaultQuery, sort: view.sort});
					}
				}
			} catch (error) {
				expect(error).toSatisfy(thrown =>
					thrown instanceof UserError || thrown instanceof RangeError || thrown instanceof SyntaxError);
			}
		}
	});
});

describe('while it is written', () => {
	test.each([[0.6, 6], [0.25, 1]])(
		'a file that grows beyond its size keeps its newer part as it is, and merges the older (%f of it)',
		async (part, leastMerged) => {
			const session = [...randomSession(240, 10)];
			const {bytes: whole} = await recorded(session);
			const maxBytes = whole.length * part;
			const {file, bytes} = await recorded(session, maxBytes);
			expect(bytes.length).toBeLessThanOrEqual(maxBytes);
			expect(readdirSync(path.dirname(file))).toEqual(['x.tprof']);
			expect(statSync(file).mode & 0o777).toBe(0o600);
			const recording = openRecording(bytes);
			expect(recording.problem).toBeUndefined();
			const {windows} = recording.ring;
			expect(windows.length).toBeLessThan(180);
			expect(windows.filter(({samples}) => samples > 50).length).toBeGreaterThanOrEqual(leastMerged);
			expect(windows.reduce((sum, {samples}) => sum + samples, 0)).toBe(240 * 50);
			expectWindowsOf(recording, session);
		},
	);

	test('what comes while older windows are merged is in the file at once; if the file is removed then, it begins again', async () => {
		const session = [...randomSession(240, 10)];
		const {bytes} = await recorded(session);
		const recorder = await Recorder.create(newName(), bytes.length * 0.6);
		let [ring, merging] = [emptyRing, 0];
		for (const [second, snapshot] of session.entries()) {
			ring = addToRing(ring, snapshot);
			await recorder.follow(ring, second);
			if (readdirSync(path.dirname(recorder.file)).length === 2) {
				expect(opening(readFileSync(recorder.file)).seconds?.at(-1)).toBe(second + 1);
				if (++merging === 1) {
					// Time in which the merge ends.
					await sleep(500);
					rmSync(recorder.file);
				}
			}
		}

		await recorder.finish();
		expect(merging).toBeGreaterThan(1);
		expect(recorder.problem).toBe('the file was removed, and begins again');
		expect(readdirSync(path.dirname(recorder.file))).toEqual(['x.tprof']);
		expect(opening(readFileSync(recorder.file))).toMatchObject({problem: undefined});
	});

	test('what a recorder that was killed has left is removed an hour later', async () => {
		const place = folderForTest();
		for (
			const [name, ageMs] of [
				['1.recording', 4_000_000],
				['2.recording', 60_000],
				['3.partial', 4_000_000],
			] as const
		) {
			writeFileSync(path.join(place, `.tprof-${name}`), '');
			utimesSync(path.join(place, `.tprof-${name}`), new Date(), new Date(Date.now() - ageMs));
		}

		await Recorder.create(path.join(place, 'x.tprof'));
		expect(readdirSync(place)).toEqual(['.tprof-2.recording', '.tprof-3.partial']);
	});

	test('a size with no room for what there is ends the recording, which says so', async () => {
		const recorder = await Recorder.create(newName(), 9000);
		await recorder.follow(ringOf([...randomSession(60, 10)]), 0);
		await recorder.finish();
		expect(recorder.problem).toBe('the recording does not fit into --max-size');
		expect(statSync(recorder.file).size).toBeLessThanOrEqual(9000);
		expect(opening(readFileSync(recorder.file)).seconds?.length).toBe(recorder.windows);
	});

	test.each([0, 2])('nothing is there before its first window, however late it comes (%i windows)', async windows => {
		const recorder = await Recorder.create(newName());
		await recorder.follow(emptyRing, 0);
		expect(existsSync(recorder.file)).toBe(false);
		await recorder.follow(ringOf([...randomSession(windows)]), 0);
		await recorder.finish();
		expect({exists: existsSync(recorder.file), windows: recorder.windows}).toEqual({exists: windows > 0, windows});
	});

	test.each([
		['removed', rmSync, 'the file was removed, and begins again', upTo(20)],
		['replaced', (file: string) => {
			renameSync(file, `${file}.old`);
			writeFileSync(file, 'of somebody else');
		}, 'another file has taken its name', 'of somebody else'],
		['truncated', (file: string) => {
			truncateSync(file, 100);
		}, 'another program has truncated it', undefined],
		['in a folder that is removed', (file: string) => {
			rmSync(path.dirname(file), {recursive: true});
		}, expect.stringMatching(/^there is no folder /) as unknown, undefined],
	] as const)('a file %s is neither written over nor lost without a word', async (_, harm, problem, left) => {
		for (const harmAt of [10, 20]) {
			const file = newName();
			const recorder = await Recorder.create(file);
			const session = [...randomSession(20, 13)];
			for (let second = 0; second <= session.length; second++) {
				if (second === harmAt) {
					harm(file);
				}

				await (second < session.length
					? recorder.follow(ringOf(session.slice(0, second + 1)), 0)
					: recorder.finish());
				expect(recorder.problem).toEqual(second < harmAt ? undefined : problem);
			}

			const found = existsSync(file) ? readFileSync(file) : undefined;
			expect(recorder.windows).toBe(Array.isArray(left) ? 20 : 0);
			expect(Array.isArray(left) ? opening(found!).seconds : left && String(found)).toEqual(left);
		}
	});

	test('what could not be written on a full disk is written when there is room again', async () => {
		const recorder = await Recorder.create(newName());
		const write = vi.spyOn(BlockFile.prototype, 'window');
		const session = [...randomSession(30, 14)];
		for (const second of session.keys()) {
			if (second === 10) {
				write.mockRejectedValue(Object.assign(new Error('ENOSPC'), {code: 'ENOSPC'}));
			}

			if (second === 20) {
				write.mockRestore();
			}

			await recorder.follow(ringOf(session.slice(0, second + 1)));
			expect(recorder.problem).toBe(second >= 10 && second < 20 ? 'the disk is full' : undefined);
		}

		await recorder.finish();
		expect(opening(readFileSync(recorder.file)).seconds).toEqual(upTo(30));
	});
});
