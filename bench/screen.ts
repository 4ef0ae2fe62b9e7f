/*
The session's screen alone, in this process, on a terminal that is only an object: CPU time and bytes of a refresh after
which all figures are others, of a move of the cursor, of a page, of a new order and of other keys, with 5,000 rows.
Reading the table and the target's figures are not in it. CPU time is that of the whole process, with its garbage
collection, in a loop: what runs once a second is colder, so these are figures to compare. Windows are kept and trends
drawn as in a session with a refresh each second. Targets: at 200 x 60 a key below 20 ms, at 80 x 24 a refresh below 3
KB and a move below 500 bytes; a step into the past below 50 ms; a refresh below 6 ms at 80 x 24 and below 12 ms at 200
x 60, which are 0.6 and
1.2 % of a core at one a second, and in Flame below 4 and 15 ms. TPROF_BENCH_GROUPS groups of ten (20);
TPROF_BENCH_ROWS rows, TPROF_BENCH_THREADS threads (200).
*/
import {PassThrough} from 'node:stream';
import process from 'node:process';
import type {ReadStream, WriteStream} from 'node:tty';
import {createElement} from 'react';
import {safe} from '../source/util/printable.js';
import type {Snapshot} from '../source/model/snapshot.js';
import {stateCode} from '../source/model/thread-state.js';
import {defaultQuery} from '../source/query/types/query.js';
import {SessionScreen} from '../source/ui/screens/session.js';
import {showScreen} from '../source/ui/show-screen.js';
import {SessionData} from '../source/ui/state/session-data.js';
import {SessionStore} from '../source/ui/state/session-store.js';
import {Terminal} from '../source/ui/terminal/terminal.js';
import {Theme} from '../source/ui/terminal/theme.js';
import {SessionBuilder} from '../test/helpers/session-builder.js';
import {median, printFigures, type Figure} from './support/figures.js';

const groups = Number(process.env.TPROF_BENCH_GROUPS ?? 20);
const groupSize = 10;
const rowCount = Number(process.env.TPROF_BENCH_ROWS ?? 5000);
const threadCount = Number(process.env.TPROF_BENCH_THREADS ?? 200);
const moments = 20;

/** Snapshots of one session, in which the order of the rows and all figures change. */
function makeSession(): Snapshot[] {
	const builder = new SessionBuilder();
	let seed = 1;
	const random = (below: number) => {
		seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor(seed / 4_294_967_296 * below);
	};

	const threads = Array.from(
		{length: threadCount},
		(_, index) => builder.addThread({key: index + 1, name: safe`worker-${index}`}),
	);
	const main = builder.addFrame('com.acme.Main', 'main', 'Main.java', 12);
	const stacks = Array.from({length: rowCount}, (_, index) => {
		const className = `com.acme.part${index % 40}.Class${index % 300}`;
		return builder.addStack([
			builder.addFrame(className, `method${index % 900}`, `Class${index % 300}.java`, index),
			main,
		]);
	});
	return Array.from({length: moments}, (_, moment) => {
		const [hot, share] = [random(100), 1 + random(1000)];
		for (const [index, stack] of stacks.entries()) {
			const state = [stateCode.RUNNABLE, stateCode.RUNNABLE, stateCode.BLOCKED, stateCode.WAITING][random(4)];
			builder.count(
				threads[(index + moment) % threadCount],
				stack,
				state,
				1 + random(20),
				state === stateCode.RUNNABLE ? random(1e7) * ((index % 100) === hot ? share : 1) : 0,
			);
		}

		for (const thread of threads) {
			builder.setNow(thread, {
				state: [stateCode.RUNNABLE, stateCode.BLOCKED, stateCode.WAITING, stateCode.IDLE][random(4)],
				node: stacks[random(rowCount)],
			});
		}

		const seconds = 100 + moment;
		return builder.build({
			target: {pid: 12_345, mainClass: safe`com.acme.Main`, jvmVersion: safe`21.0.3`},
			session: {
				engine: safe`memory`,
				intervalMs: 20,
				samples: seconds * 50,
				durationMs: seconds * 1000,
				takenAtMs: seconds * 1000,
				lastSampleAtMs: seconds * 1000,
				threadSamples: seconds * 10_000,
				selfCpuMs: seconds * 30,
				targetStoppedMs: seconds,
			},
		});
	});
}

/** A snapshot as one of a session that goes on: each refresh comes a second after the one before. */
function later(snapshot: Snapshot, moment: number): Snapshot {
	const seconds = 100 + moment;
	return {
		...snapshot,
		session: {
			...snapshot.session,
			samples: seconds * 50,
			durationMs: seconds * 1000,
			sampledMs: seconds * 1000,
			takenAtMs: seconds * 1000,
			lastSampleAtMs: seconds * 1000,
		},
	};
}

class Bench {
	bytes = 0;
	readonly #store: SessionStore;
	readonly #terminal: Terminal;
	readonly #close: () => void;

