/** One command-line option: the help text, the parser and the readme's table all come from these rows. */
export type OptionRow = {
	readonly name: string;
	readonly group: 'sampling' | 'view' | 'batch' | 'files' | 'other';
	readonly short?: string;
	/** Name of the value; none for a switch. */
	readonly value?: string;
	readonly type: 'string' | 'number' | 'boolean';
	readonly help: string;
};

/** All options, in the order of the help. */
export const optionTable: readonly OptionRow[] = [
	{name: 'engine', group: 'sampling', value: 'NAME', type: 'string', help: 'how samples are taken: auto, memory or attach (default auto)'},
	{name: 'interval', group: 'sampling', value: 'MS', type: 'number', help: 'time between two samples (default: the engine\'s own)'},
	{name: 'depth', group: 'sampling', value: 'FRAMES', type: 'number', help: 'frames to keep of each stack, from the top (default: all)'},
	{name: 'threads', group: 'sampling', value: 'GLOB', type: 'string', help: 'only threads named like "http-*,main"; without * or ? part of the name is enough'},
	{name: 'idle-calls', group: 'sampling', value: 'LIST', type: 'string', help: 'more native calls that count as idle: "pkg.Class.method,..."'},
	{name: 'max-overhead', group: 'sampling', value: 'PERCENT', type: 'number', help: 'share of its time for which the target may be stopped (default 2)'},
	{name: 'delay', group: 'view', short: 'd', value: 'S', type: 'number', help: 'seconds between refreshes (default 1), or per batch iteration (default 5)'},
	{name: 'sort', group: 'view', value: 'COLUMN', type: 'string', help: 'column to sort by: self, total, ticks, total-ticks, cpu, line... (default self)'},
	{name: 'reverse', group: 'view', type: 'boolean', help: 'smallest first'},
	{name: 'filter', group: 'view', value: 'EXPR', type: 'string', help: 'show only matching rows: words, !word, a|b, /regex/, state:B, thread:http-*, pct>1'},
	{name: 'state', group: 'view', value: 'LIST', type: 'string', help: 'thread states to count: active, all, blocked, waiting, or state names (default active)'},
	{name: 'by', group: 'view', value: 'WHAT', type: 'string', help: 'what a row stands for: a line, a method or a class (default line)'},
	{name: 'top', group: 'view', value: 'N', type: 'number', help: 'at most N rows'},
	{name: 'idle', group: 'view', type: 'boolean', help: 'show idle threads too'},
	{name: 'color', group: 'view', type: 'boolean', help: 'no colors (NO_COLOR and TERM=dumb do the same)'},
	{name: 'ascii', group: 'view', type: 'boolean', help: 'draw the screen with ASCII characters only'},
	{name: 'batch', group: 'batch', short: 'b', type: 'boolean', help: 'print a report instead of the live screen (the default without a terminal)'},
	{name: 'iterations', group: 'batch', short: 'n', value: 'N', type: 'number', help: 'number of reports (default 1), each for its own time window'},
	{name: 'duration', group: 'batch', value: 'S', type: 'number', help: 'total sampling time, seconds'},
	{name: 'format', group: 'batch', value: 'FORMAT', type: 'string', help: 'text, json, csv, lines, votes or pprof (default text)'},
	{name: 'output', group: 'batch', short: 'o', value: 'FILE', type: 'string', help: 'write to FILE instead of standard output; never overwrites'},
	{name: 'snapshot-dir', group: 'files', value: 'DIR', type: 'string', help: 'folder where the s key saves (default: the current one)'},
	{name: 'pid', group: 'other', short: 'p', value: 'PID', type: 'string', help: 'the JVM to profile, like PID alone'},
	{name: 'help', group: 'other', short: 'h', type: 'boolean', help: 'show this help'},
	{name: 'version', group: 'other', short: 'V', type: 'boolean', help: 'show the version'},
];

const groupTitles = {sampling: 'Sampling', view: 'View', batch: 'Batch', files: 'Files', other: 'Other'} as const;

/** The first words that are not a target. */
export const commandWords = ['list', 'open', 'demo', 'help'] as const;

/** The long form of an option, as it is typed. */
export function longForm(row: OptionRow): string {
	return row.name === 'color' ? '--no-color' : `--${row.name}`;
}

/** The option's spelling with its short letter and value, such as "-d, --delay S". */
export function optionSpelling(row: OptionRow): string {
	return `${row.short ? `-${row.short}, ` : '    '}${longForm(row)}${row.value ? ` ${row.value}` : ''}`;
}

/** The text of --help. */
export function helpText(): string {
	const groups = Object.entries(groupTitles).map(([group, title]) => {
		const rows = optionTable.filter(row => row.group === group);
		return `${title}\n${rows.map(row => `  ${optionSpelling(row).padEnd(26)} ${row.help}`).join('\n')}`;
	});
	return `tprof-top: top for the lines of a running JVM

Usage
  tprof-top [options] PID      live; PID, or a part of the main class's name that fits one JVM
  tprof-top                    choose a JVM from a list
  tprof-top list               the JVMs on this host that can be profiled
  tprof-top open FILE          a saved snapshot, with the same keys
  tprof-top demo               a small bundled Java program with known hot lines

${groups.join('\n\n')}

Examples
  tprof-top 4711                                   which lines burn the CPU, live; ? for the keys
  tprof-top -b --duration 10 --format json 4711    ten seconds, as JSON
  tprof-top -b -n 60 -d 60 4711 >> hot.log         one table a minute for an hour

Exit codes: 0 done (also when the target ends), 1 the target cannot be profiled or the session failed, 2 usage error.`;
}
