import {describe, expect, test} from 'vitest';
import {planBatch} from '../../source/commands/batch.js';
import {UserError} from '../../source/runtime/errors.js';
import {helpText, longForm} from '../../source/options/help.js';
import {parseOptions, type Options} from '../../source/options/parse.js';
import {queryOf} from '../../source/options/query-options.js';
import {optionRows} from '../../source/options/table.js';
import {parseFilter} from '../../source/query/filter/filter.js';
import {stateCode, threadStates} from '../../source/model/thread-state.js';

function options(line: string, environment: NodeJS.ProcessEnv = {}): Options {
	const parsed = parseOptions(line.split(' ').filter(Boolean), environment);
	if ('print' in parsed) {
		throw new Error(`printed ${parsed.print}`);
	}

	return parsed.options;
}

function usageError(line: string): UserError {
	try {
		options(line);
	} catch (error) {
		expect(error).toBeInstanceOf(UserError);
		expect((error as UserError).exitCode).toBe(2);
		expect((error as UserError).hint).not.toBe('');
		return error as UserError;
	}

	throw new Error(`"${line}" was accepted`);
}

describe('the command', () => {
	test.each([
		['4711', {kind: 'profile', target: '4711'}],
		['OrderService', {kind: 'profile', target: 'OrderService'}],
		['', {kind: 'choose'}],
		['list', {kind: 'list'}],
		['demo', {kind: 'demo'}],
		['open a.pb.gz', {kind: 'open', file: 'a.pb.gz'}],
		['-- list.jar', {kind: 'profile', target: 'list.jar'}],
		['-p 4711', {kind: 'profile', target: '4711'}],
		['--pid=4711 -b', {kind: 'profile', target: '4711'}],
		['record 4711 -o x.tprof', {kind: 'record', target: '4711'}],
		['diff a@1:00..1:01 4712', {kind: 'diff', sides: ['a@1:00..1:01', '4712']}],
		['watch --all --when deadlock', {kind: 'watch'}],
	])('"%s"', (line, command) => {
		expect(options(line).command).toEqual(command);
	});

	test.each(['help', 'help open', '-h', '--help', '1 --help'])('"%s" is asked for the help', line => {
		expect(parseOptions(line.split(' '))).toEqual({print: 'help'});
	});

	test.each(['-V', '--version'])('"%s" is asked for the version', line => {
		expect(parseOptions([line])).toEqual({print: 'version'});
	});

	test('one target at a time; open needs a file, diff two sides', () => {
		expect(usageError('diff a').message).toBe('diff needs two sides');
		expect(usageError('diff a b c').message).toContain('unexpected argument');
		expect(usageError('record').message).toBe('record needs a target');
		expect(usageError('record 1 --at 14:00').message).toContain('does not apply');
		expect(usageError('1 -p 2').message).toContain('unexpected argument');
		expect(usageError('opne a.pb.gz').hint).toBe('did you mean tprof-top open?');
		expect(usageError('1 2').message).toContain('unexpected argument');
		expect(usageError('open').message).toContain('file');
	});
});

