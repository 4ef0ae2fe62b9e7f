import {describe, expect, test} from 'vitest';
import {planBatch} from '../../source/commands/batch.js';
import {UserError} from '../../source/runtime/errors.js';
import {parseCommandLine, type CommandLine} from '../../source/commands/command-line.js';
import {commands} from '../../source/commands/command-registry.js';
import {helpText} from '../../source/options/help.js';
import {longForm} from '../../source/options/option.js';
import type {Options} from '../../source/options/parse.js';
import {queryOfOptions} from '../../source/options/query-options.js';
import {optionRows} from '../../source/options/table.js';
import {parseFilter} from '../../source/query/filter/filter.js';
import {stateCode, threadStates} from '../../source/model/thread-state.js';

const utf8: NodeJS.ProcessEnv = {LANG: 'C.UTF-8'};

function commandLine(line: string, environment = utf8): CommandLine {
	const parsed = parseCommandLine(line.split(' ').filter(Boolean), environment);
	if (parsed === 'version') {
		throw new Error('the version');
	}

	return parsed;
}

function options(line: string, environment = utf8): Options {
	return commandLine(line, environment).options;
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
		['4711', 'profile', '4711'],
		['', 'choose', undefined],
		['list', 'list', undefined],
		['open a.pb.gz', 'open', 'a.pb.gz'],
		['open --last', 'open', undefined],
		['-- list.jar', 'profile', 'list.jar'],
		['profile', 'profile', 'profile'],
		['-p 4711', 'profile', '4711'],
		['--pid=4711 -b', 'profile', '4711'],
		['record 4711 -o x.tprof', 'record', '4711'],
		['diff a@1:00..1:01 4712', 'diff', ['a@1:00..1:01', '4712']],
		['trace 1 a.B#c() *Dao', 'trace', {target: '1', patterns: ['a.B#c', '*Dao']}],
		['watch --all --when deadlock', 'watch', undefined],
		['push --all', 'push', undefined],
		['help', 'help', undefined],
		['help open', 'help', undefined],
		['-h', 'help', undefined],
		['1 --help', 'help', undefined],
		['--help --version --interval 0', 'help', undefined],
	])('"%s" is %s, with %j', (line, name, given) => {
		const {call} = commandLine(line);
		expect(call.command.name).toBe(name);
		expect(call.given).toEqual(given);
	});

	test.each(['--version', '1 -V', 'list --version --interval 0'])('"%s" asks for the version', line => {
		expect(parseCommandLine(line.split(' '))).toBe('version');
	});

	test.each([
		['diff a', 'diff needs two sides'],
		['diff a b c', 'unexpected argument'],
		['record', 'record needs a target'],
		['record 1 --at 14:00', 'does not apply'],
		['1 -p 2', 'unexpected argument'],
		['1 2', 'unexpected argument'],
		['open', 'file'],
		['open --threads main a.pb.gz', '--threads does not apply to tprof-top open'],
		['list -b', '--batch does not apply to tprof-top list'],
		['list --iterations 3', '--iterations does not apply to tprof-top list'],
		['open --duration 3 a.tprof', '--duration does not apply to tprof-top open'],
		['record --format json -o a.tprof 1', '--format does not apply to tprof-top record'],
		['watch --all --when deadlock --view tree', '--view does not apply to tprof-top watch'],
		['push --output a 1 --to http://x', '--output does not apply to tprof-top push'],
		['record 1 --exec true', '--exec needs --when'],
		['record 1 --max-files 3', '--max-files needs --when'],
		['open a.tprof --at 14:00 --to 15:00', '--at excludes --from and --to'],
	])('"%s" is refused: %s', (line, message) => {
		expect(usageError(line).message).toContain(message);
	});
});

