import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {printable} from '../model/text.js';
import {
	type SourceOf, type SourceLocation, type SourceText, misfitOf, pathOfSource,
} from './source-text.js';
import type {SourceRoot} from './roots.js';

/** Recent files kept. */
const maxKept = 32;

/** Lines kept of a file, and characters of a line: more than anybody reads. */
const maxLines = 50_000;
const maxLineLength = 500;

const tab = '    ';

type Found = Omit<SourceText, 'misfit'>;

/** Finds sources below some roots, the first that has a file. Caches the recent ones. */
export function sourceLibrary(roots: () => readonly SourceRoot[]): SourceOf {
	const kept = new Map<string, Found | undefined>();
	return place => {
		const relative = pathOfSource(place);
		if (relative === undefined) {
			return undefined;
		}

		const found = kept.has(relative) ? kept.get(relative) : firstOf(roots(), relative);
		kept.delete(relative);
		kept.set(relative, found);
		if (kept.size > maxKept) {
			kept.delete(kept.keys().next().value!);
		}

		return found && fitted(found, place);
	};
}

function fitted(found: Found, place: SourceLocation): SourceText {
	const misfit = misfitOf(found.lines, place);
	return misfit === undefined ? found : {...found, misfit};
}

function firstOf(roots: readonly SourceRoot[], relative: string): Found | undefined {
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

/** Lines as a terminal may show them. */
export function linesOf(bytes: Buffer): string[] {
	const lines = bytes.toString('utf8').replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, maxLines);
	if (lines.at(-1) === '') {
		lines.pop();
	}

	return lines.map(line => printable(line.slice(0, maxLineLength).replaceAll('\t', tab), maxLineLength));
}

let copies: string | undefined;

/** A copy for an editor, readable by us alone; it is gone when we end. */
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
