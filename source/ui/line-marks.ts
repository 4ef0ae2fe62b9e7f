import {linesOf, type Frame} from './frame.js';

/** Marks are characters for private use (U+E000 and after): one cell wide, and no escape sequence of Ink's has them. */
const firstMark = 0xE0_00;

/** Marks in turn: more than twice the lines of the highest screen, so that a frame's are still known while the next is drawn. */
export const markCount = 1024;

const marks = /[\uE000-\uE3FF]/g;

/**
One character for each line of the screen, the same for as long as the line stays on it. Ink takes every styled line apart into its cells, which was three quarters of what a refresh cost; it draws marks instead, and sees
by them which lines have changed.
*/
export class LineMarks {
	readonly #texts: string[] = Array.from({length: markCount}, () => '');
	/** Marks of the lines of the newest frame. */
	#markOf = new Map<string, string>();
	#next = 0;

	/** The frame with a mark for each line; empty lines stay empty. At most half as many different lines as there are marks. */
	mark(frame: Frame): Frame {
		const before = this.#markOf;
		const inUse = new Set(before.values());
		this.#markOf = new Map();
		for (const line of linesOf(frame)) {
			if (line !== '' && !this.#markOf.has(line)) {
				this.#markOf.set(line, before.get(line) ?? this.#newMark(line, inUse));
			}
		}

		const marked = (line: string) => this.#markOf.get(line) ?? '';
		return {
			above: frame.above.map(line => marked(line)),
			below: frame.below.map(line => marked(line)),
			...(frame.rows ? {heading: marked(frame.heading ?? ''), rows: frame.rows.map(line => marked(line))} : {}),
		};
	}

	/** What Ink has drawn, with the lines in place of their marks. */
	expand(drawn: string): string {
		return drawn.replaceAll(marks, mark => this.#texts[mark.codePointAt(0)! - firstMark]);
	}

	#newMark(line: string, inUse: ReadonlySet<string>): string {
		let mark: string;
		do {
			mark = String.fromCodePoint(firstMark + this.#next);
			this.#next = (this.#next + 1) % markCount;
		} while (inUse.has(mark));

		this.#texts[mark.codePointAt(0)! - firstMark] = line;
		return mark;
	}
}
