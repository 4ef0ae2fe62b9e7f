import {printable, safe} from '../util/printable.js';
import {wrapAt} from '../exports/common/text-table.js';
import {spellingOf, type Command} from './command.js';
import {groupTitles, longForm, type Option} from './option.js';
import {optionRows} from './table.js';

/** Returns the option's spelling with its short letter and value, such as "-d, --delay S". */
export function optionSpelling(option: Option): string {
	return `${option.short ? `-${option.short}, ` : '    '}${longForm(option)}${
		option.value ? ` ${option.value}` : ''
	}`;
}

/** Returns what an option does, and its default. */
export function optionHelp(option: Option): string {
	return option.value && option.default ? `${option.help} (default ${option.default})` : option.help;
}

export const exampleTable: ReadonlyArray<{readonly line: string; readonly meaning: string}> = [
	{line: 'tprof-top 4711', meaning: 'which lines burn the CPU, live; ? for the keys'},
	{line: 'tprof-top -b --duration 10 --format json 4711', meaning: 'ten seconds, as JSON'},
	{line: 'tprof-top -b -n 60 -d 60 4711 >> hot.log', meaning: 'one table a minute for an hour'},
];

export const exitCodes: ReadonlyArray<{readonly code: number; readonly meaning: string}> = [
	{code: 0, meaning: 'done (also when the target ends)'},
	{code: 1, meaning: 'the target cannot be profiled or the session failed'},
	{code: 2, meaning: 'usage error'},
];

/** Columns of the help, and the indent of an option's further lines, which aligns them with the first. */
const helpWidth = 120;
const helpIndent = safe` `.repeat(29);

/** Returns the text of --help. */
export function helpText(commands: readonly Command[]): string {
	const parts = Object.entries(groupTitles).map(([group, title]) => {
		const rows = optionRows.filter(([, option]) => option.group === group);
		return [
			title,
			...rows.flatMap(([, option]) =>
				wrapAt(
					safe` `,
					printable(`  ${optionSpelling(option).padEnd(26)} ${optionHelp(option)}`, Infinity),
					helpWidth,
					helpIndent,
				)),
		].join('\n');
	});
	return `tprof-top: top for the lines of a running JVM

Usage
${commands.map(command => `  ${`tprof-top ${spellingOf(command)}`.padEnd(28)} ${command.help}`).join('\n')}

${parts.join('\n\n')}

Examples
${exampleTable.map(({line, meaning}) => `  ${line.padEnd(48)} ${meaning}`).join('\n')}

Exit codes: ${exitCodes.map(({code, meaning}) => `${code} ${meaning}`).join(', ')}.`;
}
