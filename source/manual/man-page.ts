import {spawnSync} from 'node:child_process';
import process from 'node:process';
import {filterHelp} from '../query/filter/filter.js';
import {spellingOf, type Command} from '../options/command.js';
import {exampleTable, exitCodes, optionHelp, optionSpelling} from '../options/help.js';
import {groupTitles} from '../options/option.js';
import {optionRows} from '../options/table.js';
import {version} from '../util/version.js';
import {byGroup, isOfTables, keyTable} from '../ui/state/keys.js';
import {headerWords} from '../ui/status/items.js';
import {samplingFigures} from '../ui/status/sampling.js';
import {views} from '../views/view-registry.js';

const about = [
	'Shows which source lines of a running JVM burn the CPU, where its threads wait, and what blocks them: a table that',
	'sorts, filters and drills down by keyboard. No agent, no restart, no JDK: Node and the process id are enough.',
].join(' ');

type Entry = readonly [term: string, text: string];

const files: readonly Entry[] = [
	[
		'$XDG_CONFIG_HOME/tprof-top/config.json',
		'defaults of options, columns of views, names for packages, key changes: JSON, comments allowed; '
		+ '~/.config/tprof-top/config.json if that is not set',
	],
	[
		'$XDG_STATE_HOME/tprof-top/',
		'the sessions that open --last shows, readable only by the user; ~/.local/state/tprof-top/ if that is not set; '
		+ '--keep-sessions says how many',
	],
];

const variables: readonly Entry[] = [
	['NO_COLOR', 'no colors, when it is not empty'],
	['TERM', 'a report instead of the screen when it is dumb; ASCII characters only when it is linux'],
	['LC_ALL, LC_CTYPE, LANG', 'ASCII characters only when the first that is set names no UTF-8 locale'],
	['TPROF_DEBUG', 'an internal error says where it happened'],
];

/** Returns the manual page in the macros of man(7). */
export function manPage(commands: readonly Command[]): string {
	return `${[
		`.TH TPROF\\-TOP 1 "" "tprof\\-top ${roff(version)}" "User Commands"`,
		// Names and options must not be hyphenated.
		'.nh',
		...section('NAME', [String.raw`tprof\-top \- top for the lines of a running JVM`]),
		...section('SYNOPSIS', synopsis(commands)),
		...section('DESCRIPTION', [
			roff(about),
			'.PP',
			roff('If standard output is not a terminal, with TERM=dumb or with --batch, it prints a report.'),
		]),
		...section('COMMANDS', entries(commands.map(command =>
			[`tprof-top ${spellingOf(command)}`.trim(), command.help]))),
		...section('OPTIONS', Object.entries(groupTitles).flatMap(([group, title]) =>
			subsection(title, optionRows.filter(([, option]) => option.group === group).map(([, option]) =>
				[optionSpelling(option).trim(), optionHelp(option)])))),
		...section('VIEWS', entries(views.map(({title, about}) => [title, about]))),
		...section('KEYS', byGroup(keyTable.filter(binding => isOfTables(binding))).flatMap(({title, bindings}) =>
			subsection(title, bindings.map(({label, help}) => [label, help])))),
		...section('FILTER', entries(filterHelp.map(({form, meaning}) => [form, meaning]))),
		...section('WORDS OF THE HEADER', entries(headerWords.map(({word, meaning}) => [word, meaning]))),
		...section('HOW SAMPLING GOES', entries(samplingFigures.map(({word, meaning}) => [word, meaning]))),
		...section('FILES', entries(files)),
		...section('ENVIRONMENT', entries(variables)),
		...section('EXIT STATUS', entries(exitCodes.map(({code, meaning}) => [String(code), meaning]))),
		...section('EXAMPLES', entries(exampleTable.map(({line, meaning}) => [line, meaning]))),
	].join('\n')}\n`;
}

/** Returns a line for each command that is typed by its name, below the one for a target. */
function synopsis(commands: readonly Command[]): string[] {
	return [
		String.raw`.B tprof\-top`,
		'.RI [ options ]',
		'.I PID',
		...commands.filter(({isUnnamed}) => !isUnnamed).flatMap(command =>
			['.br', `.B ${roff(`tprof-top ${spellingOf(command)}`)}`]),
	];
}

function section(title: string, lines: readonly string[]): string[] {
	return [`.SH ${title.includes(' ') ? `"${title}"` : title}`, ...lines];
}

function subsection(title: string, rows: readonly Entry[]): string[] {
	return [`.SS ${roff(title)}`, ...entries(rows)];
}

function entries(rows: readonly Entry[]): string[] {
	return rows.flatMap(([term, text]) => ['.TP', `.B ${roff(term)}`, roff(text)]);
}

/** Escapes that keep characters as they are, so that examples can be copied. */
const roffEscapes: Readonly<Record<string, string>> = {
	'\\': String.raw`\e`,
	'-': String.raw`\-`,
	'\'': String.raw`\(aq`,
	'"': String.raw`\(dq`,
	'^': String.raw`\(ha`,
	'~': String.raw`\(ti`,
	'`': String.raw`\(ga`,
};

/** Escapes text for roff; a line that begins with a dot would be a request. */
function roff(text: string): string {
	const escaped = text.replaceAll(/[\\\-'"^~`]/g, character => roffEscapes[character]);
	return escaped.startsWith('.') ? String.raw`\&${escaped}` : escaped;
}

/** Shows the manual page with man(1) on a terminal; returns it to be printed if there is no terminal or no man(1). */
export function manual(commands: readonly Command[]): string {
	const page = manPage(commands);
	if (!process.stdout.isTTY) {
		return page;
	}

	const {status} = spawnSync('man', ['-l', '-'], {input: page, stdio: ['pipe', 'inherit', 'inherit']});
	return status === 0 ? '' : page;
}
