import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {manPage} from '../../source/manual/man-page.js';
import {commands, namedCommands} from '../../source/commands/command-registry.js';
import {completionsFor, type Shell} from '../../source/manual/completions.js';
import {longForm} from '../../source/options/option.js';
import {optionRows} from '../../source/options/table.js';
import {isOfTables, keyTable} from '../../source/ui/state/keys.js';
import {views} from '../../source/views/view-registry.js';
import {folderForTest} from '../helpers/for-test.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Runs a program on a text; undefined where it is not installed. */
function checked(program: string, args: readonly string[], input: string): string | undefined {
	const {error, status, stdout, stderr} = spawnSync(program, args, {input, encoding: 'utf8'});
	return error ? undefined : (status === 0 ? stderr : `exit code ${status}: ${stderr}${stdout}`);
}

describe('the manual page', () => {
	const page = manPage(commands);

	test('is printable ASCII, and what formats it has nothing to say about it', () => {
		expect(page).toMatch(/^[\n -~]*$/);
		expect(checked('groff', ['-man', '-Tutf8', '-ww', '-z'], page) ?? '').toBe('');
		expect(checked('mandoc', ['-T', 'lint', '-W', 'warning'], page.replace('""', '"2026-01-01"')) ?? '').toBe('');
	});

	test('has every command, option, key and view, whole', () => {
		const {error, stdout} = spawnSync('groff', ['-man', '-Tascii', '-P-cbou', '-rLL=200n'], {
			input: page,
			encoding: 'utf8',
		});
		// Without a formatter the page itself has to do.
		const text
			= (error
				? page.replaceAll(String.raw`\-`, '-').replaceAll(String.raw`\(aq`, '\'').replaceAll(
					String.raw`\(dq`,
					'"',
				).replaceAll(String.raw`\e`, '\\')
				: stdout).replaceAll(/\s+/g, ' ');
		for (const {name} of namedCommands) {
			expect(text).toContain(`tprof-top ${name}`);
		}

		for (const [, option] of optionRows) {
			expect(text).toContain(longForm(option));
			expect(text).toContain(option.help.replaceAll(/\s+/g, ' '));
		}

		for (const {label: shown, help} of keyTable.filter(row => isOfTables(row))) {
			expect(text).toContain(`${shown} `);
			expect(text).toContain(help);
		}

		for (const {about} of views) {
			expect(text).toContain(about);
		}
	});

	test('is in dist/, where package.json has it', () => {
		const {man} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {man: readonly string[]};
		expect(readFileSync(path.join(root, man[0]), 'utf8').replace(/"tprof\S+ [^"]*"/, ''))
			.toBe(page.replace(/"tprof\S+ [^"]*"/, ''));
	});
});

describe.each<[Shell]>([['bash'], ['zsh'], ['fish']])('completions for %s', shell => {
	const script = completionsFor(shell, commands);

	test('are understood by the shell, where it is installed', () => {
		// From a file: fish does not read from the sockets that Node gives as standard input.
		const folder = folderForTest();
		writeFileSync(path.join(folder, 'completion'), script);
		expect(checked(shell, ['-n', path.join(folder, 'completion')], '') ?? '').toBe('');
	});

	test('know every option and its values, and every command', () => {
		for (const [, option] of optionRows) {
			expect(script).toContain(shell === 'fish' ? ` -l ${longForm(option).slice(2)} ` : longForm(option));
			expect(script).toContain(option.value === undefined ? '' : (option.words ?? []).join(' '));
		}

		for (const {name} of namedCommands) {
			expect(script).toContain(name);
		}
	});
});

/** What is typed, and the line after Tab. */
const asked: ReadonlyArray<readonly [string, string]> = [
	['--vi', '--view'],
	['--view th', '--view threads'],
	['--view=th', '--view=threads'],
	['completion f', 'completion fish'],
	['li', 'list'],
	['open package.j', 'open package.json'],
	['-o package.j', '-o package.json'],
	['--snapshot-dir sourc', '--snapshot-dir source/'],
	['--ascii 47', '--ascii 4711'],
];

/** What a shell prints of a program, by lines; undefined where it is not installed. */
function printed(shell: string, args: readonly string[]): string[] | undefined {
	const {error, stdout, stderr} = spawnSync(shell, args, {encoding: 'utf8', cwd: root});
	expect(stderr ?? '').toBe('');
	return error ? undefined : stdout.trimEnd().split('\n');
}

test('bash completes options, their values, commands, shells and files', () => {
	const complete = (line: string) => {
		// Bash parts words at =, and puts the slash behind folders by itself.
		const words = line.replace('=', ' = ').split(' ');
		const program = [
			`COMP_WORDS=(tprof-top ${words.map(word => `'${word}'`).join(' ')})`,
			'compopt() { :; }',
			'pgrep() { echo 4711; }',
			`COMP_CWORD=${words.length}; _tprof_top; (IFS=,; echo "\${COMPREPLY[*]}")`,
		].join('\n');
		return printed('bash', ['--norc', '-c', `${completionsFor('bash', commands)}\n${program}`])![0];
	};

	for (const [typed, completed] of asked) {
		expect(complete(typed)).toBe(completed.split(/[ =]/).at(-1)!.replace(/\/$/, ''));
	}

	expect(complete('--no-c')).toBe('--no-color,--no-config');
	expect(complete('--view=')).toBe(views.map(({id}) => id).join(','));
});

test('zsh completes them, where it is installed', () => {
	const folder = folderForTest();
	writeFileSync(path.join(folder, '_tprof-top'), completionsFor('zsh', commands));
	// Keys are pressed in a shell with a terminal of its own; Ctrl-X has it print its line.
	const program = `zmodload zsh/zpty
		zpty -b z 'zsh -f -i'
		zpty -w z 'PS1="% "; autoload -Uz compinit; compinit -u -D; pgrep() { echo 4711; }; show() { print -r -- "<<<$BUFFER>>>"; BUFFER=; zle send-break; }; zle -N show; bindkey "^X" show; source ${folder}/_tprof-top; echo re""ady'
		zpty -r -m z seen '*ready*'
		for line in "$@"; do
			zpty -w -n z "tprof-top $line"$'\\t\\C-x'
			zpty -r -m z seen '*<<<*>>>*'
			seen=\${seen##*<<<tprof-top }
			print -r -- "\${seen%%>>>*}"
		done
		zpty -d z`;
	const completed = printed('zsh', ['-f', '-c', program, 'zsh', ...asked.map(([typed]) => typed)]);
	// An option with a value goes on with =.
	expect(completed?.map(line => line.replace(/[ =]$/, '')) ?? asked.map(([, line]) => line))
		.toEqual(asked.map(([, line]) => line));
});

test('fish completes them, where it is installed', () => {
	const program
		= `${completionsFor('fish', commands)}\nfunction pgrep; echo 4711; end\nfor line in $argv; complete -C "tprof-top $line" | string split -f1 \\t; end`;
	const lastWords = asked.map(([, line]) => line.split(' ').at(-1));
	expect(printed('fish', ['--no-config', '-c', program, '--', ...asked.map(([typed]) => typed)]) ?? lastWords)
		.toEqual(lastWords);
});
