import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {cached} from '../util/get-or-create.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {sourceDebugExtension} from './class-file.js';
import type {SourceRoot} from './roots.js';
import {parseSmap, type Origin} from './smap.js';

/** The source that a class was probably compiled from. Lines are printable, without tabs, and truncated if long. */
export type SourceText = {
	/** The file's name: `Bubble.java`. */
	readonly name: Printable;
	/** Where it was found: a path or, in a jar, `path!/entry`. */
	readonly found: Printable;
	readonly lines: readonly Printable[];
	/** Why the running class cannot have been compiled from it, so that no figures are shown; undefined if it can. */
	readonly mismatch?: Printable;
	/** The location's line in it, if it is not the line's own number: that of inlined code. */
	readonly line?: number;
	/** Why it does not have the line, although the class may have been compiled from it. */
	readonly note?: Printable;
	/** Returns a file for an editor; each call extracts one if the source is in a jar. Throws an Error. */
	file(): string;
};

type SourceLocation = {
	readonly className: Printable;
	readonly method: Printable;
	readonly file: Printable;
	readonly line: number;
};

/** Returns the source of a location; undefined if there is none. May read files. */
export type SourceOf = (location: SourceLocation) => SourceText | undefined;

/**
Where a line beyond the end of a Kotlin source comes from: `file` and `line` of the inlined function, and where it was
`calledAt`, as far as known. Names are printable.
*/
export type Inlined = {readonly file?: Printable; readonly line?: number; readonly calledAt?: number};

/** Returns where a line comes from, if it is inlined code; otherwise undefined. May read files. */
type InlinedOf = (location: SourceLocation) => Inlined | undefined;

const maxCached = 32;
const maxCachedLines = 10_000;
const maxCachedClasses = 500;

/** More than anybody reads. */
const maxLines = 50_000;
const maxLineLength = 500;

const tab = '    ';

/** A source that may be of another version than the running class. */
type Candidate = Omit<SourceText, 'mismatch' | 'line' | 'note'>;

/** Finds the sources of locations, and where inlined code comes from. */
type SourceLibrary = {readonly sourceOf: SourceOf; readonly inlinedOf: InlinedOf};

type Roots = () => readonly SourceRoot[];

/**
Returns a library of the sources below the roots and the class files below `classes`; the first root with a file wins.
Caches recent files.
*/
export function sourceLibrary(roots: Roots, classes: Roots = () => []): SourceLibrary {
	const sources = new Map<string, {readonly candidate: Candidate | undefined}>();
	const candidateOf = (location: SourceLocation) => {
		const relative = pathOfSource(location);
		return relative === undefined
			? undefined
			: cached(sources, relative, maxCached, () => ({candidate: findSource(roots(), relative)})).candidate;
	};

	const origins = new Map<string, {readonly originOf: OriginOf}>();
	const originOf = (location: SourceLocation) => {
		const find = () => ({originOf: findOrigins(classes(), location)});
		return cached(origins, `${location.className}/${location.file}`, maxCachedClasses, find)
			.originOf(location.line);
	};

	const inlined = new Map<string, {readonly found: Inlined | undefined}>();
	const findInlined = (location: SourceLocation): Inlined | undefined => {
		const origin = originOf(location);
		// The line of a class without a class file that maps it may only lie beyond the end of its source.
		const isBeyond = () => location.line > (candidateOf(location)?.lines.length ?? Infinity);
		if (origin) {
			return {file: printable(origin.file), line: origin.line, calledAt: origin.calledAt};
		}

		return isBeyond() ? {} : undefined;
	};

	const inlinedOf: InlinedOf = location => {
		if (location.line < 1 || !location.file.endsWith('.kt')) {
			return undefined;
		}

		const key = `${location.className}/${location.file}:${location.line}`;
		return cached(inlined, key, maxCachedLines, () => ({found: findInlined(location)})).found;
	};

	return {
		inlinedOf,
		sourceOf(location) {
			const origin = inlinedOf(location) && originOf(location);
			if (origin) {
				const at = {
					className: printable(origin.path.replaceAll('/', '.')),
					method: safe``,
					file: printable(origin.file),
					line: origin.line,
				};
				const text = candidateOf(at);
				return text && {...text, line: origin.line, mismatch: mismatchOf(text.lines, at)};
			}

			const candidate = candidateOf(location);
			if (candidate && inlinedOf(location)) {
				const note = safe`line ${location.line} is inlined code; the class file, which says of what, was not found`;
				return {...candidate, note};
			}

			return candidate && {...candidate, mismatch: mismatchOf(candidate.lines, location)};
		},
	};
}

