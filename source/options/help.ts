import {groups, type Option} from './option.js';
import {optionRows} from './table.js';

/** The long form of an option, as it is typed. */
export function longForm(option: Option): string {
	return option.value === undefined && option.isOn ? `--no-${option.name}` : `--${option.name}`;
}

/** The option's spelling with its short letter and value, such as "-d, --delay S". */
export function optionSpelling(option: Option): string {
	return `${option.short ? `-${option.short}, ` : '    '}${longForm(option)}${option.value ? ` ${option.value}` : ''}`;
}

/** What an option does, and what it is when it is not given. */
export function optionHelp(option: Option): string {
	return option.value && option.default ? `${option.help} (default ${option.default})` : option.help;
}

/** The text of --help. */
export function helpText(): string {
	const parts = Object.entries(groups).map(([group, {title}]) => {
		const rows = optionRows.filter(([, option]) => option.group === group);
		return `${title}\n${rows.map(([, option]) => `  ${optionSpelling(option).padEnd(26)} ${optionHelp(option)}`).join('\n')}`;
	});
	return `tprof-top: top for the lines of a running JVM

Usage
  tprof-top [options] PID      live; PID, or a part of the main class's name that fits one JVM
  tprof-top                    choose a JVM from a list
  tprof-top list               the JVMs on this host that can be profiled
  tprof-top open FILE          a saved snapshot, with the same keys
  tprof-top demo               a small bundled Java program with known hot lines

${parts.join('\n\n')}

Examples
  tprof-top 4711                                   which lines burn the CPU, live; ? for the keys
  tprof-top -b --duration 10 --format json 4711    ten seconds, as JSON
  tprof-top -b -n 60 -d 60 4711 >> hot.log         one table a minute for an hour

Exit codes: 0 done (also when the target ends), 1 the target cannot be profiled or the session failed, 2 usage error.`;
}
