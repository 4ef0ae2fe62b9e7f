import {expect, test} from 'vitest';
import {DumpParser} from '../../../source/engines/attach/dump/parser.js';
import {otherFrame} from '../../../source/model/frame.js';
import {Sample, virtualThreadsKey} from '../../../source/model/sample.js';
import {stateCode} from '../../../source/model/thread-state.js';
import {createTable, defaultShape} from '../../../source/table/table-layout.js';
import {TableWriter} from '../../../source/table/writer.js';
import {IdleList} from '../../../source/jvm/threads/idle.js';
import type {Row} from '../observe.js';
import {dump, dumpNames, DumpReading, read} from './dumps.js';

/**
What a simpler reader finds: headers by their address in the list (JDK 11 and later), bodies by their indentation.
*/
function listedThreads(bytes: Buffer): Array<{key: number; name: string; state: string; frames: number}> {
	const text = bytes.toString('latin1').split(/^JNI global/m)[0];
	const addresses = [...(/elements={\n([^}]*)}/.exec(text)?.[1] ?? '').matchAll(/0x[\da-f]+/g)].map(([address]) =>
		address);
	return addresses.map(address => {
		const tid = text.indexOf(` tid=${address} `);
		const lineEnd = text.indexOf('\n', tid);
		const beforeTid = text.slice(text.lastIndexOf('\n\n"', tid), lineEnd);
		const [, name, key] = /^\n\n"(.*)" #(\d+) [^"]*$/s.exec(beforeTid) ?? [];
		const body = /^(?:[\t ].*\n)*/.exec(text.slice(lineEnd + 1))![0];
		// A mounted virtual thread's frames are counted apart from its carrier's.
		const own = body.split('   Mounted virtual thread')[0];
		return {
			key: Number(key),
			name,
			state: /State: ([A-Z_]+)/.exec(own)?.[1] ?? '',
			frames: own.match(/\tat (?=.*\)$)|\)\tat /gm)?.length ?? 0,
		};
	});
}

const find = (rows: Row[], name: string) => rows.find(row => row.name === name)!;

test.each(dumpNames.filter(name => !/^8-|odd/.test(name)))(
	'%s: every listed thread with its state and number of frames',
	name => {
		const rows = read(dump(name)).filter(row => row.key > 0 && !row.flags.includes('virtual'));
		const expected = listedThreads(dump(name));
		expect(rows.map(row => row.key).filter((_, index) => expected[index].key > 0))
			.toEqual(expected.map(thread => thread.key).filter(key => key > 0));
		expect(expected.filter(thread => thread.name !== undefined).length).toBeGreaterThan(expected.length * 0.9);
		for (const [index, thread] of expected.entries()) {
			// The second reader takes a name's false header for the start: those are looked at below.
			if (thread.name !== undefined) {
				const initialising = rows[index].lock.startsWith('class-init');
				expect.soft([thread.name, rows[index].state, rows[index].frames.length]).toEqual([
					thread.name,
					initialising
						? 'BLOCKED'
						: (thread.state || (rows[index].flags.includes('incomplete') ? 'RUNNABLE' : 'WAITING')),
					thread.frames,
				]);
			}
		}
	},
);

// No other reader finds its way in the dumps of 8, which do not list their threads.
test('8-threaddump: threads of the program and of the JVM, and their frames', () => {
	const rows = read(dump('8-threaddump'));
	const ofJvm = rows.filter(row => row.key < 0);
	expect([rows.length - ofJvm.length, ofJvm.length, rows.reduce((sum, row) => sum + row.frames.length, 0)]).toEqual([
		140,
		4,
		1313,
	]);
	expect(ofJvm.filter(({flags, key, nativeId, frames}) =>
		flags.includes('vmInternal') && key === -nativeId && frames.length === 0)).toEqual(ofJvm);
});

test.each(['8', '11', '17', '21', '26'])('JDK %s: the frame below an eliminated lock is kept', jdk => {
	expect(find(read(dump(`${jdk}-eliminated`)), 'main').frames).toEqual(['Elim.inner:3', 'Elim.run:2', 'Elim.main:4']);
});

