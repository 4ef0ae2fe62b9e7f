import {execFileSync} from 'node:child_process';
import {
	chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import fc from 'fast-check';
import {configured, keepColumns, maxConfigBytes, readConfigFile, sudoNote} from '../../source/config/configure.js';
import {parseSettings, fields} from '../../source/config/fields.js';
import {noConfiguration, type Options} from '../../source/options/parse.js';
import {parseCommandLine} from '../../source/commands/command-line.js';
import {isRoot} from '../helpers/users.js';
import {sharedFolder} from '../helpers/for-test.js';
import {runCli} from '../helpers/run.js';

const folder = sharedFolder();

/** A new file with this text. */
function file(text: string): string {
	const name = path.join(mkdtempSync(path.join(folder, 'of-')), 'config.json');
	writeFileSync(name, text);
	return name;
}

type Surroundings = {readonly isScreen?: boolean; readonly environment?: NodeJS.ProcessEnv};

const utf8: NodeJS.ProcessEnv = {LANG: 'C.UTF-8'};

async function options(line: string, {isScreen = true, environment = utf8}: Surroundings = {}): Promise<Options> {
	const parsed = parseCommandLine(line.split(' '), environment);
	if (parsed === 'version') {
		throw new Error('the version');
	}

	const {call: {command}, options: typed, given} = parsed;
	return configured({...typed, onScreen: isScreen}, {command, given, environment});
}

test('the command line goes before the file, and the file before the defaults; what is for the screen changes no report', async () => {
	const config
		= file('{"interval": 50, "delay": 3, "view": "threads", "color": false, "idle-calls": ["a.B.c", "d.E.f"], "idle": true}');
	expect(await options(`--config ${config} 1`)).toMatchObject({
		intervalMs: 50,
		delayS: 3,
		view: 'threads',
		color: false,
		idleCalls: ['a.B.c', 'd.E.f'],
		idle: true,
		ascii: false,
	});
	expect(await options(`--config=${config} --delay 1 --view tree 1`)).toMatchObject({
		intervalMs: 50,
		delayS: 1,
		view: 'tree',
	});
	expect(await options('--no-config 1', {environment: {XDG_CONFIG_HOME: path.dirname(config)}})).toMatchObject({
		intervalMs: undefined,
		config: false,
		configuration: noConfiguration,
	});
	expect(await options(`--config ${config} -b 1`, {isScreen: false})).toMatchObject({
		intervalMs: 50,
		delayS: undefined,
		view: undefined,
		idle: false,
	});
});

test('it is where the XDG base directories are, and NO_COLOR goes before it', async () => {
	const home = path.join(folder, 'home');
	mkdirSync(path.join(home, '.config/tprof-top'), {recursive: true});
	writeFileSync(path.join(home, '.config/tprof-top/config.json'), '{"delay": 7, "color": true}');
	expect(await options('1', {environment: {HOME: home, XDG_CONFIG_HOME: '/etc/xdg'}})).toMatchObject({
		configuration: {file: '/etc/xdg/tprof-top/config.json'},
	});
	expect(await options('1', {environment: {HOME: home, XDG_CONFIG_HOME: 'relative', NO_COLOR: '1'}})).toMatchObject({
		delayS: 7,
		color: false,
	});
	expect(await options('list', {environment: {HOME: home}})).toMatchObject({configuration: noConfiguration});
	expect(await options('1', {environment: {HOME: '/nowhere'}})).toMatchObject({
		delayS: undefined,
		configuration: {faults: [], file: '/nowhere/.config/tprof-top/config.json'},
	});
});

test('faults are told with file and line; only a file that is asked for and cannot be read is fatal', async () => {
	const config = file('{\n"delay": 0,\n"interval": 20\n}');
	const {configuration, intervalMs} = await options(`--config ${config} 1`);
	expect(configuration.faults).toEqual([`${config}:2: "delay" must be a number from 0.1 to 86400`]);
	expect(intervalMs).toBe(20);
	const missing = path.join(folder, 'missing.json');
	const fatal = (problem: string) => ({
		message: expect.stringContaining(problem) as string,
		hint: expect.stringContaining('--no-config') as string,
		exitCode: 2,
	});
	await expect(options(`--config ${missing} 1`)).rejects.toMatchObject(fatal(`${missing}: there is no such file`));
	await expect(options(`--config ${folder} 1`)).rejects.toMatchObject(fatal('it is not a regular file'));
});

test('only regular files of a bounded size are read', () => {
	expect(readConfigFile('/dev/zero')).toEqual({problem: 'it is not a regular file'});
	expect(readConfigFile(folder)).toEqual({problem: 'it is not a regular file'});
	const pipe = path.join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	expect(readConfigFile(pipe)).toEqual({problem: 'it is not a regular file'});
	expect(readConfigFile(file('x'.repeat(maxConfigBytes)))).toHaveProperty('text');
	expect(readConfigFile(file('x'.repeat(maxConfigBytes + 1)))).toEqual({problem: 'it is larger than 64 KB'});
	expect(readConfigFile(path.join(folder, 'none'))).toBe('none');
});

test('columns are kept beside what else is in the file, comments too', async () => {
	const config = file('{\n\t// mine\n\t"delay": 2, // seconds\n}\n');
	chmodSync(config, 0o640);
	const link = path.join(path.dirname(config), 'link.json');
	symlinkSync(config, link);
	expect(await keepColumns(link, 'lines', ['self', 'line'])).toBe(`columns kept in ${link}`);
	expect(lstatSync(link).isSymbolicLink()).toBe(true);
	const text = readFileSync(config, 'utf8');
	expect(text).toContain('// mine');
	expect(text).toContain('// seconds');
	expect(statSync(config).mode & 0o777).toBe(0o640);
	await keepColumns(config, 'tree', ['total', 'self']);
	expect(parseSettings(readFileSync(config, 'utf8'))).toMatchObject({
		faults: [],
		settings: {columns: {lines: ['self', 'line'], tree: ['total', 'self']}},
	});
	await keepColumns(config, 'lines', undefined);
	expect(parseSettings(readFileSync(config, 'utf8')).settings.columns).toEqual({tree: ['total', 'self']});
});

test('a file that there is not yet is made, for its owner alone; a broken one stays as it is', async () => {
	const fresh = path.join(folder, 'new/tprof-top/config.json');
	await keepColumns(fresh, 'lines', ['self', 'line']);
	expect(parseSettings(readFileSync(fresh, 'utf8')).settings.columns).toEqual({lines: ['self', 'line']});
	expect(statSync(fresh).mode & 0o777).toBe(0o600);
	const broken = file('{\n"delay": 1\n"view": "tree"}');
	await expect(keepColumns(broken, 'lines', ['self'])).rejects
		.toThrow(`${broken}:3: not JSON: comma expected; fix it first`);
	expect(readFileSync(broken, 'utf8')).toBe('{\n"delay": 1\n"view": "tree"}');
});

test.runIf(isRoot)('root writes nothing of another user\'s, and says whose configuration is read', async () => {
	const home = path.join(folder, 'alice');
	mkdirSync(home);
	execFileSync('chown', ['12345', home]);
	const config = path.join(home, '.config/tprof-top/config.json');
	await expect(keepColumns(config, 'lines', ['self'])).rejects.toThrow('belongs to another user');
	expect(existsSync(path.join(home, '.config'))).toBe(false);
	const ours = path.join(folder, 'ours');
	mkdirSync(ours);
	symlinkSync(ours, path.join(home, '.config'));
	await expect(keepColumns(config, 'lines', ['self'])).rejects.toThrow('belongs to another user');
	expect(readdirSync(ours)).toEqual([]);
	rmSync(path.join(home, '.config'));
	const passwd = path.join(folder, 'passwd');
	writeFileSync(passwd, `root:x:0:0::/root:/bin/sh\nalice:x:12345:12345::${home}:/bin/sh\n`);
	const note = (at: string) => sudoNote(at, {SUDO_USER: 'alice'}, passwd);
	expect(note('/nowhere/config.json')).toBeUndefined();
	mkdirSync(path.dirname(config), {recursive: true});
	writeFileSync(config, '{}');
	expect(note('/nowhere/config.json')).toBe(`run by sudo: root has no configuration; for yours: --config ${config}`);
	const own = file('{}');
	expect(note(own)).toBe(`run by sudo: the configuration is ${own}, not ${config}`);
	expect(note(config)).toBe(`run by sudo: the configuration is ${config}`);
	expect(sudoNote(own, {}, passwd)).toBeUndefined();
});

test('the program says what is wrong with it and goes on', async () => {
	const config = file('{\n"delya": 1}');
	const {status, stdout, stderr} = await runCli(
		'open',
		path.resolve(import.meta.dirname, '../../demo/recording.tprof'),
		'--config',
		config,
	);
	expect({status, stderr}).toEqual({
		status: 0,
		stderr: `tprof-top: ${config}:2: there is no setting "delya"; did you mean "delay"?\n`,
	});
	expect(stdout).toContain('demo.Pricing');
});

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const [, example] = /```jsonc\n([\s\S]*?)```/.exec(page)!;

test('the example of the documentation is right, and has every field there is', () => {
	const {settings, faults, isEditable} = parseSettings(example);
	expect({faults, isEditable}).toEqual({faults: [], isEditable: true});
	expect(settings.options.get('interval')).toBe('50');
	expect(settings.options.get('idle-calls')).toBe('org.acme.Native.waitForWork');
	expect(settings.columns).toEqual({lines: ['self', 'ticks', 'state', 'line', 'note']});
	expect([...settings.colors]).toEqual([['hot', 'bold bright-yellow'], ['waiting', '39'], ['selected', 'reverse']]);
	expect([...settings.packages]).toEqual([['com.acme.shop', 'shop'], ['java.util.concurrent', 'juc']]);
	expect([...settings.keys]).toEqual([['O', 'o'], ['o', null]]);
	for (const {name} of fields) {
		expect(example, name).toContain(`"${name}":`);
		expect(page, name).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
	}
});

test.each([
	['{"intervall": 3}', 1, 'there is no setting "intervall"; did you mean "interval"?'],
	['{\n// here\n"interval": 0\n}', 3, '"interval" must be a number from 1 to 60000'],
	['{"interval": true}', 1, '"interval" must be a string or a number'],
	['{"view": "lists"}', 1, '"view" must be one of'],
	['{"idle-calls": ["wait()"]}', 1, '"idle-calls": "wait()" is not a method'],
	['{"columns": {\n"lines": ["self",\n"slef"]}}', 3, 'lines has no column "slef"; did you mean "self"?'],
	['{"columns": {"line": []}}', 1, 'there is no view "line"; did you mean "lines"?'],
	['{"colors": {"hott": "red"}}', 1, 'nothing on the screen is called "hott"; did you mean "hot"?'],
	['{"colors": {\n"hot": "bold rde"}}', 2, '"rde" is no colour; did you mean "red"?'],
	['{"colors": {"hot": true}}', 1, 'must be a text such as "bold red", or a number'],
	['{"packages": {"com..acme": "x"}}', 1, '"com..acme" is not a package'],
	['{"packages": {"com.acme": "a b"}}', 1, 'must be a string without blanks'],
	['{"keys": {"ctrl-c": null}}', 1, 'ctrl-c always quits'],
	['{"keys": {"hyper": "q"}}', 1, 'there is no key "hyper"'],
	['{"keys": {"Q": "hyper"}}', 1, '"hyper" is not a key that does anything'],
	['{"delay": 1,\n"delay": 2}', 2, '"delay" appears twice'],
	['{"delay": 1\n"view": "tree"}', 2, 'not JSON: comma expected'],
	['[1]', 1, 'the file must be an object'],
	[String.raw`{"a\u001B[2J": 1}`, 1, String.raw`there is no setting "a\x1b[2J"`],
])('%j: line %d', (text, line, fault) => {
	const {faults} = parseSettings(text);
	expect(faults).toHaveLength(1);
	expect(faults[0].line).toBe(line);
	expect(faults[0].text).toContain(fault);
});

test('what is right counts beside what is wrong', () => {
	const {settings, faults}
		= parseSettings('{"delay": 3, "speed": 1, "columns": {"lines": ["self", "nose"], "threads": ["cpu"]}, "keys": {"space": "Z"}}');
	expect(faults).toHaveLength(2);
	expect(settings.options.get('delay')).toBe('3');
	expect(settings.columns).toEqual({lines: ['self'], threads: ['cpu']});
	expect([...settings.keys]).toEqual([[' ', 'Z']]);
});

test('an empty file says nothing; no text throws or tells of more than a page', () => {
	expect(parseSettings('')).toMatchObject({faults: [], isEditable: true});
	expect(parseSettings('// nothing\n')).toMatchObject({faults: [], isEditable: true});
	expect(parseSettings('{"a":'.repeat(60_000 / 5)).faults.length).toBeGreaterThan(0);
	expect(parseSettings('['.repeat(65_000)).faults.length).toBeGreaterThan(0);
	const words = fc.constantFrom(
		'{',
		'}',
		'[',
		']',
		':',
		',',
		'"keys"',
		'"columns"',
		'"lines"',
		'"self"',
		'"o"',
		'null',
		'3',
		'//',
		'\n',
		'"__proto__"',
		'"constructor"',
		'x',
	);
	fc.assert(fc.property(fc.array(words, {maxLength: 60}), parts => {
		expect(parseSettings(parts.join(' ')).faults.length).toBeLessThanOrEqual(20);
	}), {numRuns: 500});
});
