/*
The screen on a source that grows by itself: threads at known lines, no JVM. Started in a pseudo-terminal by the tests
of the screen, or by hand to look at it. Words of the command line: still (nothing changes), hostile (names that no one
would choose), crash (an error at SIGUSR2), choose (the list of JVMs instead), mouseless, delay=MS, rows=N,
sources=DIR.
*/
import process from 'node:process';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {printable} from '../../source/model/text.js';
import {stateCode} from '../../source/model/thread-state.js';
import {lockKindCode} from '../../source/model/sample.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {runApp, runChooser} from '../../source/ui/app.js';
import {rootOf} from '../../source/sources/roots.js';
import {sourceLibrary} from '../../source/sources/library.js';

const words = new Set(process.argv.slice(2));
const valueOf = (name: string, fallback: number) => Number([...words].find(word => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? fallback);
const sources = [...words].find(word => word.startsWith('sources='))?.slice('sources='.length);
const isStill = words.has('still');
const lineCount = valueOf('rows', 40);
const builder = new SnapshotBuilder();
const hostile = ['\u001B[2Jclear', 'a\nb\tc', '\u202Eevil\u202C', '名前クラス', '\u001B]0;title\u0007', 'x'.repeat(400), '👩‍👩‍👧 family', 'e\u0301\u0301\u0301'];
const nameOf = (index: number, plain: string) => printable(words.has('hostile') ? hostile[index % hostile.length] + plain : plain);

const main = builder.addFrame('com.acme.Main', 'main', 'Main.java', 12);
const stacks = Array.from({length: lineCount}, (_, index) => {
	const className = `com.acme.${['sort', 'db', 'cache', 'web'][index % 4]}.${nameOf(index, `Worker${index}`)}`;
	return builder.addStack([
		builder.addFrame(className, 'step', `Worker${index}.java`, 16 + index), builder.addFrame(className, 'run', `Worker${index}.java`, 5), main,
	]);
});
const threads = Array.from({length: 12}, (_, index) => builder.addThread({key: index + 1, name: nameOf(index, index < 6 ? `http-nio-8080-exec-${index}` : `worker-${'abcdef'[index - 6]}`), nativeId: 5000 + index}));
const startedAtMs = Date.UTC(2026, 8, 14, 12, 0, 0);
let samples = 0;
const threadStatesByIndex = [...Array.from({length: 6}, () => stateCode.RUNNABLE), stateCode.BLOCKED, stateCode.BLOCKED, stateCode.WAITING, stateCode.WAITING, stateCode.IDLE, stateCode.IDLE];

function grow(count: number): void {
	for (let sample = 0; sample < count; sample++, samples++) {
		for (const [index, thread] of threads.entries()) {
			// The further down the list, the rarer; every line has its own mixture of states.
			const stack = Math.floor(((((samples * 7919) + (index * 104_729)) % 10_007 / 10_007) ** 3) * stacks.length);
			const state = threadStatesByIndex[index];
			const node = index < 6 ? stacks[stack] : stacks[index % stacks.length];
			builder.count(thread, node, state, 1, state === stateCode.RUNNABLE ? 9_000_000 + (stack * 1000) : 0);
			builder.setNow(thread, {state, node, sinceMs: state === stateCode.RUNNABLE ? 0 : startedAtMs});
			if (state === stateCode.BLOCKED) {
				const lock = {lockKind: lockKindCode.monitor, lockClass: builder.internString('com.acme.db.Pool'), ownerFrame: builder.addFrame('com.acme.db.Pool', 'take', 'Pool.java', 88)};
				builder.addContention({thread, node, ...lock, owner: threads[0], ownerNode: stacks[0], ticks: 1});
				builder.setNow(thread, {...lock, lockOwner: threads[0]});
			}
		}
	}
}

function build() {
	return builder.build({
		target: {
			pid: 12_345, mainClass: nameOf(0, 'com.acme.Main'), command: 'com.acme.Main --port 8080', jvmVersion: '21.0.3', vm: 'OpenJDK 64-Bit Server VM', user: 'acme', startedAtMs: startedAtMs - 1e8,
		},
		session: {
			engine: 'attach', requestedIntervalMs: 200, intervalMs: 200, startedAtMs, takenAtMs: startedAtMs + (samples * 200), lastSampleAtMs: startedAtMs + (samples * 200), durationMs: samples * 200,
			samples, late: 3, targetStoppedMs: samples * 0.2, pauseP50Us: 210, pauseP99Us: 800, selfCpuMs: samples,
		},
	});
}

let isStopped = false;
grow(200);
let snapshot = build();
if (words.has('crash')) {
	process.once('SIGUSR2', () => {
		throw new Error('something broke');
	});
}

const hasMouse = !words.has('mouseless');
const theme = {color: true, ascii: false};
if (words.has('choose')) {
	let looks = 0;
	const pid = await runChooser({
		// One more is there at every look.
		list: () => Array.from({length: 3 + looks++}, (_, index) => ({pid: 100 + index, cells: ['acme'], name: `com.acme.Main${index}`, words: `acme com.acme.Main${index}`, problem: index === 1 ? 'it is still starting up' : undefined})).reverse(),
		columns: [{heading: 'USER', align: 'left', fromColumns: 0}], theme, stdin: process.stdin, stdout: process.stdout, hasMouse,
	});
	process.stdout.write(`chosen: ${pid}\n`);
	process.exit(0);
}

try {
	const result = await runApp({
		source: {
			status: () => ({phase: isStopped ? 'paused' : 'sampling', stale: false}),
			read() {
				if (!isStill && !isStopped) {
					grow(5);
					snapshot = build();
				}

				return snapshot;
			},
			setPaused(isPaused) {
				isStopped = isPaused;
			},
			async close() {
				// Nothing to let go of.
			},
			onChange: () => () => {
				// It tells nobody.
			},
		},
		vitals: () => ({
			cpuPercent: 312, heapUsedBytes: 3.1 * (2 ** 30), heapCapacityBytes: 8 * (2 ** 30), gcPercent: 4.1, uptimeMs: 273_840_000,
		}),
		save: async () => 'saved it',
		saveFormats: [{id: 'pb.gz', title: 'pprof'}, {id: 'json', title: 'JSON'}],
		sourceOf: sources === undefined ? undefined : sourceLibrary(() => [rootOf(sources)]),
		view: {query: defaultQuery, delayMs: valueOf('delay', 1000)},
		theme,
		stdin: process.stdin,
		stdout: process.stdout,
		hasMouse,
	});
	process.stdout.write(`left: ${result.reason}${result.signal ? ` ${result.signal}` : ''} ${result.lastSnapshot?.session.samples ?? 0} samples\n`);
	process.exit(0);
} catch (error) {
	process.stdout.write(`error: ${(error as Error).message}\n`);
	process.exit(1);
}