test.each(['11', '17', '21', '25', '27', '28'])('JDK %s: hostile names stay names', jdk => {
	const rows = read(dump(`${jdk}-threaddump`));
	const names = rows.map(row => row.name);
	expect(names)
		.toContain(String.raw`new\x0aline\x0a\x0a"fake" #7 daemon prio=5\x0a   java.lang.Thread.State: RUNNABLE\x0a`
			+ String.raw`\x09at evil.Code.run(Evil.java:1)\x0a`);
	expect(names).toContain('evil" #99 prio=5 os_prio=0 tid=0x0 nid=0x1 runnable');
	expect(names).toEqual(expect.arrayContaining(['quote " in name', '', '   ', 'ümläut 日本語 😀 emoji']));
	expect(names)
		.toEqual(expect.arrayContaining([
			String.raw`esc\x1b[31mred\x1b]0;title\x07 end`,
			String.raw`c1 \x9b31m csi \u202e rtl`,
		]));
	expect(names).toEqual(expect.arrayContaining([String.raw`lone \ud800 surrogate`, String.raw`nul\x00byte`]));
	expect(names.find(name => name.startsWith('long-'))).toHaveLength(512);
	expect(rows.some(row => row.key === 99 || (row.key === 7 && row.name === 'fake'))).toBe(false);
	expect(rows.flatMap(row => row.frames).filter(frame => frame.startsWith('evil.Code'))).toEqual([]);
});

test('JDK 8 prints names through a buffer of 2000 bytes: the thread is there, its name cut', () => {
	const rows = read(dump('8-threaddump'));
	expect(rows.filter(row => row.name.startsWith('long-x')).map(row => [row.key, row.state, row.frames.length]))
		.toEqual([[39, 'TIMED_WAITING', 5]]);
	expect(rows.find(row => row.key === 30)?.frames).toHaveLength(5);
});

test.each(['11', '17', '21', '25', '28'])('JDK %s: states, locks and owners', jdk => {
	const threads = Object.fromEntries(read(dump(`${jdk}-threaddump`)).map(row => [row.name, row]));
	const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
	expect(threads).toMatchObject({
		'cpu-runnable': {state: 'RUNNABLE', lock: '', owner: ''},
		sleeping: {state: 'TIMED_WAITING', lock: '', owner: ''},
		'blocked-1': {state: 'BLOCKED', lock: 'monitor java.lang.Object', owner: matching(/^holder at Shapes\./)},
		'obj-wait': {state: 'WAITING', lock: 'monitor-wait java.lang.Object', owner: ''},
		'dl-1': {owner: matching(/^dl-2 at Shapes\./)},
		'dl-2': {owner: matching(/^dl-1 at Shapes\./)},
		// The stacks do not say who holds a lock of java.util.concurrent; below them the dump does for those in a
		// deadlock.
		'rl-waiter': {state: 'WAITING', lock: 'park java.util.concurrent.locks.ReentrantLock$NonfairSync', owner: ''},
		'dl-j1': {owner: 'dl-j2'},
		'dl-j2': {owner: 'dl-j1'},
		'clinit-waiter': {
			state: 'BLOCKED',
			lock: matching(/^class-init/),
			owner: matching(Number(jdk) >= 17 ? /^clinit at Shapes\$Init\.<clinit>/ : /^/),
		},
	});
});

test('with -l the owner of a parked-for lock is known', () => {
	expect(find(read(dump('28-threaddump-le')), 'rl-waiter').owner).toBe('rl-holder');
});

test('flags: daemon, compiler, a stack as deep as the JVM prints', () => {
	const rows = read(dump('17-threaddump'));
	expect(find(rows, 'Finalizer').flags).toEqual(['daemon']);
	expect(find(rows, 'main').flags).toEqual([]);
	expect(find(rows, 'C2 CompilerThread0').flags).toEqual(['daemon', 'compiler']);
	expect(find(rows, 'deep-3000').frames).toHaveLength(1024);
	expect(find(rows, 'deep-3000').flags).toEqual(['daemon', 'incomplete']);
	expect(find(read(dump('17-compiling')), 'C2 CompilerThread0').flags).toContain('compiler');
	const reading = new DumpReading();
	const compiled = (bytes: Buffer) => {
		expect(reading.parse(bytes)).toBeUndefined();
		return [...reading.parser.compiled].map(([row, method]) => `${reading.sample.name[row]} ${method}`);
	};

	expect(compiled(dump('17-compiling'))).toEqual([
		'C2 CompilerThread0 sun.launcher.LauncherHelper.validateMainClass',
	]);
	const other = (line: string) =>
		Buffer.from(
			dump('17-compiling').toString('latin1').replace(/^ {3}Compiling: .*$/m, `   Compiling: ${line}`),
			'latin1',
		);
	expect(compiled(other(' 1234 %s     3       com.acme.Foo::bar @ 12 (34 bytes)'))).toEqual([
		'C2 CompilerThread0 tier 3 com.acme.Foo.bar@12',
	]);
	expect(compiled(other(' 908 1234       2       com.acme.Foo::<init> (34 bytes)'))).toEqual([
		'C2 CompilerThread0 tier 2 com.acme.Foo.<init>',
	]);
	expect(compiled(other(' 908  com.acme.Foo'))).toEqual([]);
});

