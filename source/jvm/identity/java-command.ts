/** What a java command line starts. Raw text: not yet printable. */
export type JavaCommand = {
	/** Class name, jar file's path, or module/class; empty if the line does not say. */
	readonly main: string;
	readonly args: readonly string[];
	/** Arguments in front of it: for the JVM and the launcher. */
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

/** Splits a java command line (arguments after the program's own name, argument files already expanded). */
export function parseJavaCommand(args: readonly string[]): JavaCommand {
	let index = 0;
	while (index < args.length) {
		const arg = args[index];
		if (arg === '-jar' || arg === '-m' || arg === '--module') {
			return {main: args[index + 1] ?? '', args: args.slice(index + 2), vmArgs: args.slice(0, index)};
		}

		if (arg.startsWith('--module=')) {
			return {main: arg.slice('--module='.length), args: args.slice(index + 1), vmArgs: args.slice(0, index)};
		}

		if (withValue.has(arg)) {
			index += 2;
		} else if (arg.startsWith('-') || arg === '') {
			index++;
		} else {
			return {main: arg, args: args.slice(index + 1), vmArgs: args.slice(0, index)};
		}
	}

	return {main: '', args: [], vmArgs: args};
}

/**
Splits HotSpot's own record of its command (counter sun.rt.javaCommand): main and arguments joined by blanks. A jar's
path may hold blanks itself.
*/
export function parseRecordedCommand(recorded: string): {readonly main: string; readonly args: readonly string[]} {
	const jar = /^\S*\/.*?\.jar(?= |$)/.exec(recorded)?.[0];
	const main = jar ?? recorded.split(' ', 1)[0];
	return {main, args: recorded.slice(main.length).split(' ').filter(Boolean)};
}

/** The main class or jar as lists show it: a jar without its folders, a module's main class without the module. */
export function shortMain(main: string): string {
	return main.endsWith('.jar') ? main.slice(main.lastIndexOf('/') + 1) : main.slice(main.startsWith('/') ? 0 : main.indexOf('/') + 1);
}
