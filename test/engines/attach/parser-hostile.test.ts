import {expect, test} from 'vitest';
import {pick, seeded} from '../../helpers/random.js';
import {dump, dumpNames, DumpReading, read} from './dumps.js';

/** Whole numbers from 0 to below a limit, the same in every run. */
function below(seed: number): (limit: number) => number {
	const random = seeded(seed);
	return limit => pick(random, limit);
}

test.each(['8-eliminated', '17-eliminated', '21-eliminated'])('%s cut at every byte: whole or not counted', name => {
	const bytes = dump(name);
	const whole = read(bytes);
	const reading = new DumpReading();
	const tailStart = bytes.lastIndexOf('\nJNI global ref') + 1;
	const tailEnd = bytes.indexOf('\n', tailStart);
	for (let length = 0; length < bytes.length; length++) {
		const problem = reading.parse(bytes.subarray(0, length));
		if (length > tailEnd) {
			expect(problem).toBeUndefined();
			expect(reading.rows()).toEqual(whole);
		} else {
			expect(problem, `cut at ${length}`).toBeTypeOf('string');
			expect(reading.sample.count).toBe(0);
		}
	}
});

test('damaged dumps never throw, and never have more rows than headers', () => {
	const random = below(20_261_120);
	const reading = new DumpReading();
	const pieces = [
		'\n',
		'"',
		'\t',
		'" #',
		'tid=0x',
		'\n\n"x" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable [0x1]\n',
		'\tat ',
		')',
		'JNI global refs: 1\n',
		'   Mounted virtual thread #5\n',
		'   Carrying virtual thread #5\n',
		'\t- locked <0x',
		'\u0000',
		'ÿ',
	];
	const sources = dumpNames.filter(name =>
		/eliminated|odd|compiling|28-threaddump$|8-threaddump$/.test(name) && name !== '8-compiling').map(name => dump(name));
	const wrong: string[] = [];
	for (let round = 0; round < 1500; round++) {
		const source = sources[random(sources.length)];
		let bytes = Buffer.from(source);
		for (let change = random(8); change >= 0; change--) {
			const at = random(bytes.length);
			const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
			const from = random(source.length);
			bytes = Buffer.concat([
				[head, Uint8Array.of(random(256)), tail.subarray(1)],
				[head, tail.subarray(random(200))],
				[head, Buffer.from(pieces[random(pieces.length)], 'latin1'), tail],
				[head, source.subarray(from, from + random(500)), tail],
			][random(4)]);
		}

		const problem = reading.parse(bytes);
		const {sample} = reading;
		expect(sample.count).toBeLessThanOrEqual(problem
			? 0
			: bytes.toString('latin1').match(/^"|Mounted virtual thread/gm)?.length ?? 0);
		for (let row = 0; row < sample.count; row++) {
			if (
				!(sample.stackStart[row] + sample.stackLength[row] <= sample.frameCount
					&& sample.lockOwner[row] < sample.count && sample.state[row] < 7)
			) {
				wrong.push(`round ${round}, row ${row}`);
			}
		}
	}

	expect(wrong).toEqual([]);
});

test('bytes that are no dump at all', () => {
	const random = below(7);
	const reading = new DumpReading();
	for (let round = 0; round < 300; round++) {
		const bytes = Buffer.from(Array.from({length: random(400)}, () => random(256)));
		expect(reading.parse(bytes)).toBeTypeOf('string');
		expect(reading.parse(Buffer.concat([Buffer.from('2026-01-01 00:00:00\nFull thread dump X:\n'), bytes])))
			.toBeTypeOf('string');
	}
});

const falseParts = [
	'"VM Thread" os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f0000000001 nid=0x99 runnable  ',
	'x" #5 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f0000000001 nid=0x99 runnable  [0x00007f0000000000]',
	'x" #5 [99] daemon prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f0000000001 nid=99 runnable  [0x00007f0000000000]',
	'   java.lang.Thread.State: RUNNABLE',
	'\tat Fake.frame(Fake.java:1)',
	'\t- locked <0x00000000ffd23eb0> (a java.lang.Object)',
	'   Mounted virtual thread #77',
	'   Carrying virtual thread #77',
	'JNI global refs: 12, weak refs: 0',
	'Threads class SMR info:',
	'_java_thread_list=0x00007f411c002000, length=1, elements={',
	'0x00007f0000000001',
	'}',
	'Full thread dump OpenJDK 64-Bit Server VM (8)',
	'"',
	'" #1 ',
	'',
];

test.each(['11-eliminated', '17-eliminated', '21-eliminated', '26-eliminated'])(
	'%s: no name adds a thread or a frame',
	name => {
		const text = dump(name).toString('latin1');
		const plain = read(dump(name));
		const random = below(99);
		const reading = new DumpReading();
		for (let round = 0; round < 400; round++) {
			const parts = Array.from({length: 1 + random(6)}, () => falseParts[random(falseParts.length)]);
			const hostile = parts.join(random(5) === 0 ? '\r\n' : '\n');
			const victim = ['"main" #', '"Finalizer" #', '"Common-Cleaner" #'][random(3)];
			const changed = Buffer.from(text.replace(victim, () => `"${hostile}" #`), 'latin1');
			expect(reading.parse(changed), hostile).toBeUndefined();
			const rows = reading.rows();
			expect(rows.map(row => [row.key, row.state, row.frames, row.lock, row.owner]))
				.toEqual(plain.map(row => [row.key, row.state, row.frames, row.lock, row.owner]));
		}
	},
);

test('a dump that names threads which it does not show is not counted', () => {
	const text = dump('17-eliminated').toString('latin1');
	const reading = new DumpReading();
	expect(reading.parse(Buffer.from(text.replace(/^"Finalizer"[^]*?\n\n/m, ''), 'latin1')))
		.toMatch(/announces 12 threads but shows \d+/);
});

// A search that starts anew at every quote of such a name takes more than half a minute.
const patience = 10_000;
const quotesBytes = 1030 * 1024;

/** The dump with a name of this many bytes, all quotes and line feeds, for one of its threads. */
function withQuotes(name: string): Buffer {
	return Buffer.from(
		dump(name).toString('latin1').replace('"Finalizer" #', () => `"${'"\n'.repeat(quotesBytes / 2)}" #`),
		'latin1',
	);
}

test.each(['8-eliminated', '11-eliminated', '17-eliminated', '26-eliminated'])(
	'%s: a name of more than a megabyte, full of quotes, is one where threads are listed, and hides no other thread',
	{timeout: patience},
	name => {
		const rows = read(withQuotes(name));
		const plain = read(dump(name));
		expect(rows.map(row => [row.key, row.state, row.frames]))
			.toEqual(plain.map(row => [row.key, row.state, row.frames]));
		expect(rows.some(row => /^(?:"\\x0a)+.*…$/.test(row.name))).toBe(!name.startsWith('8'));
	},
);

test('17-eliminated: quotes without end, and a thread that never comes', {timeout: patience}, () => {
	const bytes = withQuotes('17-eliminated');
	bytes.write('tid=0x1', bytes.indexOf('tid=0x', quotesBytes), 'latin1');
	expect(new DumpReading().parse(bytes)).toMatch(/announces 12 threads but shows \d$/);
});

test.each([['with a list', true], ['without one', false]])(
	'a dump of very many threads, %s, is refused in words',
	(_, hasList) => {
		const count = 65_537;
		const numbers = Array.from({length: count}, (_, index) => index + 1);
		const list = `Threads class SMR info:\n_java_thread_list=0x1, length=${count}, elements={\n${
			numbers.map(number => `0x${number.toString(16)}`).join(',\n')
		}\n}\n\n`;
		const header = (number: number) =>
			`"t${number}" #${number} prio=5 os_prio=0 tid=0x${number.toString(16)} nid=0x1 runnable  [0x0000000000000001]\n\n`;
		const dumpOf = (threads: number[], top: string) =>
			Buffer.from(`2026-01-01 00:00:00\nFull thread dump VM (17 mixed mode):\n\n${top}${threads.map(number => header(number)).join('')}JNI global refs: 12, weak refs: 0\n\n`);
		const reading = new DumpReading();
		expect(reading.parse(dumpOf(numbers, hasList ? list : '')))
			.toBe('the thread dump has more than 65,536 threads: too many to sample this way');
		expect(reading.sample.count).toBe(0);
		if (!hasList) {
			expect(reading.parse(dumpOf(numbers.slice(1), ''))).toBeUndefined();
			expect(reading.sample.count).toBe(65_536);
		}
	},
);