test('JDK 28: a mounted virtual thread is a row of its own, beside its carrier', () => {
	const rows = read(dump('28-threaddump'));
	const virtual = rows.find(row => row.flags.includes('virtual') && row.key === virtualThreadsKey - 73)!;
	expect(virtual.name).toBe('virtual thread');
	expect(virtual.frames[0]).toBe('Virt.lambda$go$0:4');
	expect(virtual.frames).toHaveLength(7);
	const carrier = find(rows, virtual.carrier);
	expect([carrier.name, carrier.key, carrier.nativeId, carrier.state]).toEqual([
		'ForkJoinPool-1-worker-1',
		73,
		12_959,
		'WAITING',
	]);
	expect(carrier.frames).toHaveLength(8);
	expect(carrier.flags).toContain('carrier');
	expect(carrier.flags).not.toContain('incomplete');
});

test('JDK 21 does not print what a carrier carries: its stack is marked incomplete', () => {
	const rows = read(dump('21-threaddump'));
	const carriers = rows.filter(row => row.flags.includes('carrier'));
	expect(carriers.length).toBeGreaterThan(0);
	expect(carriers.every(row =>
		row.flags.includes('incomplete') && row.frames[0] === 'jdk.internal.vm.Continuation.run:248')).toBe(true);
	expect(rows.some(row => row.flags.includes('virtual'))).toBe(false);
});

test('odd names of methods and files: no frame too many, the line feed stays within its frame', () => {
	for (const jdk of ['8', '17', '25']) {
		const {frames} = find(read(dump(`${jdk}-oddnames`)), 'odd');
		const weird = frames.slice(frames.findIndex(frame => frame.startsWith('Weird.')));
		expect(weird).toHaveLength(5);
		expect(weird[0]).toMatch(/^Weird\.\$anonfun\$main\$1 日本/);
		expect(weird[1]).toContain(String.raw`esc\x1bc tab\x09`);
		expect(weird[2]).toContain(String.raw`\x0a\x09at fake`);
		expect(weird[4]).toMatch(/^Weird\.main/);
	}
});

test('idle: waiting native calls, and threads without frames that used no CPU', () => {
	const reading = new DumpReading();
	expect(reading.parse(dump('17-threaddump'))).toBeUndefined();
	const rows = reading.rows();
	const busy = rows.findIndex(row => row.name === 'G1 Conc#0');
	const stdin = rows.findIndex(row => row.name === 'stdin-read');
	const listener = rows.findIndex(row => row.name === 'Attach Listener');
	reading.sample.cpuNs[busy] = 1;
	reading.sample.cpuNs[listener] = 1;
	reading.settle();
	const names = [
		'Reference Handler',
		'socket-accept',
		'Signal Dispatcher',
		'VM Thread',
		'Attach Listener',
		'G1 Conc#0',
		'cpu-runnable',
		'stdin-read',
	];
	const working = () => names.filter(name => find(reading.rows(), name).state === 'RUNNABLE');
	const idle = () => names.filter(name => find(reading.rows(), name).state === 'IDLE');
	// The listener works for the dump that is looked at, and for nothing else.
	expect([working(), idle()]).toEqual([names.slice(5, 7), [...names.slice(0, 5), 'stdin-read']]);
	reading.sample.state[stdin] = 1;
	reading.sample.cpuNs[stdin] = 1;
	reading.settle();
	expect([working(), idle()]).toEqual([names.slice(5), names.slice(0, 5)]);
});

test('a full table: no thread at "(other)" is called IDLE for the sake of another one\'s method', () => {
	// The last new line of this dump is a lambda's.
	const idle = new IdleList(['Shapes$$Lambda.run']);
	const parser = new DumpParser(new TableWriter(createTable({...defaultShape, frames: 8, maxSlabs: 1})), {
		depth: Infinity,
		idle,
	});
	const sample = new Sample();
	expect(parser.parse(dump('17-threaddump'), sample)).toBeUndefined();
	const atOther = Array.from({length: sample.count}, (_, row) => row).filter(row =>
		sample.stackLength[row] > 0 && sample.frames[sample.stackStart[row]] === otherFrame);
	const before = atOther.map(row => sample.state[row]);
	expect(before.filter(state => state === stateCode.RUNNABLE).length).toBeGreaterThan(5);
	parser.frames.markIdle(sample, new Uint8Array(sample.count).fill(1), 0);
	expect(atOther.map(row => sample.state[row])).toEqual(before);
});

test('a parser that has seen other dumps reads the same as a new one', () => {
	const reading = new DumpReading();
	for (const name of [...dumpNames, ...dumpNames.toReversed()]) {
		expect(reading.parse(dump(name))).toBeUndefined();
		expect(reading.rows(), name).toEqual(read(dump(name)));
	}
});