type OriginOf = (line: number) => Origin | undefined;

/** Returns where the lines of a location's class come from, by the SMAP of its class file; nothing if there is none. */
function findOrigins(roots: readonly SourceRoot[], {className, file}: SourceLocation): OriginOf {
	const relative = pathOfSource({className, file: safe`${className.slice(className.lastIndexOf('.') + 1)}.class`});
	for (const root of relative === undefined ? [] : roots) {
		const found = root.read(relative!);
		if (found) {
			const smap = sourceDebugExtension(found.bytes);
			// Another version of the class may be of another source.
			return smap?.split(/[\r\n]+/, 2)[1] === file ? parseSmap(smap) : () => undefined;
		}
	}

	return () => undefined;
}

function findSource(roots: readonly SourceRoot[], relative: string): Candidate | undefined {
	for (const root of roots) {
		const source = root.read(relative);
		if (source) {
			const name = path.basename(relative);
			const file = () => source.file ?? copyOf(source.bytes, name);
			return {name: printable(name), found: printable(source.found), lines: linesOf(source.bytes), file};
		}
	}

	return undefined;
}

/** Returns the lines of a file, printable and at most `maxLineLength` long, with tabs as blanks. */
export function linesOf(bytes: Buffer): Printable[] {
	const lines = bytes.toString('utf8').replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, maxLines);
	if (lines.at(-1) === '') {
		lines.pop();
	}

	return lines.map(line => printable(line.slice(0, maxLineLength).replaceAll('\t', tab), maxLineLength));
}

let folderOfCopies: string | undefined;

/** Writes a copy for an editor, readable only by our user, and returns its path. It is removed when we exit. */
function copyOf(bytes: Buffer, name: string): string {
	if (folderOfCopies === undefined) {
		const folder = mkdtempSync(path.join(tmpdir(), 'tprof-sources-'));
		process.on('exit', () => {
			rmSync(folder, {recursive: true, force: true});
		});
		folderOfCopies = folder;
	}

	const file = path.join(mkdtempSync(path.join(folderOfCopies, 'source-')), name);
	writeFileSync(file, bytes, {mode: 0o400, flag: 'wx'});
	return file;
}

/** A name that is safe in a path: it cannot lead out of its folder. */
const plainName = /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u;

/**
Returns the path of a location's source below the folder of the top-level packages: its package as folders, then the
file's name. Undefined if a name, which comes from the target, is unsafe in a path.
*/
export function pathOfSource({className, file}: Pick<SourceLocation, 'className' | 'file'>): string | undefined {
	const packages = className.split('.').slice(0, -1);
	return plainName.test(file) && packages.every(name => plainName.test(name) && !name.includes('..'))
		? [...packages, file].join('/')
		: undefined;
}

/** Maximum distance from a method's name to one of its lines. */
const maxMethodLines = 300;

/**
Returns why a class cannot have been compiled from a source; undefined if it can: the source has the line, with the
method's name on it or less than `maxMethodLines` above.
*/
export function mismatchOf(lines: readonly string[], {className, method, line}: SourceLocation): Printable | undefined {
	if (line > lines.length) {
		return safe`it has ${lines.length} lines, but line ${line} runs`;
	}

	const name = method === '' ? undefined : nameInSource(className, method);
	if (line < 1 || name === undefined) {
		return undefined;
	}

	for (let at = line; at > Math.max(0, line - maxMethodLines); at--) {
		if (hasWord(lines[at - 1], name)) {
			return undefined;
		}
	}

	return safe`line ${line} is not in a method ${name}`;
}

/** Returns the name that a method has in its source; undefined if it has none there. */
function nameInSource(className: Printable, method: Printable): Printable | undefined {
	if (method === '<clinit>') {
		return undefined;
	}

	if (method === '<init>') {
		// Field initializers are compiled into constructors: the class's name is above those too.
		const simpleName = className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
		const isAnonymous = /^\d*$/.test(simpleName);
		return isAnonymous ? undefined : simpleName;
	}

	// Lambda bodies of javac and scalac; kotlinc appends $ or - and a suffix to default-argument and internal methods.
	const [, lambda] = /^(?:lambda\$|\$anonfun\$)([^$]+)/.exec(method) ?? [];
	const name = lambda === undefined ? method.split(/[$-]/, 1)[0] : printable(lambda);
	// Lambdas of constructors are named lambda$new$0, those of static initializers lambda$static$0.
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
