import type {Command} from '../options/command.js';
import {optionHelp} from '../options/help.js';
import {longForm, type Option} from '../options/option.js';
import {optionRows} from '../options/table.js';

/** Returns completions for bash 4 and later. */
function bashCompletion(commands: readonly Command[]): string {
	const withValue = completedOptions.filter(({value}) => value !== undefined);
	const spellings = ({long: [name], short}: Completed) => [name, ...(short ? [short] : [])].join('|');
	const withWords = withValue.filter(({words}) => words.length > 0).map(option =>
		`\t\t${spellings(option)}) mapfile -t COMPREPLY < <(compgen -W ${quoted(option.words.join(' '))} -- "$cur"); return ;;`);
	const withPaths = withValue.filter(({path}) => path).map(option =>
		`\t\t${spellings(option)}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen ${option.path === 'file' ? '-f' : '-d'} -- "$cur"); return ;;`);
	const withOtherValues = withValue.filter(({words, path}) => words.length === 0 && !path);
	const cases = commands.map(({name, words, path}) => {
		const generator = words ? `compgen -W ${quoted(words.join(' '))}` : (path ? 'compgen -f' : 'true');
		const before = path ? 'compopt -o filenames; ' : '';
		return `\t\t\t${name}) ${before}mapfile -t COMPREPLY < <(${generator} -- "$cur"); return ;;`;
	});
	const names = commands.map(({name}) => name).join(' ');
	return `# bash completion for tprof-top; to try it: source <(tprof-top completion bash)
_tprof_top() {
	local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} word
	COMPREPLY=()
	# bash splits --name=value at the equals sign.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=\${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $prev in
${[...withWords, ...withPaths].join('\n')}
		${withOtherValues.map(option => spellings(option)).join('|')}) return ;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W ${quoted(completedOptions.flatMap(({long, short}) => [...long, ...(short ? [short] : [])]).join(' '))} -- "$cur")
		return
	fi
	for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
${cases.join('\n')}
		esac
	done
	mapfile -t COMPREPLY < <(compgen -W "${names} $(pgrep -x java 2> /dev/null)" -- "$cur")
}
complete -F _tprof_top tprof-top
`;
}

/** Returns completions for fish 3 and later. */
function fishCompletion(commands: readonly Command[]): string {
	const first = `"not __fish_seen_subcommand_from ${commands.map(({name}) => name).join(' ')}"`;
	return [
		'# fish completion for tprof-top; to try it: tprof-top completion fish | source',
		'complete -c tprof-top -f',
		...commands.map(({name, help}) =>
			`complete -c tprof-top -n ${first} -a ${name} -d ${fishQuoted(help)}`),
		`complete -c tprof-top -n ${first} -a '(pgrep -x java)' -d 'process id of a JVM'`,
		...commands.flatMap(({name, words, path}) =>
			words
				? [`complete -c tprof-top -n "__fish_seen_subcommand_from ${name}" -a ${fishQuoted(words.join(' '))}`]
				: (path ? [`complete -c tprof-top -n "__fish_seen_subcommand_from ${name}" -F`] : [])),
		...completedOptions.flatMap(({long: [name, ...others], short, help, value, words: values, path}) => {
			const spelling = (long: string) =>
				`complete -c tprof-top ${short && long === name ? `-s ${short.slice(1)} ` : ''}-l ${long.slice(2)}`;
			const flags = value === undefined ? '' : valueFlags({path, words: values});
			return [
				`${spelling(name)}${flags} -d ${fishQuoted(help)}`,
				...others.map(other => `${spelling(other)} -d ${fishQuoted(help)}`),
			];
		}),
		'',
	].join('\n');
}

/** Returns the flags of fish's `complete` for an option's value. */
function valueFlags({path, words}: Pick<Completed, 'path' | 'words'>): string {
	if (path === 'file') {
		return ' -r -F';
	}

	return path === 'folder'
		? ' -x -a \'(__fish_complete_directories)\''
		: (words.length > 0 ? ` -x -a ${fishQuoted(words.join(' '))}` : ' -x');
}

function fishQuoted(text: string): string {
	return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}

/** Returns completions for zsh, to be sourced or saved as _tprof-top in a folder of $fpath. */
function zshCompletion(commands: readonly Command[]): string {
	const firstWords = commands.map(({name, help}) =>
		`\t\t${quoted(`${name}:${help.replaceAll(':', String.raw`\:`)}`)}`);
	const secondWords = commands.flatMap(({name, words, path}) =>
		words
			? [`\t\t${name}) _values ${quoted(name)} ${words.join(' ')} ;;`]
			: (path ? [`\t\t${name}) _files ;;`] : []));
	return `#compdef tprof-top
# zsh completion for tprof-top; to try it: source <(tprof-top completion zsh)
_tprof_top_first() {
	local -a commands pids
	commands=(
${firstWords.join('\n')}
	)
	pids=(\${(f)"$(pgrep -x java 2> /dev/null)"})
	_describe command commands
	(( $#pids )) && _values 'process id of a JVM' $pids
}
_tprof_top_second() {
	case $words[(r)(${commands.map(({name}) => name).join('|')})] in
${secondWords.join('\n')}
	esac
}
_tprof_top() {
	_arguments -s \\
${completedOptions.flatMap(option => specsOf(option)).map(spec => `\t\t${spec} \\`).join('\n')}
		'1: :_tprof_top_first' \\
		'2: :_tprof_top_second'
}
if [[ $funcstack[1] == _tprof-top ]]; then
	_tprof_top "$@"
else
	compdef _tprof_top tprof-top
fi
`;
}

/** Returns an option's specifications for zsh's `_arguments`. */
function specsOf({long: [name, ...others], short, help, value, words, path}: Completed): string[] {
	const text = `[${help.replaceAll(/[[\]:\\]/g, String.raw`\$&`)}]`;
	const action = words.length > 0 ? `(${words.join(' ')})` : (path ? `_files${path === 'folder' ? ' -/' : ''}` : ' ');
	const after = value === undefined ? '' : `:${value}:${action}`;
	const long = value === undefined ? name : `${name}=`;
	const both = short
		? [`${quoted(`(${short} ${name})`)}{${short}${value === undefined ? '' : '+'},${long}}${quoted(text + after)}`]
		: [quoted(long + text + after)];
	return [...both, ...others.map(other => quoted(other + text))];
}

/** The options with their dashes: --delay, -d. `value`: undefined for a switch; `words`: its possible values. */
const completedOptions = optionRows.map(([, option]: readonly [string, Option]) => ({
	long: [longForm(option), ...(option.orNone ? [`--no-${option.name}`] : [])],
	short: option.short === undefined ? undefined : `-${option.short}`,
	help: optionHelp(option),
	value: option.value,
	words: option.value === undefined ? [] : option.words ?? [],
	path: option.value === undefined ? undefined : option.path,
}));

type Completed = (typeof completedOptions)[number];

/** Quotes text with single quotes for bash and zsh. */
function quoted(text: string): string {
	return `'${text.replaceAll('\'', String.raw`'\''`)}'`;
}

const writers = {bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion};

export type Shell = keyof typeof writers;

/** Returns a shell's script that completes options and the commands that are typed by their names. */
export function completionsFor(shell: Shell, commands: readonly Command[]): string {
	return writers[shell](commands.filter(({isUnnamed}) => !isUnnamed));
}
