import {completedCommands, completedOptions, type Completed} from './described.js';

/** Completion for fish 3 and later. */
export function fishCompletion(): string {
	const words = completedCommands.map(({word}) => word).join(' ');
	const first = `"not __fish_seen_subcommand_from ${words}"`;
	return [
		'# fish completion for tprof-top; to try it: tprof-top completion fish | source',
		'complete -c tprof-top -f',
		...completedCommands.map(({word, help}) => `complete -c tprof-top -n ${first} -a ${word} -d ${fishQuoted(help)}`),
		`complete -c tprof-top -n ${first} -a '(pgrep -x java)' -d 'process id of a JVM'`,
		...completedCommands.flatMap(({word, values, path}) => values ? [`complete -c tprof-top -n "__fish_seen_subcommand_from ${word}" -a ${fishQuoted(values.join(' '))}`] : (path ? [`complete -c tprof-top -n "__fish_seen_subcommand_from ${word}" -F`] : [])),
		...completedOptions.flatMap(({long: [name, ...others], short, help, value, words: values, path}) => {
			const spelling = (long: string) => `complete -c tprof-top ${short && long === name ? `-s ${short.slice(1)} ` : ''}-l ${long.slice(2)}`;
			const kind = value === undefined ? '' : valueOf({path, words: values});
			return [`${spelling(name)}${kind} -d ${fishQuoted(help)}`, ...others.map(other => `${spelling(other)} -d ${fishQuoted(help)}`)];
		}),
		'',
	].join('\n');
}

/** What may follow an option with a value. */
function valueOf({path, words}: Pick<Completed, 'path' | 'words'>): string {
	if (path === 'file') {
		return ' -r -F';
	}

	return path === 'folder' ? ' -x -a \'(__fish_complete_directories)\'' : (words.length > 0 ? ` -x -a ${fishQuoted(words.join(' '))}` : ' -x');
}

/** A text in single quotes as fish has it. */
function fishQuoted(text: string): string {
	return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
