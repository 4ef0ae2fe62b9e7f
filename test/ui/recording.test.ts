import {readFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {momentOf, savedSource, spanMoments, spanOf} from '../../source/commands/recording.js';
import {openRecording, type Recording} from '../../source/exports/recording/recording-reader.js';
import type {Ring} from '../../source/query/past/past-ring.js';
import {views} from '../../source/views/view-registry.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {sharedFolder} from '../helpers/for-test.js';
import {openScreen, storeOf} from '../helpers/session-screen.js';
import {recordSpike, spikeSession, spikeStartMs} from '../helpers/spike.js';

const file = path.join(sharedFolder(), 'x.tprof');
const seconds = 185;
let recording: Recording;
beforeAll(async () => {
	await recordSpike(file, seconds);
	recording = openRecording(readFileSync(file));
});

const size = {columns: 120, rows: 30};

/** The screen of the recording. */
function recordedScreen(): ComponentScreen {
	const store = new SessionStore({
		source: savedSource({snapshot: recording.last.snapshot, recording}),
		delayMs: 1000,
		vitals: () => ({}),
		recorded: recording,
	});
	store.refresh();
	return openScreen(store, size);
}

/** The screen of the session that was recorded, at its end. */
function liveScreen(): ComponentScreen {
	const coming = spikeSession(seconds);
	const store = storeOf(() => coming.shift(), {}, {cpuPercent: 12});
	while (coming.length > 0) {
		store.refresh();
	}

	return openScreen(store, size);
}

/** The header without what the session is doing, the tabs, and the table. */
async function shown(screen: ComponentScreen): Promise<string[]> {
	const lines = await screen.lines();
	const tabs = lines.findIndex(line => line.includes('['));
	const table = lines.findIndex(line => /[A-Z]% |HELD BY|WAITS FOR|METHOD|LINE|KIND/.test(line));
	return [...lines.slice(1, 3), lines[tabs].replace(/, [\dhms]+ ago/, ''), ...lines.slice(table, -1)].map(line =>
		line.trimEnd()).filter(line => line !== '');
}

test('every view shows of a recording what the live screen shows of that moment: windows, filters, baseline, details', async () => {
	const [live, recorded] = [liveScreen(), recordedScreen()];
	const press = async (...keys: readonly string[]) => {
		await live.press(...keys);
		await recorded.press(...keys);
		expect(await shown(recorded)).toEqual(await shown(live));
	};

	await press('B');
	for (const _ of views) {
		await press('tab');
	}

	for (
		const keys of [
			['[', '['],
			['z'],
			['m'],
			[']', ']', ']', 'D'],
			['D', '/', ...'burn', 'enter'],
			['/', 'escape', 'x'],
			['enter'],
			['escape', 'escape'],
		]
	) {
		await press(...keys);
	}
});

test('all of a recording stands in its time line, and Space plays it to its end', async () => {
	const recorded = recordedScreen();
	expect(await recorded.text()).toContain('RECORDED');
	expect(await recorded.text()).toMatch(/CPU +10% +\.+#+\+\.+ max 110%/);
	expect(await recorded.text(']')).toContain('this is all of the recording');
	expect(await recorded.text(' ', ' ', ' ')).toMatch(/PAST[^]*playing, 60 seconds a second/);
	expect(await recorded.text(' ')).toContain('stopped');
	expect(await recorded.text('escape', 'o', 'r', 'd', 'w', 'M')).toContain('RECORDED');
});

const endMs = spikeStartMs + (seconds * 1000);
const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 8);
const date = new Date(endMs).toLocaleDateString('sv');

test.each([
	['1m ago', 60_000],
	['90s ago', 90_000],
	[clock(endMs - 100_000), 100_000],
	[`${date} ${clock(endMs - 7000)}`, 7000],
	[new Date(endMs - 5000).toISOString(), 5000],
])('%s is so long before the end, ms: %i', (text, beforeMs) => {
	expect(momentOf(text, '--at', recording.ring)).toBe(endMs - beforeMs);
});

test.each(['1 h ago', clock(endMs + 7_200_000), 'yesterday', '25:00'])('%s is no moment of the recording', text => {
	expect(() => momentOf(text, '--at', recording.ring)).toThrow(/--at: /);
});

test('a span has the windows that end nearest to its moments, and ends after it begins', () => {
	const {ring} = recording;
	const [begin, end] = [10, 13].map(index => ring.windows[index].atMs);
	const {durationMs} = spanOf(ring, begin, end).session;
	for (const offMs of [-400, 400]) {
		expect(spanOf(ring, begin + offMs, end + offMs).session.durationMs).toBe(durationMs);
	}

	const time = (ms: number) => new Date(ms).toISOString();
	expect(() => spanMoments({from: time(end), to: time(begin)}, ring)).toThrow('the span ends before it begins');
});

/** A moment in November. */
const at = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();
const ringBetween = (beginMs: number, endMs: number): Ring => {
	const [window] = recording.ring.windows;
	return {...recording.ring, base: {...window, atMs: beginMs}, windows: [{...window, atMs: endMs}]};
};

test.each([
	['00:00', '23:59', at(23, 10), at(23, 11), [at(23, 0), at(23, 23, 59)]],
	['00:00', '23:59', at(22, 20), at(23, 14), [at(23, 0), at(23, 23, 59)]],
	['22:00', '02:00', at(22, 20), at(23, 14), [at(22, 22), at(23, 2)]],
	[undefined, '23:59', at(23, 10), at(23, 11), [-Infinity, at(23, 23, 59)]],
	[undefined, '12:00', at(21, 10), at(23, 13), [-Infinity, at(23, 12)]],
	['2026-11-01 00:00', '2026-12-01 00:00', at(23, 10), at(23, 11), [at(1, 0), at(31, 0)]],
])('a span from %s to %s may reach beyond the recording', (from, to, beginMs, endMs, moments) => {
	expect(spanMoments({from, to}, ringBetween(beginMs, endMs))).toEqual(moments);
});

test.each([
	['12:00', '13:00', '--from: the recording has nothing of'],
	['2026-11-01 00:00', '2026-11-02 00:00', '--to: the recording has nothing of'],
])('a span from %s to %s lies outside of it', (from, to, problem) => {
	expect(() => spanMoments({from, to}, ringBetween(at(23, 10), at(23, 11)))).toThrow(problem);
});

test.each([
	['12:00', at(23, 10), at(24, 14), at(24, 12)],
	['23:30', at(23, 10), at(24, 14), at(23, 23, 30)],
	['12:00', at(22, 10), at(24, 11), at(23, 12)],
	['22:59:30', at(23, 23), at(24, 1), at(23, 23)],
	['01:00:30', at(23, 23), at(24, 1), at(24, 1)],
])('a time of day is the last one within the recording, or else the nearest: %s', (text, beginMs, endMs, ms) => {
	expect(momentOf(text, '--at', ringBetween(beginMs, endMs))).toBe(ms);
});
