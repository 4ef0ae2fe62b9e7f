import {readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {momentOf, savedSource, spanMoments, spanOf} from '../../source/commands/recording.js';
import {openRecording} from '../../source/exports/recording/reader.js';
import {Recorder} from '../../source/exports/recording/recorder.js';
import {views} from '../../source/views/registry.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {folderForTest} from '../helpers/for-test.js';
import {openScreen, storeOf} from '../helpers/session-screen.js';
import {spikeSession, spikeStartMs} from '../helpers/spike.js';

const size = {columns: 120, rows: 30};

/** The live screen of a session of 185 seconds, and that of its recording. */
async function bothScreens() {
	const session = spikeSession(185);
	let at = 0;
	const store = storeOf(() => session[at], {}, {cpuPercent: 12});
	const recorder = await Recorder.create(path.join(folderForTest(), 'x.tprof'));
	for (; at < session.length; at++) {
		store.refresh();
		await recorder.follow(store.get().ring);
	}

	at--;
	await recorder.finish();
	const recording = openRecording(readFileSync(recorder.file));
	const recorded = new SessionStore({
		source: savedSource({snapshot: recording.last.snapshot, recording}), delayMs: 1000, vitals: () => ({}), recorded: recording,
	});
	recorded.refresh();
	return {live: openScreen(store, size), recorded: openScreen(recorded, size), ring: recording.ring};
}

/** The header without what the session is doing, the tabs, and the table. */
async function shown(screen: ComponentScreen): Promise<string[]> {
	const lines = await screen.lines();
	const tabs = lines.findIndex(line => line.includes('['));
	const table = lines.findIndex(line => /[A-Z]% |HELD BY|WAITS FOR|METHOD|LINE|KIND/.test(line));
	return [...lines.slice(1, 3), lines[tabs].replace(/, [\dhms]+ ago/, ''), ...lines.slice(table, -1)].map(line => line.trimEnd()).filter(line => line !== '');
}

test('every view shows of a recording what the live screen shows of that moment: windows, filters, baseline, details', async () => {
	const {live, recorded} = await bothScreens();
	const press = async (...keys: readonly string[]) => {
		await live.press(...keys);
		await recorded.press(...keys);
		expect(await shown(recorded)).toEqual(await shown(live));
	};

	await press('B');
	for (const _ of views) {
		await press('tab');
	}

	await press('[', '[');
	await press('z');
	await press('m');
	await press(']', ']', ']', 'D');
	await press('D', '/', 'b', 'u', 'r', 'n', 'enter');
	await press('/', 'escape', 'x');
	await press('enter');
	await press('escape', 'escape');
});

test('all of a recording stands in its time line, and Space plays it to its end', async () => {
	const {recorded} = await bothScreens();
	expect(await recorded.text()).toContain('RECORDED');
	expect(await recorded.text()).toMatch(/CPU +10% +\.+#+=\.+ max 110%/);
	expect(await recorded.text(']')).toContain('this is all of the recording');
	expect(await recorded.text(' ', ' ', ' ')).toMatch(/PAST[^]*playing, 60 seconds a second/);
	expect(await recorded.text(' ')).toContain('stopped');
	expect(await recorded.text('escape', 'o', 'r', 'd', 'w', 'M')).toContain('RECORDED');
});

test('a moment is said as people say it', async () => {
	const {ring} = await bothScreens();
	const endMs = spikeStartMs + 185_000;
	const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 8);
	const day = new Date(endMs);
	const date = [day.getFullYear(), String(day.getMonth() + 1).padStart(2, '0'), String(day.getDate()).padStart(2, '0')].join('-');
	for (const [text, ms] of [['1m ago', endMs - 60_000], ['90s ago', endMs - 90_000], ['1 h ago', undefined], [clock(endMs - 100_000), endMs - 100_000], [`${date} ${clock(endMs - 7000)}`, endMs - 7000], [new Date(endMs - 5000).toISOString(), endMs - 5000], [clock(endMs + 7_200_000), undefined], ['yesterday', undefined], ['25:00', undefined]] as const) {
		if (ms === undefined) {
			expect(() => momentOf(text, '--at', ring), text).toThrow(/--at: /);
		} else {
			expect(momentOf(text, '--at', ring), text).toBe(ms);
		}
	}
});

test('a span has the windows that end nearest to its moments, and ends after it begins', async () => {
	const {ring} = await bothScreens();
	const [begin, end] = [10, 13].map(index => ring.windows[index].atMs);
	const {durationMs} = spanOf(ring, begin, end).session;
	for (const offMs of [-400, 400]) {
		expect(spanOf(ring, begin + offMs, end + offMs).session.durationMs).toBe(durationMs);
	}

	const time = (ms: number) => new Date(ms).toISOString();
	expect(() => spanMoments({from: time(end), to: time(begin)}, ring)).toThrow('the span ends before it begins');
});

test('a span may reach beyond the recording, but not lie outside of it', async () => {
	const {ring} = await bothScreens();
	const ms = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();
	const moments = (from: string | undefined, to: string | undefined, beginMs: number, endMs: number) => spanMoments({from, to}, {
		...ring, base: {...ring.windows[0], atMs: beginMs}, windows: [{...ring.windows[0], atMs: endMs}],
	});
	expect(moments('00:00', '23:59', ms(23, 10), ms(23, 11))).toEqual([ms(23, 0), ms(23, 23, 59)]);
	expect(moments('00:00', '23:59', ms(22, 20), ms(23, 14))).toEqual([ms(23, 0), ms(23, 23, 59)]);
	expect(moments('22:00', '02:00', ms(22, 20), ms(23, 14))).toEqual([ms(22, 22), ms(23, 2)]);
	expect(moments(undefined, '23:59', ms(23, 10), ms(23, 11))).toEqual([undefined, ms(23, 23, 59)]);
	expect(moments(undefined, '12:00', ms(21, 10), ms(23, 13))).toEqual([undefined, ms(23, 12)]);
	expect(moments('2026-11-01 00:00', '2026-12-01 00:00', ms(23, 10), ms(23, 11))).toEqual([ms(1, 0), new Date(2026, 11, 1).getTime()]);
	expect(() => moments('12:00', '13:00', ms(23, 10), ms(23, 11))).toThrow('--from: the recording has nothing of');
	expect(() => moments('2026-11-01 00:00', '2026-11-02 00:00', ms(23, 10), ms(23, 11))).toThrow('--to: the recording has nothing of');
});

test('a time of day is the last one within the recording, or else the nearest', async () => {
	const {ring} = await bothScreens();
	const ms = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();
	const found = (text: string, beginMs: number, endMs: number) => momentOf(text, '--at', {
		...ring, base: {...ring.windows[0], atMs: beginMs}, windows: [{...ring.windows[0], atMs: endMs}],
	});
	expect(found('12:00', ms(23, 10), ms(24, 14))).toBe(ms(24, 12));
	expect(found('23:30', ms(23, 10), ms(24, 14))).toBe(ms(23, 23, 30));
	expect(found('12:00', ms(22, 10), ms(24, 11))).toBe(ms(23, 12));
	expect(found('22:59:30', ms(23, 23), ms(24, 1))).toBe(ms(23, 23));
	expect(found('01:00:30', ms(23, 23), ms(24, 1))).toBe(ms(24, 1));
});
