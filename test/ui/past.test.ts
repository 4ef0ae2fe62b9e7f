/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {openScreen, sourceOf, storeOf} from '../helpers/session-screen.js';
import {spikeSession} from '../helpers/spike.js';

/** The screen of a session of this many seconds, of which `goOn` lets the last ones happen. */
function screenOf(seconds: number, {toCome = 0, columns = 80, rows = 24} = {}) {
	const session = spikeSession(seconds + toCome);
	let at = -1;
	const store = storeOf(() => session[at]);
	const goOn = (count: number) => {
		for (let second = 0; second < count; second++) {
			at++;
			store.refresh();
		}
	};

	goOn(seconds);
	const saves: Array<{readonly snapshot: Snapshot; readonly baseline: Snapshot | undefined}> = [];
	const screen = openScreen(store, {
		columns, rows, async save(snapshot, baseline) {
			saves.push({snapshot, baseline});
			return safe`saved it`;
		},
	});
	return {screen, saves, goOn, text: async (...keys: readonly string[]) => screen.text(...keys)};
}

test('B goes to the busiest second at once, from LIVE and from elsewhere in the past', async () => {
	const {screen, text} = screenOf(185);
	const found = await text('B');
	expect(found).toMatch(/PAST \d\d:\d\d:0[1-5]/);
	expect(found).toMatch(/CPU +110% /);
	expect(found).toMatch(/>.*Spike\.burn:7/);
	expect((await screen.lines('escape', '[', 'B'))[0]).toBe(found.split('\n')[0]);
});

