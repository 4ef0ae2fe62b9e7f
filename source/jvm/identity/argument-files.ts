/** The JDK's launcher takes argument files of any size, but no command line that runs is longer than this. */
export const maxArgumentFileBytes = 256 * 1024;
/** Most files named on one command line; a launcher reads each once, and does not follow files named in files. */
const maxFiles = 64;

/**
Command-line arguments with "@file" replaced by the file's content, as the java launcher (JDK 9 and later, args.c) does,
up to the main class: "@@x" is "@x" itself, and nothing is replaced after --disable-@files. `readFile` gives a file's
text, or undefined if it cannot be read, in which case the argument is left out.
*/
export function expandArguments(args: readonly string[], readFile: (name: string) => string | undefined): string[] {
	const result: string[] = [];
	let filesLeft = maxFiles;
	let isEnabled = true;
	for (const arg of args) {
		if (isEnabled && arg.startsWith('@@')) {
			result.push(arg.slice(1));
		} else if (isEnabled && arg.startsWith('@') && arg.length > 1) {
			const text = filesLeft-- > 0 ? readFile(arg.slice(1)) : undefined;
			result.push(...splitArgumentFile(text ?? ''));
		} else {
			result.push(arg);
		}

		isEnabled &&= arg !== '--disable-@files';
	}

	return result;
}

const escapes: Readonly<Record<string, string>> = {
	n: '\n', r: '\r', t: '\t', f: '\f',
};

/**
Words of an argument file: separated by white space, quoted with ' or ", with backslash escapes inside quotes, # outside
quotes starts a comment, a backslash at a line's end inside quotes joins lines.
*/
export function splitArgumentFile(text: string): string[] {
	const words: string[] = [];
	let word: string | undefined;
	let quote = '';
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (quote) {
			if (character === '\\' && at + 1 < text.length) {
				const joined = /^\\\r?\n[ \t\f]*/.exec(text.slice(at, at + 256));
				if (joined) {
					at += joined[0].length - 1;
				} else {
					at++;
					word += escapes[text[at]] ?? text[at];
				}
			} else if (character === quote) {
				quote = '';
			} else {
				word += character;
			}
		} else if (character === '"' || character === '\'') {
			quote = character;
			word ??= '';
		} else if (/\s/.test(character)) {
			if (word !== undefined) {
				words.push(word);
				word = undefined;
			}
		} else if (character === '#') {
			// Launchers up to JDK 25 drop the word that a comment cuts off; that of 27 keeps it.
			if (word !== undefined) {
				words.push(word);
				word = undefined;
			}

			const end = text.indexOf('\n', at);
			at = end === -1 ? text.length : end;
		} else {
			word = (word ?? '') + character;
		}
	}

	return word === undefined ? words : [...words, word];
}
