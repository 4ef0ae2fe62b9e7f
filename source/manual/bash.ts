import {completedCommands, completedOptions, quoted} from './described.js';

/** Completion for bash 4 and later. */
export function bashCompletion(): string {
	const valued = completedOptions.filter(({value}) => value !== undefined);
	const names = (option: (typeof valued)[number]) => [...option.long.slice(0, 1), ...(option.short ? [option.short] : [])].join('|');
	const ofWords = valued.filter(({words}) => words.length > 0).map(option => `\t\t${names(option)}) mapfile -t COMPREPLY < <(compgen -W ${quoted(option.words.join(' '))} -- "$cur"); return ;;`);
	const ofPaths = valued.filter(({path}) => path).map(option => `\t\t${names(option)}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen ${option.path === 'file' ? '-f' : '-d'} -- "$cur"); return ;;`);
	const others = valued.filter(({words, path}) => words.length === 0 && !path);
	const commands = completedCommands.map(({word, values, path}) => {
		const found = values ? `compgen -W ${quoted(values.join(' '))}` : (path ? 'compgen -f' : 'true');
		return `\t\t\t${word}) ${path ? 'compopt -o filenames; ' : ''}mapfile -t COMPREPLY < <(${found} -- "$cur"); return ;;`;
	});
	return `# bash completion for tprof-top; to try it: source <(tprof-top completion bash)
_tprof_top() {
	local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} word
	COMPREPLY=()
	# bash takes --name=value apart at the sign.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=\${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $prev in
${[...ofWords, ...ofPaths].join('\n')}
		${others.map(option => names(option)).join('|')}) return ;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W ${quoted(completedOptions.flatMap(({long, short}) => [...long, ...(short ? [short] : [])]).join(' '))} -- "$cur")
		return
	fi
	for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
${commands.join('\n')}
		esac
	done
	mapfile -t COMPREPLY < <(compgen -W "${completedCommands.map(({word}) => word).join(' ')} $(pgrep -x java 2> /dev/null)" -- "$cur")
}
complete -F _tprof_top tprof-top
`;
}