describe('the options', () => {
	test('have defaults', () => {
		expect(options('1')).toMatchObject({
			engine: 'auto', timer: 'auto', maxOverheadPercent: 2, maxCpuPercent: 5, by: 'line', batch: false, color: true, ascii: false, reverse: false, filter: '', format: 'text', sort: undefined, view: undefined, idleCalls: [],
		});
	});

	test('--when takes conditions joined by commas', () => {
		expect(options('record 1 --when cpu>300,blocked>20,stuck>10s,gc>20%,deadlock').when).toEqual([
			{figure: 'cpu', above: 300}, {figure: 'blocked', above: 20}, {figure: 'stuck', above: 10}, {figure: 'gc', above: 20}, {figure: 'deadlock', above: 0},
		]);
		for (const wrong of ['cpu', 'cpu<3', 'heap>2', ',', 'deadlock>1']) {
			expect(usageError(`record 1 --when ${wrong}`).hint).toContain('cpu>300');
		}
	});

	test('are read in any spelling', () => {
		expect(options('-d 2 -n 3 -b -o out.txt 1')).toMatchObject({delayS: 2, iterations: 3, batch: true, output: 'out.txt'});
		expect(options('1 --delay=0.5 --max-overhead 0.5 --max-cpu 10 --snapshot-dir /tmp')).toMatchObject({delayS: 0.5, maxOverheadPercent: 0.5, maxCpuPercent: 10, snapshotDir: '/tmp'});
	});

	test('the column to sort by is one of the view\'s', () => {
		expect(queryOf(options('1')).sort).toEqual({column: 'self', reverse: false});
		expect(queryOf(options('--view threads 1')).sort.column).toBe('cpu');
		expect(queryOf(options('--view threads --sort NAME --reverse 1')).sort).toEqual({column: 'name', reverse: true});
		expect(queryOf(options('--sort %total 1')).sort.column).toBe('total');
		expect(() => queryOf(options('--sort name 1'))).toThrow('unknown column in --sort: "name"');
	});

	test('what asks for a report is batch', () => {
		for (const line of ['-b 1', '--format json 1', '-n 2 1', '--duration 3 1', '-o x 1']) {
			expect(options(line).batch, line).toBe(true);
		}
	});

	test('no colour by option, NO_COLOR and TERM=dumb', () => {
		expect(options('1 --no-color').color).toBe(false);
		expect(options('1', {NO_COLOR: '1'}).color).toBe(false);
		expect(options('1', {TERM: 'dumb'}).color).toBe(false);
		expect(options('1', {NO_COLOR: '', TERM: 'xterm'}).color).toBe(true);
	});

	test.each([
		'--interval 0 1',
		'--interval x 1',
		'--depth 0 1',
		'--depth 1.5 1',
		'--delay 0 1',
		'--top 0 1',
		'--max-overhead 0 1',
		'--iterations 0 1',
		'--engine jfr 1',
		'--by package 1',
		'--format yaml 1',
		'--state HOT 1',
		'--state , 1',
		'--threads , 1',
		'--threads ,, 1',
		'--nonsense 1',
		'--idle-calls wait() 1',
		'-q 1',
		'--no-batch 1',
		'-bq 1',
		'-bd 2 -d 3 1',
		'--view beauty 1',
		'--filter state:HOT 1',
		'--delay 1 --delay 2 1',
		'1 --interval',
		'1 --format',
		'1 --interval --depth 3',
	])('%s is refused with a hint', line => {
		expect(usageError(line).message.length).toBeGreaterThan(10);
	});

	test.each([
		['--fromat json 1', '--fromat', '--format'],
		['--iter 3 1', '--iter', '--iterations'],
		['--no-colour 1', '--no-colour', '--no-color'],
		['--snapshotdir /tmp 1', '--snapshotdir', '--snapshot-dir'],
		['-v', '-v', '-V'],
		['-N 3 1', '-N', '-n'],
	])('%s: the nearest option is named', (line, unknown, meant) => {
		const {message, hint} = usageError(line);
		expect(message).toBe(`unknown option ${unknown}`);
		expect(hint).toBe(`did you mean ${meant}? tprof-top --help lists the options`);
	});

	test('an option that is like none has no guess', () => {
		for (const line of ['--nonsense 1', '-q 1', '--x 1', '--constructor 1']) {
			expect(usageError(line)).toMatchObject({message: `unknown option ${line.split(' ')[0]}`, hint: 'tprof-top --help lists the options'});
		}
	});

	test('calls that count as idle', () => {
		expect(options('1 --idle-calls a.B.c,d.E.f').idleCalls).toEqual(['a.B.c', 'd.E.f']);
	});

	test('states by set, name and letter', () => {
		expect(options('--state active 1').states).toEqual(['RUNNABLE', 'BLOCKED']);
		expect(options('--state blocked,timed-waiting 1').states).toEqual(['BLOCKED', 'TIMED_WAITING']);
		expect(options('--state R,w 1').states).toEqual(['RUNNABLE', 'WAITING']);
	});

	test.each(['R', 'r', 'B', 'W', 'w', 'T', 't', 'I', '.', 'N', 'Waiting', 'timed-waiting', 'TIMED_WAITING', 'ALL', 'active,idle', 'terminated'])('--state %s means what state: means in a filter', list => {
		const {states} = options(`--state ${list} 1`);
		const parsed = parseFilter(`state:${list}`);
		expect(parsed.ok && threadStates.filter(state => (parsed.filter.stateMask! & (1 << stateCode[state])) !== 0)).toEqual(threadStates.filter(state => states!.includes(state)));
	});

	test.each([
		'open --threads main a.pb.gz',
		'list -b',
		'list --duration 3',
	])('%s: an option that the command has no use for is refused', line => {
		expect(usageError(line).message).toMatch(/^--\w+ does not apply to tprof-top \w+$/);
	});

	test.each(['open --depth 3 --format votes a.pb.gz', 'open --interval 20 --max-overhead 100 a.pb.gz', 'open --idle-calls a.B.c a.pb.gz', 'demo --interval 20', '--engine attach', 'list --no-color --ascii', 'list --format json'])('%s is taken', line => {
		expect(() => options(line)).not.toThrow();
	});

	test('letters may stand together', () => {
		expect(options('-bn 3 1')).toMatchObject({batch: true, iterations: 3});
		expect(options('-bd0.5 1')).toMatchObject({batch: true, delayS: 0.5});
	});

	test('no two records have a name or a letter in common, and each default is a value', () => {
		const spellings = optionRows.flatMap(([, {name, short}]) => [name, ...(short ? [short] : [])]);
		expect(new Set(spellings).size).toBe(spellings.length);
		for (const [, option] of optionRows) {
			expect(() => option.value !== undefined && option.default !== undefined && option.read(option.default, option.name)).not.toThrow();
		}
	});

	test('the help names every option once', () => {
		for (const [, option] of optionRows) {
			expect(helpText().split(`${longForm(option)} `).length - 1, option.name).toBeGreaterThanOrEqual(1);
		}
	});
});

test('--app says what own code is, and has it come first', () => {
	const query = (line: string) => queryOf(options(`1 ${line}`));
	expect(query('')).not.toHaveProperty('ownFirst');
	expect(query('--own-first')).toMatchObject({ownFirst: true});
	expect(query('--app com.acme,!com.acme.gen')).toMatchObject({ownFirst: true, app: ['com.acme', '!com.acme.gen']});
	expect(() => query('--app com(acme')).toThrow('"com(acme" is not a package');
	expect(() => query('--app ,')).toThrow('needs at least one package');
});

describe('when batch reports come', () => {
	test.each([
		[{}, 1, 5000],
		[{iterations: 3}, 3, 5000],
		[{delayS: 2}, 1, 2000],
		[{durationS: 10}, 1, 10_000],
		[{iterations: 4, delayS: 0.5}, 4, 500],
		[{iterations: 4, durationS: 10}, 4, 2500],
		[{delayS: 0.1, durationS: 0.3}, 3, 100],
		[{delayS: 20, durationS: 10}, 1, 10_000],
	])('%o', (asked, count, windowMs) => {
		expect(planBatch(asked)).toEqual({count, windowMs});
	});

	test('three that disagree are refused', () => {
		expect(() => planBatch({iterations: 2, delayS: 1, durationS: 5})).toThrow(UserError);
	});
});
