import {readTextBelowRoot, workingFolder} from '../system/below-root.js';
import {attempt, readProcStrings} from '../system/proc.js';

/** A parsed java command line. Raw text: not yet printable. */
type JavaCommand = {
	/** The main class, the path of a jar, or module/class; empty if the line does not say. */
	readonly main: string;
	readonly args: readonly string[];
	/** The arguments before the main class, for the JVM and the launcher. */
	readonly vmArgs: readonly string[];
};

/** Launcher options whose value is the next argument (java(1); launcher's java.c). */
const withValue = new Set([
	'-cp',
	'-classpath',
	'--class-path',
	'-p',
	'--module-path',
	'--upgrade-module-path',
	'--add-modules',
	'--limit-modules',
	'--add-exports',
	'--add-opens',
	'--add-reads',
	'--patch-module',
	'--describe-module',
	'-d',
	'--enable-native-access',
	'--illegal-native-access',
	'--source',
]);

/** Parses a java command line (the arguments after the program's name, argument files expanded). */
export function parseJavaCommand(args: readonly string[]): JavaCommand {
	let index = 0;
	while (index < args.length) {
		const arg = args[index];
		const vmArgs = args.slice(0, index);
		if (arg === '-jar' || arg === '-m' || arg === '--module') {
			return {main: args[index + 1] ?? '', args: args.slice(index + 2), vmArgs};
		}

		const isOption = arg.startsWith('-') || arg === '';
		if (!isOption || arg.startsWith('--module=')) {
			return {main: arg.replace(/^--module=/, ''), args: args.slice(index + 1), vmArgs};
		}

		index += withValue.has(arg) ? 2 : 1;
	}

	return {main: '', args: [], vmArgs: args};
}

/** Parses the command as HotSpot has it (counter sun.rt.javaCommand); a jar's path may contain blanks. */
export function parseRecordedCommand(recorded: string): {readonly main: string; readonly args: readonly string[]} {
	const jar = /^\S*\/.*?\.jar(?= |$)/.exec(recorded)?.[0];
	const main = jar ?? recorded.split(' ', 1)[0];
	return {main, args: recorded.slice(main.length).split(' ').filter(Boolean)};
}

/** The JDK's class that compiles and runs `java Foo.java`: that of JDK 11 to 21, and of 22 and later. */
const sourceLauncher = /^jdk\.compiler\/com\.sun\.tools\.javac\.launcher\.(?:Main|SourceLauncher) /;

/** Returns the command as HotSpot has it from the program's own name on: for `java Foo.java` from the file on. */
export function withoutSourceLauncher(recorded: string): string {
	return recorded.replace(sourceLauncher, '');
}

/** Returns the name of a main class, jar or source for lists: without a file's folders or a main class's module. */
export function shortMain(main: string): string {
	if (/\.(?:jar|java)$/.test(main)) {
		return main.slice(main.lastIndexOf('/') + 1);
	}

	return main.slice(main.startsWith('/') ? 0 : main.indexOf('/') + 1);
}

/** Limits of ours: the JDK's launcher reads files of any size and number. */
const maxArgumentFileBytes = 256 * 1024;
const maxArgumentFiles = 64;

/** A word of an argument file, of which parts may be quoted. */
const fileWord = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/**
Replaces "@file" among arguments by the file's words, as the java launcher does (JDK 9 and later, args.c), except for
escapes in files; "@@x" becomes "@x". `readFile` returns a file's text, or undefined if it cannot be read.
*/
export function expandArguments(args: readonly string[], readFile: (name: string) => string | undefined): string[] {
	let filesLeft = maxArgumentFiles;
	return args.flatMap(arg => {
		if (!/^@./.test(arg) || arg.startsWith('@@')) {
			return [arg.replace(/^@@/, '@')];
		}

		const text = filesLeft-- > 0 ? readFile(arg.slice(1)) ?? '' : '';
		return [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(fileWord)].map(([word]) => word.replaceAll(/["']/g, ''));
	});
}

/** Returns a process's java command line, with argument files read as the process sees them. */
export function readJavaCommand(pid: number): JavaCommand {
	const [, ...args] = readProcStrings(pid, 'cmdline');
	const readFile = (name: string) =>
		attempt(
			() =>
				readTextBelowRoot(
					pid,
					name.startsWith('/') ? name : `${workingFolder(pid)}/${name}`,
					maxArgumentFileBytes,
				),
			undefined,
		);
	return parseJavaCommand(expandArguments(args, readFile));
}

/** Whether a process was started by the name of `java`. */
export function isNamedJava(pid: number): boolean {
	return /(?:^|\/)java$/.test(readProcStrings(pid, 'cmdline')[0] ?? '');
}