	constructor(session: readonly Snapshot[], columns: number, rows: number, view?: string) {
		let moment = 0;
		this.#store = new SessionStore({
			source: {
				status: () => ({phase: 'sampling', stale: false}),
				read: () => later(session[moment % session.length], moment++),
				setPaused() {/* Nothing samples here. */},
				async close() {/* Nothing is open. */},
				onChange: () => () => {/* It never changes. */},
			},
			delayMs: 1000,
			vitals: () => ({
				cpuPercent: 100 + (moment % 300),
				heapUsedBytes: 1e9 + (moment * 1e7),
				heapCapacityBytes: 8e9,
				gcPercent: moment % 10,
				uptimeMs: 1e8 + (moment * 1000),
			}),
		});
		const stdin = Object.assign(new PassThrough(), {setRawMode() {/* There are no modes. */}});
		this.#terminal = new Terminal(stdin as unknown as ReadStream, {
			columns,
			rows,
			writable: true,
			destroyed: false,
			writableNeedDrain: false,
			writableLength: 0,
			on() {/* Nothing happens to it. */},
			off() {/* As little. */},
			write: (text: string) => {
				this.bytes += Buffer.byteLength(text);
				return true;
			},
		} as unknown as WriteStream);
		this.#store.refresh();
		this.#terminal.enter();
		const unmount = showScreen(
			createElement(SessionScreen, {
				store: this.#store,
				session: new SessionData({saveFormats: []}),
				view: {query: defaultQuery, view, delayMs: 1000},
				theme: new Theme({color: true, ascii: false}),
				save: async () => safe``,
				explain: () => '',
				onLeave() {/* It is not left. */},
			}),
			this.#terminal,
			error => {
				throw error as Error;
			},
		);
		this.#close = () => {
			unmount();
			this.#terminal.leave();
		};
	}

	refresh(): void {
		this.#store.refresh();
	}

	press(key: string): void {
		this.#terminal.emit('key', key);
	}

	close(): void {
		this.#close();
	}
}

async function turns(): Promise<void> {
	for (let turn = 0; turn < 3; turn++) {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
	}
}

async function measure(
	what: string,
	bench: Bench,
	act: (time: number) => void,
	goals: {readonly cpuMs?: number; readonly bytes?: number},
): Promise<Figure[]> {
	const cpu: number[] = [];
	const bytes: number[] = [];
	// The first groups warm up.
	const warmUp = 2;
	for (let group = 0; group < groups + warmUp; group++) {
		const [before, bytesBefore] = [process.cpuUsage(), bench.bytes];
		for (let time = 0; time < groupSize; time++) {
			act((group * groupSize) + time);
			await turns();
		}

		const {user, system} = process.cpuUsage(before);
		if (group >= warmUp) {
			cpu.push((user + system) / 1000 / groupSize);
			bytes.push((bench.bytes - bytesBefore) / groupSize);
		}
	}

	const of = `median of ${groups} groups of ${groupSize}`;
	return [
		{
			what: `${what}, CPU`, value: median(cpu), unit: 'ms', below: goals.cpuMs, of,
		},
		{
			what: `${what}, bytes`, value: median(bytes), unit: 'bytes', below: goals.bytes, of,
		},
	];
}

const session = makeSession();
for (const [columns, rows] of [[80, 24], [200, 60]] as const) {
	const bench = new Bench(session, columns, rows);
	const isSmall = columns === 80;
	const goals = {cpuMs: isSmall ? undefined : 20};
	const where = `${columns} x ${rows}`;
	const figures = [
		...await measure(`${where}: refresh`, bench, () => {
			bench.refresh();
		}, {cpuMs: isSmall ? 6 : 12, bytes: isSmall ? 3 * 1024 : undefined}),
		...await measure(`${where}: cursor`, bench, time => {
			bench.press(time % 4 < 2 ? 'down' : 'up');
		}, {...goals, bytes: isSmall ? 500 : undefined}),
		...await measure(`${where}: page`, bench, time => {
			bench.press(time % 40 < 20 ? 'pagedown' : 'pageup');
		}, goals),
		...await measure(`${where}: reverse`, bench, () => {
			bench.press('R');
		}, goals),
		...await measure(`${where}: another sort`, bench, time => {
			bench.press(time % 2 === 0 ? '>' : '<');
		}, goals),
		...await measure(`${where}: another unit`, bench, () => {
			bench.press('%');
		}, goals),
		...await measure(`${where}: a letter of the filter`, bench, time => {
			bench.press(time === 0 ? '/' : (time % 2 === 0 ? 'backspace' : 'a'));
		}, goals),
		...await measure(`${where}: a step into the past and back`, bench, time => {
			bench.press(time % 20 < 10 ? '[' : ']');
		}, {cpuMs: 50}),
	];
	bench.close();
	const flame = new Bench(session, columns, rows, 'flame');
	figures.push(...await measure(`${where}: refresh of Flame`, flame, () => {
		flame.refresh();
	}, {cpuMs: isSmall ? 4 : 15}));
	flame.close();
	printFigures(figures);
}
