/*
Source maps of class files (JSR 45). kotlinc gives the code of inlined functions lines beyond the end of the file; the
SMAP tells where each comes from (stratum Kotlin) and which line inlined it (stratum KotlinDebug).
*/

/** Where a line of a class comes from. Not printable. */
export type Origin = {
	/** Name of the source: `Timing.kt`. */
	readonly file: string;
	/** Its class, with slashes: `com/acme/TimingKt`. */
	readonly path: string;
	readonly line: number;
	/** The line of the class's own source with the call; undefined if not known. */
	readonly calledAt?: number;
};

/** Lines `outputStart + i` come from `inputStart + floor(i / increment)` of a file, for i from 0 on below `length`. */
type Range = {
	readonly inputStart: number;
	readonly fileId: number;
	readonly outputStart: number;
	readonly length: number;
	readonly increment: number;
};

type Stratum = {readonly files: Map<number, {readonly file: string; readonly path: string}>; readonly ranges: Range[]};

/** More than the largest class files have. */
const maxTextLines = 10_000;

/** `InputStart#File,Repeat:OutputStart,Increment`; all but the starts may be missing. */
const rangeLine = /^(\d{1,9})(?:#(\d{1,9}))?(?:,(\d{1,9}))?:(\d{1,9})(?:,(\d{1,9}))?$/;
const fileLine = /^(\+ )?(\d{1,9}) (.+)$/;

/** Returns the function that maps a line of a class with this SMAP: undefined if the line is its own source's. */
export function parseSmap(text: string): (line: number) => Origin | undefined {
	const strata = readStrata(text.split(/\r\n|\n|\r/, maxTextLines));
	const [source, calls] = [strata.get('Kotlin'), strata.get('KotlinDebug')];
	return line => {
		const found = source && lookUp(source, line);
		const called = calls && lookUp(calls, line);
		return found && found.line !== line ? {...found, ...(called ? {calledAt: called.line} : {})} : undefined;
	};
}

function lookUp({files, ranges}: Stratum, line: number): Omit<Origin, 'calledAt'> | undefined {
	const range = ranges.find(({outputStart, length}) => line >= outputStart && line - outputStart < length);
	const named = range && files.get(range.fileId);
	return named && {...named, line: range.inputStart + Math.floor((line - range.outputStart) / range.increment)};
}

function readStrata(lines: readonly string[]): Map<string, Stratum> {
	const strata = new Map<string, Stratum>();
	let [stratum, section, fileId] = [undefined as Stratum | undefined, '', 1];
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at];
		if (line.startsWith('*')) {
			section = line[1];
			if (section === 'S') {
				stratum = {files: new Map(), ranges: []};
				strata.set(line.slice('*S '.length).trim(), stratum);
				fileId = 1;
			}
		} else if (section === 'F') {
			const [, plus, id, file] = fileLine.exec(line) ?? [];
			// After a +, the next line has the path.
			at += Number(plus !== undefined);
			if (file !== undefined) {
				stratum?.files.set(Number(id), {file, path: plus === undefined ? file : lines[at] ?? ''});
			}
		} else if (section === 'L') {
			const range = readRange(line, fileId);
			fileId = range?.fileId ?? fileId;
			stratum?.ranges.push(...range ? [range] : []);
		}
	}

	return strata;
}

/** Reads a line of a line section. `lastFileId`: of the line before, which holds if the line has none. */
function readRange(line: string, lastFileId: number): Range | undefined {
	const [, inputStart, id = String(lastFileId), repeat = '1', outputStart, increment = '1']
		= rangeLine.exec(line) ?? [];
	if (inputStart === undefined || Number(increment) === 0) {
		return undefined;
	}

	return {
		inputStart: Number(inputStart),
		fileId: Number(id),
		outputStart: Number(outputStart),
		length: Number(repeat) * Number(increment),
		increment: Number(increment),
	};
}
