/** The source that a class was probably compiled from. Lines are printable, without tabs, and cut to a bound. */
export type SourceText = {
	/** The file's name, for people: `Bubble.java`. */
	readonly name: string;
	/** Where it was found: a path, or that of a jar and the name in it. */
	readonly found: string;
	readonly lines: readonly string[];
	/** Why it does not fit the class that runs: nothing else is known of it then; undefined when it fits. */
	readonly misfit?: string;
	/** A file that an editor can be given; made at the first call where the source is in a jar. Throws an Error. */
	file(): string;
};

/** Where a place's source is looked for. */
export type SourceLocation = {readonly className: string; readonly method: string; readonly file: string; readonly line: number};

/** Finds the source of a place; undefined where there is none. May read files. */
export type SourceOf = (place: SourceLocation) => SourceText | undefined;

/** A name that can stand in a path without leading anywhere else. */
const plainName = /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u;

/**
The path of a place's source below a root of packages, as compilers ask for it: the package as folders, and the file
that the class file names. Undefined where a name, which comes from the target, is not one that a source file has.
*/
export function pathOfSource({className, file}: SourceLocation): string | undefined {
	const packages = className.split('.').slice(0, -1);
	return plainName.test(file) && packages.every(name => plainName.test(name) && !name.includes('..')) ? [...packages, file].join('/') : undefined;
}

/** How far above its lines a method's name is looked for. */
const maxMethodLines = 300;

/**
Why a source cannot be the one that a class was compiled from; undefined when it can: it has the line, and the method's
name stands at it or not far above.
*/
export function misfitOf(lines: readonly string[], {className, method, line}: SourceLocation): string | undefined {
	if (line > lines.length) {
		return `it has ${lines.length} lines, and ${line} runs`;
	}

	const name = nameInSource(className, method);
	if (line < 1 || name === undefined) {
		return undefined;
	}

	for (let at = line; at > Math.max(0, line - maxMethodLines); at--) {
		if (hasWord(lines[at - 1], name)) {
			return undefined;
		}
	}

	return `line ${line} is not in a method ${name}`;
}

/** What a method is called in its source; undefined where it has no name there. */
function nameInSource(className: string, method: string): string | undefined {
	if (method === '<clinit>') {
		return undefined;
	}

	if (method === '<init>') {
		// Fields of a class are initialized there too: its name stands above them.
		const simple = className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
		return /^\d*$/.test(simple) ? undefined : simple;
	}

	// As javac and scalac name the bodies of lambdas, and kotlinc what has default values or is internal.
	const [, lambda] = /^(?:lambda\$|\$anonfun\$)([^$]+)/.exec(method) ?? [];
	const name = lambda ?? method.split(/[$-]/, 1)[0];
	return /^(?:new|static|)$/.test(name) ? undefined : name;
}

function hasWord(line: string, word: string): boolean {
	for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
		if (!isPartOfName(line[at - 1]) && !isPartOfName(line[at + word.length])) {
			return true;
		}
	}

	return false;
}

function isPartOfName(character: string | undefined): boolean {
	return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}
