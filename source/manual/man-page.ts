import {spawnSync} from 'node:child_process';
import process from 'node:process';
import {filterHelp} from '../query/filter/filter.js';
import {commandTable} from '../options/command.js';
import {exampleTable, exitCodes, optionHelp, optionSpelling} from '../options/help.js';
import {groups} from '../options/option.js';
import {optionRows} from '../options/table.js';
import {version} from '../runtime/bundle.js';
import {byGroup, isOfTables, keyTable} from '../ui/state/keys.js';
import {headerWords} from '../ui/status/items.js';
import {samplingFigures} from '../ui/status/sampling.js';
import {views} from '../views/view-registry.js';

/** Returns the manual page in the macros of man(7). */
export function manPage(): string {
	const keysOfTables = keyTable.filter(row => isOfTables(row));
	return `${
		[
			`.TH TPROF\\-TOP 1 "" "tprof\\-top ${roff(version)}" "User Commands"`,
			...section('NAME', [String.raw`tprof\-top \- top for the lines of a running JVM`]),
			...section('SYNOPSIS', [
				String.raw`.B tprof\-top`,
				'.RI [ options ]',
				'.I PID',
				...commandTable.filter(({word}) => word !== '').flatMap(({spelling}) => ['.br', `.B ${roff(`tprof-top ${spelling}`)}`]),
			]),
			...section('DESCRIPTION', [
				roff('Shows which source lines of a running JVM burn the CPU, where its threads wait, and what blocks them: a table that sorts, filters and drills down by keyboard. No agent, no restart, no JDK: Node and the process id are enough.'),
				'.PP',
				roff('If standard output is not a terminal, with TERM=dumb or with --batch, it prints a report.'),
			]),
			...section(
				'COMMANDS',
				commandTable.flatMap(({spelling, help}) => entry(`tprof-top ${spelling}`.trim(), help)),
			),
			...section(
				'OPTIONS',
				Object.entries(groups).flatMap(([group, {title}]) => [
					`.SS ${roff(title)}`,
					...optionRows.filter(([, option]) => option.group === group).flatMap(([, option]) =>
						entry(optionSpelling(option).trim(), optionHelp(option))),
				]),
			),
			...section('VIEWS', views.flatMap(({title, about}) => entry(title, about))),
			...section(
				'KEYS',
				byGroup(keysOfTables).flatMap(({title, rows}) => [`.SS ${roff(title)}`, ...rows.flatMap(({label, help}) => entry(label, help))]),
			),
			...section('FILTER', filterHelp.flatMap(({form, meaning}) => entry(form, meaning))),
			...section('WORDS OF THE HEADER', headerWords.flatMap(({word, meaning}) => entry(word, meaning))),
			...section('HOW SAMPLING GOES', samplingFigures.flatMap(({word, meaning}) => entry(word, meaning))),
			...section('FILES', [
				...entry(
					'$XDG_CONFIG_HOME/tprof-top/config.json',
					'defaults of options, columns of views, names for packages, key changes: JSON, comments allowed; ~/.config/tprof-top/config.json if that is not set',
				),
				...entry(
					'$XDG_STATE_HOME/tprof-top/',
					'the sessions that open --last shows, readable only by the user; ~/.local/state/tprof-top/ if that is not set; --keep-sessions says how many',
				),
			]),
			...section('ENVIRONMENT', [
				...entry('NO_COLOR', 'no colors, when it is not empty'),
				...entry(
					'TERM',
					'a report instead of the screen when it is dumb; ASCII characters only when it is linux',
				),
				...entry(
					'LC_ALL, LC_CTYPE, LANG',
					'ASCII characters only when the first that is set names no UTF-8 locale',
				),
				...entry('TPROF_DEBUG', 'an internal error says where it happened'),
			]),
			...section('EXIT STATUS', exitCodes.flatMap(({code, meaning}) => entry(String(code), meaning))),
			...section('EXAMPLES', exampleTable.flatMap(({line, meaning}) => entry(line, meaning))),
		].join('\n')
	}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
	return [`.SH ${title.includes(' ') ? `"${title}"` : title}`, ...lines];
}

function entry(term: string, text: string): string[] {
	return ['.TP', `.B ${roff(term)}`, roff(text)];
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
export function manual(): string {
	const page = manPage();
	if (!process.stdout.isTTY) {
		return page;
	}

	const {status} = spawnSync('man', ['-l', '-'], {input: page, stdio: ['pipe', 'inherit', 'inherit']});
	return status === 0 ? '' : page;
}
