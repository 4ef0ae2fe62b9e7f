import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {cached} from '../model/get-or-create.js';
import {printable} from '../model/text.js';
import type {SourceRoot} from './roots.js';

/** The source that a class was probably compiled from. Lines are printable, without tabs, and truncated if long. */
export type SourceText = {
	/** The file's name: `Bubble.java`. */
	readonly name: string;
	/** Where it was found: a path or, in a jar, `path!/entry`. */
	readonly found: string;
	readonly lines: readonly string[];
	/** Why the running class cannot have been compiled from it, so that no figures are shown; undefined if it can. */
	readonly mismatch?: string;
	/** Returns a file for an editor; each call extracts one if the source is in a jar. Throws an Error. */
	file(): string;
};

type SourceLocation = {readonly className: string; readonly method: string; readonly file: string; readonly line: number};

/** Returns the source of a location; undefined if there is none. May read files. */
export type SourceOf = (location: SourceLocation) => SourceText | undefined;

const maxCached = 32;

/** More than anybody reads. */
const maxLines = 50_000;
const maxLineLength = 500;

const tab = '    ';

/** A source that may be of another version than the running class. */
type Candidate = Omit<SourceText, 'mismatch'>;

/** Returns a function that finds sources below the roots; the first root with the file wins. Caches recent files. */
export function sourceLibrary(roots: () => readonly SourceRoot[]): SourceOf {
	const cache = new Map<string, {readonly candidate: Candidate | undefined}>();
	return location => {
		const relative = pathOfSource(location);
		if (relative === undefined) {
			return undefined;
		}

		const {candidate} = cached(cache, relative, maxCached, () => ({candidate: findSource(roots(), relative)}));
		const mismatch = candidate && mismatchOf(candidate.lines, location);
		return mismatch === undefined ? candidate : {...candidate!, mismatch};
	};
}

function findSource(roots: readonly SourceRoot[], relative: string): Candidate | undefined {
	for (const root of roots) {
		const source = root.read(relative);
		if (source) {
			const name = path.basename(relative);
			const file = () => source.file ?? copyOf(source.bytes, name);
			return {name, found: printable(source.found), lines: linesOf(source.bytes), file};
		}
	}

	return undefined;
}

/** Returns the lines of a file, printable and at most `maxLineLength` long, with tabs as blanks. */
export function linesOf(bytes: Buffer): string[] {
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
export function pathOfSource({className, file}: SourceLocation): string | undefined {
	const packages = className.split('.').slice(0, -1);
	return plainName.test(file) && packages.every(name => plainName.test(name) && !name.includes('..')) ? [...packages, file].join('/') : undefined;
}

/** Maximum distance from a method's name to one of its lines. */
const maxMethodLines = 300;

/**
Returns why a class cannot have been compiled from a source; undefined if it can: the source has the line, with the
method's name on it or less than `maxMethodLines` above.
*/
export function mismatchOf(lines: readonly string[], {className, method, line}: SourceLocation): string | undefined {
	if (line > lines.length) {
		return `it has ${lines.length} lines, but line ${line} runs`;
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

/** Returns the name that a method has in its source; undefined if it has none there. */
function nameInSource(className: string, method: string): string | undefined {
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
	const name = lambda ?? method.split(/[$-]/, 1)[0];
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
