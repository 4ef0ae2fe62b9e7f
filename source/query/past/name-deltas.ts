import type {Bytes, Numbers} from '../../model/varints.js';

/*
How names changed from one moment to the next, as numbers behind those of the other columns (deltas.ts): for each that
did how far the old one and the new one begin alike, and what comes after that in each, so that a number in a name that
goes up takes some bytes.
*/

/** A name that became another: `kept` UTF-16 units of both are the same, then comes what was there and what is. */
type Change = {readonly kept: number; readonly before: string; readonly after: string};

/** What led from the names `then` (none where there are no more of them) to `now`. */
export function writeNames(writer: Bytes, then: readonly string[], now: readonly string[]): void {
	let last = -1;
	// Mostly it is the same list.
	const length = then === now ? 0 : now.length;
	for (let index = 0; index < length; index++) {
		const [old, name] = [then[index] ?? '', now[index]];
		if (name !== old) {
			writer.number(index - last);
			write(writer, changeOf(old, name));
			last = index;
		}
	}

	writer.number(0);
}

/** What two changes, one after the other, come to. */
export function mergeNames(writer: Bytes, first: Numbers, second: Numbers): void {
	const sources = [first, second].map(reader => new Entries(reader));
	let last = -1;
	for (;;) {
		const index = Math.min(...sources.map(entries => entries.index));
		if (index === Infinity) {
			break;
		}

		const [a, b] = sources.map(entries => entries.take(index));
		const change = a && b ? joined(a, b) : (a ?? b)!;
		if (change.before !== change.after) {
			writer.number(index - last);
			write(writer, change);
			last = index;
		}
	}

	writer.number(0);
}

/** Leads names on by a change, or back. */
export function moveNames(names: string[], reader: Numbers, direction: 1 | -1): void {
	const entries = new Entries(reader);
	while (entries.index < Infinity) {
		const {index} = entries;
		const {kept, before, after} = entries.take(index)!;
		names[index] = (names[index] ?? '').slice(0, kept) + (direction === 1 ? after : before);
	}
}

/** The names that changed, one after the other. */
class Entries {
	/** Of the next one; Infinity behind the last. */
	index = -1;
	readonly #reader: Numbers;

	constructor(reader: Numbers) {
		this.#reader = reader;
		this.#advance();
	}

	/** The change of the name with this index; undefined if it is not the next. */
	take(index: number): Change | undefined {
		if (index !== this.index) {
			return undefined;
		}

		const change = {kept: this.#reader.number(), before: readText(this.#reader), after: readText(this.#reader)};
		this.#advance();
		return change;
	}

	#advance(): void {
		const gap = this.#reader.number();
		this.index = gap === 0 ? Infinity : this.index + gap;
	}
}

function changeOf(old: string, name: string): Change {
	const most = Math.min(old.length, name.length);
	let kept = 0;
	while (kept < most && old.codePointAt(kept) === name.codePointAt(kept)) {
		kept++;
	}

	return {kept, before: old.slice(kept), after: name.slice(kept)};
}

/** The name between the two is `first.after` behind what `first` keeps, and `second.before` behind what `second` does. */
function joined(first: Change, second: Change): Change {
	const more = second.kept - first.kept;
	return more >= 0
		? {kept: first.kept, before: first.before, after: first.after.slice(0, more) + second.after}
		: {kept: second.kept, before: second.before.slice(0, -more) + first.before, after: second.after};
}

function write(writer: Bytes, {kept, before, after}: Change): void {
	writer.number(kept);
	for (const text of [before, after]) {
		const characters = [...text];
		writer.number(characters.length);
		for (const character of characters) {
			writer.number(character.codePointAt(0)!);
		}
	}
}

function readText(reader: Numbers): string {
	let text = '';
	for (let left = reader.number(); left > 0; left--) {
		text += String.fromCodePoint(reader.number());
	}

	return text;
}
