import {
	completedCommands, completedOptions, quoted, type Completed,
} from './described.js';

/** Completion for zsh: sourced, or as the file _tprof-top in a folder of $fpath. */
export function zshCompletion(): string {
	const commands = completedCommands.map(({word, help}) => `\t\t${quoted(`${word}:${help.replaceAll(':', String.raw`\:`)}`)}`);
	const seconds = completedCommands.flatMap(({word, values, path}) => values ? [`\t\t${word}) _values ${quoted(word)} ${values.join(' ')} ;;`] : (path ? [`\t\t${word}) _files ;;`] : []));
	return `#compdef tprof-top
# zsh completion for tprof-top; to try it: source <(tprof-top completion zsh)
_tprof_top_first() {
	local -a commands pids
	commands=(
${commands.join('\n')}
	)
	pids=(\${(f)"$(pgrep -x java 2> /dev/null)"})
	_describe command commands
	(( $#pids )) && _values 'process id of a JVM' $pids
}
_tprof_top_second() {
	case $words[(r)(${completedCommands.map(({word}) => word).join('|')})] in
${seconds.join('\n')}
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

/** The words for an option as _arguments has them. */
function specsOf({long: [name, ...others], short, help, value, words, path}: Completed): string[] {
	const text = `[${help.replaceAll(/[[\]:\\]/g, String.raw`\$&`)}]`;
	const action = words.length > 0 ? `(${words.join(' ')})` : (path ? `_files${path === 'folder' ? ' -/' : ''}` : ' ');
	const after = value === undefined ? '' : `:${value}:${action}`;
	const long = value === undefined ? name : `${name}=`;
	const both = short ? [`${quoted(`(${short} ${name})`)}{${short}${value === undefined ? '' : '+'},${long}}${quoted(text + after)}`] : [quoted(long + text + after)];
	return [...both, ...others.map(other => quoted(other + text))];
}