describe('the spike of two minutes ago', () => {
	test('is to be seen in the time line, and is found by stepping to it; ] and Esc lead back', async () => {
		const {screen, text} = screenOf(185);
		expect(await text()).toContain('LIVE');
		const [cpu, blocked, axis] = (await screen.lines('[')).slice(4);
		// A character for each ten seconds: the seconds 61 to 65 are in the twelfth from the end.
		expect(cpu).toMatch(/^CPU +10% +:{6}#:{12} max 60%$/);
		expect(blocked).toMatch(/^BLK +0 +\.{6}#\.{12} max 2$/);
		expect(axis).toMatch(/\d\d:\d\d:00\^ +now$/);
		expect(await text(...Array.from({length: 11}, () => '['))).toMatch(/PAST \d\d:\d\d:10[^]*samples since; /);
		expect(await text()).toMatch(/CPU +60% [^]*>.*Spike\.burn:7/);
		expect(await text(...Array.from({length: 12}, () => ']'))).toContain('LIVE');
		expect(await text('[', '[', 'escape')).toContain('LIVE');
	});

	test('is looked at closer with z, in another view too, and in a row\'s detail', async () => {
		const {text} = screenOf(185);
		expect(await text(...Array.from({length: 12}, () => '['), 'z')).toContain('windows of 1 s');
		expect(await text(...Array.from({length: 5}, () => '['))).toMatch(/PAST \d\d:\d\d:05[^]*CPU +110% [^]*BLK +4 /);
		expect(await text('tab')).toMatch(/waiter-\* +.*Spike\.wait:9/);
		expect(await text('shift-tab', 'enter')).toContain('com.acme.Spike.burn:7');
		expect(await text(']')).toMatch(/PAST \d\d:\d\d:06/);
	});
});

test('the window that is looked at stays while sampling goes on, and the screen says how much has come', async () => {
	const {text, goOn} = screenOf(100, {toCome: 5});
	const rows = (shown: string) =>
		shown.split('\n').filter(line => line.includes('com.acme') || line.includes('c.a.'));
	const before = await text('[');
	expect(before).toContain('; +500 samples since; ');
	goOn(5);
	const after = await text();
	expect(rows(after).slice(1)).toEqual(rows(before).slice(1));
	expect(after).toContain('+750 samples');
});

describe('trends', () => {
	test('of rows show the last minute as soon as the terminal is wide enough, in the past that before it', async () => {
		const {screen, text} = screenOf(70);
		expect(await text()).not.toContain('LAST 60s');
		await screen.at(200, 60);
		const trendOf = (shown: string, place: string) =>
			/(.{12}) (?:com\.acme|c\.a\w*)\./.exec(shown.split('\n').find(line => line.includes(place)) ?? '')?.[1];
		const live = await text();
		expect(live).toContain('LAST 60s');
		// Fourteen steps of 5 s, of which the first two are over; the spike is in the last but one.
		expect(trendOf(live, 'Spike.burn:7')).toBe('          # ');
		await screen.press('[', '[');
		expect(trendOf(await text(), 'Calm.tick:3')).toMatch(/^ {2}#{10}$/);
	});

	test('of the target\'s CPU stands in the header, shorter on narrow screens', async () => {
		const {screen} = screenOf(70);
		expect((await screen.lines())[1]).toMatch(/^CPU \.{5}# 17%/);
		expect((await screen.at(200, 60))[1]).toMatch(/^CPU \.{10}#\. 17%/);
		expect((await screen.at(79, 24))[1]).toMatch(/^CPU 17%/);
	});

	test('of collections and heap stand there, too, in the past those of that minute', async () => {
		const session = spikeSession(185);
		let at = -1;
		const store = new SessionStore({
			source: sourceOf(() => session[at]),
			delayMs: 1000,
			// The heap has filled up in three minutes; all of the first minute is spent on collections.
			vitals: () => ({gcPercent: at < 60 ? 100 : 0, heapAfterGcBytes: at, heapMaxBytes: 240}),
		});
		for (at = 0; at < session.length; at++) {
			store.refresh();
		}

		const screen = openScreen(store);
		const trends = async (...keys: string[]) =>
			/GC (\S+) \d+% +heap (\S+) \d+%/.exec((await screen.lines(...keys))[1])?.slice(1);
		// The last twelve steps of 5 s end in the third minute.
		expect(await trends()).toEqual(['....', '+**#']);
		expect(await trends(...Array.from({length: 12}, () => '['))).toEqual(['####', '.::-']);
	});
});

test('a save has the window of the past that is on the screen', async () => {
	const {screen, saves} = screenOf(185);
	await screen.press(...Array.from({length: 12}, () => '['), 's', '[', 's');
	const hottest = saves.map(({snapshot, baseline}) => queryLines(snapshot, baseline, defaultQuery).rows[0].method);
	expect(hottest).toEqual(['burn', 'tick']);
	expect(saves[0].snapshot.session.samples - saves[0].baseline!.session.samples).toBe(500);
});

test('what changed since the baseline is shown per second, and D leads there and back', async () => {
	const {text, goOn} = screenOf(60, {toCome: 5});
	expect(await text('D')).toContain('nothing to compare with');
	expect(await text('D', 'm')).toMatch(/\[1 Lines].*(?:\n.*)*baseline set: \d\d:\d\d:00-\d\d:\d\d:00/);
	expect(await text('D')).toContain('nothing has been sampled since the baseline was set');
	goOn(5);

	expect(await text()).toMatch(/ against .* since the baseline 5s/);
	expect(await text()).toMatch(/> +\+100 .* new +.*Spike\.burn:7/);
	expect(await text()).toMatch(/ noise +.*Calm\.tick:3/);
	expect(await text('enter')).toMatch(/\+100% of a core \+\/- [\d.]+: 100 now, 0\.0 in the baseline/);
	expect(await text('q', 'D')).toContain('[1 Lines]');
});

test('a window of the past is a baseline as it is, and what happens now is compared with it', async () => {
	const {text} = screenOf(120);
	expect(await text(...Array.from({length: 5}, () => '['), 'm', 'escape', 'z', 'z', 'D')).toContain('LIVE');
	expect(await text()).toMatch(/> +-50\.0 .* gone +.*Spike\.burn:7/);
});

test('before there is a past, and where it ends, the keys say so', async () => {
	const young = screenOf(1);
	expect(await young.text('[')).toContain('there is no past yet');
	expect(await young.text(']')).toContain('this is LIVE');
	const {text} = screenOf(25);
	expect(await text('[', '[', '[', '[')).toContain('nothing older is kept');
	expect(await text()).toMatch(/PAST \d\d:\d\d:10/);
});

test.each([[80, 24], [200, 60], [50, 16], [40, 12], [30, 6], [1, 1]])(
	'at %i x %i the past fits the screen',
	async (columns, rows) => {
		const lines = await screenOf(185, {columns, rows}).screen.lines('[', '[');
		expect(lines.length).toBeLessThanOrEqual(rows);
		expect(Math.max(...lines.map(line => line.length))).toBeLessThan(Math.max(2, columns));
		if (columns >= 30) {
			expect(lines.join('\n')).toContain('PAST');
		}
	},
);
