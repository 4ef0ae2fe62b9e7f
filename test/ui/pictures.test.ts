import {readFileSync} from 'node:fs';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {animatedPicture, flameGraphPicture, screenPicture, themes, type Frame} from '../../build/pictures.js';
import lineRenderer from '../../build/line-renderer.js';
import {openRecording} from '../../source/exports/recording/recording-reader.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {SessionStore} from '../../source/ui/state/session-store.js';
import {digitOf} from '../../source/ui/state/keys.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {queryFlame} from '../../source/views/flame/flame.js';
import {views, viewOf} from '../../source/views/view-registry.js';
import {openScreen, sourceOf} from '../helpers/session-screen.js';

const recording = openRecording(readFileSync(new URL('../../demo/recording.tprof', import.meta.url)));
const {last} = recording;
const columns = 100;

beforeAll(() => {
	vi.useFakeTimers({toFake: ['Date'], now: new Date(2026, 10, 25, 11, 14)});
});

afterAll(() => {
	vi.useRealTimers();
});

/** The live view of the recorded demo. */
function demoScreen(rows: number) {
	const source = sourceOf(() => last.snapshot, {
		status: () => ({...last.sourceNotes, phase: 'sampling', stale: false}),
	});
	const store = new SessionStore({
		source, delayMs: 1000, recorded: recording, vitals: () => last.vitals ?? {}, now: () => Date.now(),
	});
	store.refresh();
	const theme = new Theme({color: true, has256Colors: true, ascii: false});
	return openScreen(store, {columns, rows, theme});
}

test.each([
	{view: 'blockers', rows: 16, keys: []},
	{view: 'tree', rows: 24, keys: ['*']},
	{view: 'flame', rows: 18, keys: ['end']},
])('the pictures of $view show the screen as it is; npm run picture draws them anew', async ({view, rows, keys}) => {
	const screen = demoScreen(rows);
	const lines = await screen.lines(...views.slice(0, views.indexOf(viewOf(view))).map(() => 'tab'), ...keys);
	// The program draws with this in place of Ink's renderer.
	const {output} = lineRenderer(screen.root, false);
	expect(await screenPicture(output.split('\n'), columns, themes.dark))
		.toBe(await screenPicture(lines, columns, themes.dark));
	await Promise.all(Object.entries(themes).map(async ([name, colors]) => {
		await expect(await screenPicture(lines, columns, colors))
			.toMatchFileSnapshot(`../../docs/pictures/${view}-${name}.svg`);
	}));
});

test('so does the animation of a session', async () => {
	const screen = demoScreen(24);
	const frames: Frame[] = [{lines: await screen.lines()}];
	const [blockers, flame, memory] = ['blockers', 'flame', 'memory'].map(id => digitOf(id)!);
	for (const [key, label = key] of [['enter', 'Enter'], [blockers], ['enter', 'Enter'], [flame], [memory]]) {
		frames.push({lines: await screen.lines(key), key: label});
	}

	await Promise.all(Object.entries(themes).map(async ([name, theme]) => {
		await expect(await animatedPicture(frames, columns, theme))
			.toMatchFileSnapshot(`../../docs/pictures/session-${name}.svg`);
	}));
});

test('so does that of the flame graph', async () => {
	await expect(flameGraphPicture(queryFlame(last.snapshot, undefined, defaultQuery).rows))
		.toMatchFileSnapshot('../../docs/pictures/flame-graph.svg');
});