describe('the options', () => {
	test.each<[string, Partial<Options>]>([
		['1', {
			engine: 'auto',
			timer: 'auto',
			maxOverheadPercent: 2,
			maxCpuPercent: 5,
			by: 'line',
			batch: false,
			color: true,
			ascii: false,
			reverse: false,
			filter: '',
			format: 'text',
			sort: undefined,
			view: undefined,
			idleCalls: [],
		}],
		['record 1 --when cpu>300,blocked>20,stuck>10s,gc>20%,deadlock', {
			when: [{figure: 'cpu', above: 300}, {figure: 'blocked', above: 20}, {figure: 'stuck', above: 10}, {
				figure: 'gc',
				above: 20,
			}, {figure: 'deadlock', above: 0}],
		}],
		['1 --delay=0.5 --max-overhead 0.5 --max-cpu 10 --snapshot-dir /tmp', {
			delayS: 0.5,
			maxOverheadPercent: 0.5,
			maxCpuPercent: 10,
			snapshotDir: '/tmp',
		}],
		// Letters may stand together.
		['-bn 3 1', {batch: true, iterations: 3}],
		['-bd0.5 1', {batch: true, delayS: 0.5}],
		['1 --no-color', {color: false}],
		['1 --idle-calls a.B.c,d.E.f', {idleCalls: ['a.B.c', 'd.E.f']}],
		['1 --events alloc --sort alloc', {events: ['alloc'], sort: 'alloc'}],
		['1 --events starts,exceptions,alloc', {events: ['alloc', 'exceptions', 'starts']}],
		['1 --measure alloc --format html', {measure: 'alloc'}],
		['--state active 1', {states: ['RUNNABLE', 'BLOCKED']}],
		['--state blocked,timed-waiting 1', {states: ['BLOCKED', 'TIMED_WAITING']}],
		['open --depth 3 --format votes a.pb.gz', {depth: 3}],
		['open --idle-calls a.B.c --interval 20 a.pb.gz', {intervalMs: 20}],
		['demo --interval 20', {intervalMs: 20}],
		['list --no-color --ascii', {ascii: true}],
	])('%s: %j', (line, expected) => {
		expect(options(line)).toMatchObject(expected);
	});

	test.each(['--format json', '-n 2', '--duration 3', '-o x'])('%s asks for a report, not for the screen', line => {
		expect(options(`${line} 1`).batch).toBe(true);
	});

	test.each([[{NO_COLOR: '1'}, false], [{TERM: 'dumb'}, false], [{NO_COLOR: '', TERM: 'xterm'}, true]])(
		'with %j in the environment colour is %j',
		(environment, color) => {
			expect(options('1', environment).color).toBe(color);
		},
	);

	test.each<[NodeJS.ProcessEnv, boolean]>([
		[{}, true],
		[{LANG: ''}, true],
		[{LANG: 'C'}, true],
		[{LANG: 'en_US'}, true],
		[{LANG: 'de_DE.ISO-8859-15@euro'}, true],
		[{LANG: 'C.UTF-8'}, false],
		[{LANG: 'ca_ES.utf8@valencia', LC_CTYPE: ''}, false],
		[{LANG: 'en_US.UTF-8', LC_CTYPE: 'C'}, true],
		[{LANG: 'C', LC_CTYPE: 'en_US.UTF-8'}, false],
		[{LANG: 'en_US.UTF-8', LC_CTYPE: 'en_US.UTF-8', LC_ALL: 'POSIX'}, true],
		[{LANG: 'C', LC_CTYPE: 'C', LC_ALL: 'en_US.UTF-8'}, false],
		[{LANG: 'en_US.UTF-8', TERM: 'linux'}, true],
	])('with %j in the environment, whether only ASCII is used is %j', (environment, ascii) => {
		expect(options('1', environment).ascii).toBe(ascii);
		expect(options('--ascii 1', environment).ascii).toBe(true);
	});

	test.each([
		['1', 'self', false],
		['--view threads 1', 'cpu', false],
		['--view threads --sort NAME --reverse 1', 'name', true],
		['--sort %total 1', 'total', false],
	])('%s: sorted by %s', (line, column, reverse) => {
		expect(queryOfOptions(options(line)).sort).toEqual({column, reverse});
		expect(() => queryOfOptions(options('--sort name 1'))).toThrow('unknown column in --sort: "name"');
	});

	const isRefused = (line: string) => {
		expect(usageError(line).message.length).toBeGreaterThan(10);
	};

	test.each([
		'--interval 0 1',
		'--interval x 1',
		'--depth 1.5 1',
		'--max-overhead 0 1',
		'--engine jfr 1',
		'--format yaml 1',
		'--view beauty 1',
	])('%s is refused with a hint', isRefused);
	test.each(['--state HOT 1', '--state , 1', '--threads ,, 1', '--idle-calls wait() 1', '--idle-calls , 1', '--events gc 1', '--filter state:HOT 1'])(
		'so is %s',
		isRefused,
	);
	test.each(['cpu', 'cpu<3', 'heap>2', ',', 'deadlock>1'].map(when => `record 1 --when ${when}`))(
		'so is %s',
		isRefused,
	);
	test.each([
		'--no-batch 1',
		'-bq 1',
		'-bd 2 -d 3 1',
		'--delay 1 --delay 2 1',
		'1 --interval',
		'1 --format',
		'1 --interval --depth 3',
	])('so is %s', isRefused);

	test.each([
		['--fromat json 1', '--fromat', 'did you mean --format? '],
		['--iter 3 1', '--iter', 'did you mean --iterations? '],
		['--no-colour 1', '--no-colour', 'did you mean --no-color? '],
		['--snapshotdir /tmp 1', '--snapshotdir', 'did you mean --snapshot-dir? '],
		['-v', '-v', 'did you mean -V? '],
		['-q 1', '-q', ''],
		['--constructor 1', '--constructor', ''],
	])('%s: the nearest option is named, if one is near', (line, unknown, guess) => {
		expect(usageError(line)).toMatchObject({
			message: `unknown option ${unknown}`,
			hint: `${guess}tprof-top --help lists the options`,
		});
	});

	test.each(['R', 'r', 'w', '.', 'Waiting', 'waiting', 'timed-waiting', 'TIMED_WAITING', 'ALL', 'active,idle'])(
		'--state %s means what state: means in a filter',
		list => {
			const {states} = options(`--state ${list} 1`);
			const parsed = parseFilter(`state:${list}`);
			expect(parsed.ok
				&& threadStates.filter(state => (parsed.filter.stateMask! & (1 << stateCode[state])) !== 0))
				.toEqual(threadStates.filter(state => states!.includes(state)));
		},
	);

	test('no two entries have a name or a letter in common, and each default is a value; the help has all', () => {
		const spellings = optionRows.flatMap(([, {name, short}]) => [name, ...(short ? [short] : [])]);
		expect(new Set(spellings).size).toBe(spellings.length);
		for (const [, option] of optionRows) {
			if (option.value !== undefined && option.default !== undefined) {
				expect(option.read(option.default, option.name)).not.toBeUndefined();
			}

			expect(helpText(commands), option.name).toContain(`${longForm(option)} `);
		}
	});

	test('--app says what own code is, and has it come first', () => {
		const query = (line: string) => queryOfOptions(options(`1 ${line}`));
		expect(query('')).toMatchObject({ownFirst: false});
		expect(query('--own-first')).toMatchObject({ownFirst: true});
		expect(query('--app com.acme,!com.acme.gen')).toMatchObject({
			ownFirst: true,
			app: ['com.acme', '!com.acme.gen'],
		});
		expect(() => query('--app com(acme')).toThrow('"com(acme" is not a package');
	});
});

describe('when batch reports come', () => {
	const comes = (asked: Parameters<typeof planBatch>[0], count: number, windowMs: number) => {
		expect(planBatch(asked)).toEqual({count, windowMs});
	};

	test.each([[{}, 1, 5000], [{iterations: 3}, 3, 5000], [{delayS: 2}, 1, 2000], [{durationS: 10}, 1, 10_000]])(
		'%o: %i, each of %i ms',
		comes,
	);
	test.each([[{iterations: 4, delayS: 0.5}, 4, 500], [{iterations: 4, durationS: 10}, 4, 2500]])(
		'%o: %i, each of %i ms',
		comes,
	);
	test.each([[{delayS: 0.1, durationS: 0.3}, 3, 100], [{delayS: 20, durationS: 10}, 1, 10_000]])(
		'%o: %i, each of %i ms',
		comes,
	);
});
