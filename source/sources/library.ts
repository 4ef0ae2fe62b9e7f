import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {printable} from '../model/text.js';
import {
	type SourceOf, type SourceLocation, type SourceText, misfitOf, pathOfSource,
} from './source-text.js';
import type {SourceRoot} from './roots.js';

/** Maximum number of cached files. */
const maxCached = 32;

/** Maximum lines of a file and characters of a line: more than anybody reads. */
const maxLines = 50_000;
const maxLineLength = 500;

const tab = '    ';

type Found = Omit<SourceText, 'misfit'>;

/** Returns a function that finds sources below the roots; the first root with the file wins. Caches recent files. */
export function sourceLibrary(roots: () => readonly SourceRoot[]): SourceOf {
	const cache = new Map<string, Found | undefined>();
	return location => {
		const relative = pathOfSource(location);
		if (relative === undefined) {
			return undefined;
		}

		const found = cache.has(relative) ? cache.get(relative) : findSource(roots(), relative);
		// A map iterates in the order of insertion: its first key is the least recently used.
		cache.delete(relative);
		cache.set(relative, found);
		if (cache.size > maxCached) {
			cache.delete(cache.keys().next().value!);
		}

		return found && withMisfit(found, location);
	};
}

function withMisfit(found: Found, location: SourceLocation): SourceText {
	const misfit = misfitOf(found.lines, location);
	return misfit === undefined ? found : {...found, misfit};
}

function findSource(roots: readonly SourceRoot[], relative: string): Found | undefined {
	for (const root of roots) {
		const source = root.read(relative);
		if (source) {
			const name = path.basename(relative);
			return {
				name, found: printable(source.found), lines: linesOf(source.bytes), file: () => source.file ?? copyOf(source.bytes, name),
			};
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

let copies: string | undefined;

/** Writes a copy for an editor, readable only by our user, and returns its path. It is removed when we exit. */
function copyOf(bytes: Buffer, name: string): string {
	if (copies === undefined) {
		const folder = mkdtempSync(path.join(tmpdir(), 'tprof-sources-'));
		process.on('exit', () => {
			rmSync(folder, {recursive: true, force: true});
		});
		copies = folder;
	}

	const file = path.join(mkdtempSync(path.join(copies, 'source-')), name);
	writeFileSync(file, bytes, {mode: 0o400, flag: 'wx'});
	return file;
}
