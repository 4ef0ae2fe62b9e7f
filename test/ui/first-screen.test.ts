import {expect, test} from 'vitest';
import {views} from '../../source/views/registry.js';
import {screenOf} from '../helpers/session-screen.js';
import {picture} from '../helpers/picture.js';

const snapshot = picture(`
	worker-1
	R R R R R R
	com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3 com.acme.Main.main:3
`);

function firstScreen(columns: number, rows: number, shown = snapshot) {
	const lineNote = 'line numbers in compiled code are approximate';
	const vitals = {
		cpuPercent: 122, hostCpus: 2, hostLoad: 0.7, heapUsedBytes: 11 * (2 ** 20), heapCapacityBytes: 128 * (2 ** 20), gcPercent: 0, allocBytesPerS: 310 * (2 ** 20), uptimeMs: 31_000,
	};
	return screenOf(shown, {columns, rows}, {status: {phase: 'sampling', stale: false, lineNote}, vitals});
}

test('at 80 columns the header says what the program uses, to what it allocates', async () => {
	const [, uses] = await firstScreen(80, 24).lines();
	expect(uses).toMatch(/^CPU \S* ?122% of 200% +heap 11M\/128M +GC 0% +JIT 0% +alloc 310M\/s$/);
});

test.each([['1.8.0_504', 'JDK 8'], ['17.0.15', 'JDK 17'], ['27-ea', 'JDK 27']])('the release of a JVM of version %s is %s', async (jvmVersion, release) => {
	const [program] = await firstScreen(80, 24, {...snapshot, target: {...snapshot.target, jvmVersion}}).lines();
	expect(program).toMatch(new RegExp(`^${release}  up 31s `));
});

test('a view without rows says what fills it', async () => {
	const screen = firstScreen(80, 24);
	const hints = [];
	for (let view = 1; view < views.length; view++) {
		await screen.press('tab');
		const lines = await screen.lines();
		hints.push(lines.slice(5, 7).join(' ').trim());
	}

	expect(hints.filter(hint => !hint.startsWith('>'))).toEqual([
		expect.stringMatching(/^no thread waited in this window for a lock/),
		'no thread waits now',
		expect.stringMatching(/^nothing to compare with: m makes/),
		expect.stringMatching(/^no method is traced; M on a row/),
		expect.stringMatching(/^no tasks are followed.*tprof-top tasks PID/),
		expect.stringMatching(/^no method is chosen: press f on a row/),
	]);
});

test.each([[80, 24], [80, 15], [80, 6], [60, 16]])('tabs do not vanish at %i x %i: those without room stand behind More…', async (columns, rows) => {
	const lines = await firstScreen(columns, rows).lines();
	expect(lines.find(line => line.startsWith('[Lines]'))).toMatch(/^\[Lines] {2}Threads {2}Blockers .*More~/);
});

test('a wide screen has room for all tabs', async () => {
	const text = await firstScreen(160, 24).text();
	expect(text).toMatch(/\[Lines] {2}Threads .* {2}Traces/);
	expect(text).not.toContain('More~');
});

test('that lines are approximate is said in the detail and the help, not above the table', async () => {
	for (const key of ['enter', '?']) {
		const screen = firstScreen(80, 24);
		expect(await screen.text()).not.toContain('approximate');
		expect(await screen.text(key)).toContain('line numbers in compiled code are approximate');
	}
});
