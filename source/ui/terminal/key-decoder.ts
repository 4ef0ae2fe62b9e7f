import {Buffer} from 'node:buffer';
import {StringDecoder} from 'node:string_decoder';

/** A mouse event and its cell of the screen, counted from 0. */
export type MouseInput = {
	readonly mouse: 'click' | 'wheel-up' | 'wheel-down';
	readonly column: number;
	readonly line: number;
};

/** Text that was pasted: one line, without control characters. */
type PasteInput = {readonly paste: string};

/** A key by its name, or another input. */
export type Input = string | MouseInput | PasteInput;

/** What a terminal writes before and after pasted text in mode 2004 ("bracketed paste" of xterm's "ctlseqs"). */
const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';

/** Most characters of a paste that are kept, more than any input line takes. */
const maxPasteLength = 4096;

/** Most characters of an escape sequence whose end has not arrived; beyond that, its ESC is the Escape key. */
const maxSequence = 32;

const controlKeys: Readonly<Record<string, string>> = {
	'\r': 'enter', '\n': 'enter', '\t': 'tab', '\u007F': 'backspace', '\b': 'backspace',
};

/** Keys by what follows CSI (ESC [) or SS3 (ESC O): xterm's, rxvt's, PuTTY's and the Linux console's. */
const sequences: Readonly<Record<string, string>> = {
	A: 'up',
	B: 'down',
	C: 'right',
	D: 'left',
	H: 'home',
	F: 'end',
	Z: 'shift-tab',
	M: 'enter',
	P: 'f1',
	Q: 'f2',
	R: 'f3',
	S: 'f4',
	'1~': 'home',
	'2~': 'insert',
	'3~': 'delete',
	'4~': 'end',
	'5~': 'pageup',
	'6~': 'pagedown',
	'7~': 'home',
	'8~': 'end',
	'11~': 'f1',
	'12~': 'f2',
	'13~': 'f3',
	'14~': 'f4',
	'15~': 'f5',
	'17~': 'f6',
	'18~': 'f7',
	'19~': 'f8',
	'20~': 'f9',
	'21~': 'f10',
	'23~': 'f11',
	'24~': 'f12',
	'[A': 'f1',
	'[B': 'f2',
	'[C': 'f3',
	'[D': 'f4',
	'[E': 'f5',
};

/** The beginning of a mouse report, old or SGR: nobody types these bytes. */
const mousePattern = /^\u001B\[[<M]/;

/** The beginning of an SGR mouse report or of a paste. */
const splitPattern = /^\u001B\[(?:<\d|200~)/;

/** The part of a mouse report that arrived before something else interrupted it. */
const brokenMousePattern = /^\u001B\[(?:<[\d;]*|M[^\u0000-\u001F]{0,2})/;

/** A complete escape sequence. CSI M and three characters is the mouse's older report, which is ignored. */
const sequencePattern
	= /^\u001B(?:\[(\[[A-E]|M[^\u0000-\u001F]{3}|(?!M)[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u005A\u005C-\u007E])|O(\d*[A-Za-z]))/;
const unfinishedPattern = /^\u001B(?:\[(?:\[|M[^\u0000-\u001F]{0,2}|[\u0030-\u003F]*[\u0020-\u002F]*)|O\d*)?$/;

/** Turns the bytes of a terminal into key names. A lone ESC may begin a sequence: `flush` makes it a key. */
export class KeyDecoder {
	readonly #utf8 = new StringDecoder('utf8');
	/** The characters not decoded yet. */
	#rest = '';
	/** The characters that `flush` took for the Escape key: the next bytes may show that they began something else. */
	#flushed = '';
	/** The text of the paste whose end has not arrived, if any. */
	#paste: string | undefined;

	/** Whether the end of a paste has not arrived. */
	get isPasting(): boolean {
		return this.#paste !== undefined;
	}

	/** Whether the bytes so far end in what is either the Escape key or the beginning of a sequence. */
	get isUnfinished(): boolean {
		return this.#rest !== '' && !mousePattern.test(this.#rest);
	}

	/** Returns the inputs that these bytes complete, in order. */
	push(bytes: Uint8Array): Input[] {
		const text = this.#utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		// A slow link may split a mouse report or a paste after its ESC; the next characters would be taken for keys.
		this.#rest += (splitPattern.test(this.#flushed + text) ? this.#flushed : '') + text;
		this.#flushed = '';
		const inputs: Input[] = [];
		for (let next = this.#next(); next; next = this.#next()) {
			inputs.push(...next);
		}

		return inputs;
	}

	/**
	Stops waiting: returns what there is of an unfinished paste, or the Escape key for an unfinished sequence, unless
	that is a mouse report.
	*/
	flush(): Input[] {
		if (this.#paste !== undefined) {
			const text = this.#paste + this.#rest;
			this.#paste = undefined;
			this.#rest = '';
			return [pasteInput(text)];
		}

		if (!this.isUnfinished) {
			return [];
		}

		this.#flushed = this.#rest;
		this.#rest = '';
		return ['escape'];
	}

	/** Takes the next key, sequence or paste from the characters; returns undefined if they do not complete one. */
	#next(): Input[] | undefined {
		if (this.#paste !== undefined) {
			return this.#nextOfPaste(this.#paste);
		}

		const first = this.#rest.codePointAt(0);
		if (first === undefined) {
			return undefined;
		}

		if (first !== 0x1B) {
			const character = String.fromCodePoint(first);
			this.#rest = this.#rest.slice(character.length);
			return plainKey(character, first);
		}

		const match = sequencePattern.exec(this.#rest);
		if (match) {
			this.#rest = this.#rest.slice(match[0].length);
			this.#paste = match[0] === pasteStart ? '' : undefined;
			return sequenceKey(match[1] ?? match[2]);
		}

		if (unfinishedPattern.test(this.#rest) && this.#rest.length < maxSequence) {
			return undefined;
		}

		if (mousePattern.test(this.#rest)) {
			// The end of the report was lost; the next bytes are something else.
			this.#rest = this.#rest.replace(brokenMousePattern, '');
			return [];
		}

		this.#rest = this.#rest.slice(1);
		return ['escape'];
	}

	/** Takes what has arrived of a paste; returns it if its end has arrived. */
	#nextOfPaste(before: string): Input[] | undefined {
		const end = this.#rest.indexOf(pasteEnd);
		const length = end === -1 ? this.#rest.length - endOverlap(this.#rest) : end;
		const text = (before + this.#rest.slice(0, length)).slice(0, maxPasteLength);
		this.#rest = this.#rest.slice(end === -1 ? length : length + pasteEnd.length);
		this.#paste = end === -1 ? text : undefined;
		return end === -1 ? undefined : [pasteInput(text)];
	}
}

/** Returns how many of the last characters of a text may be the beginning of a paste's end. */
function endOverlap(text: string): number {
	let length = Math.min(text.length, pasteEnd.length - 1);
	while (!text.endsWith(pasteEnd.slice(0, length))) {
		length--;
	}

	return length;
}

/** What is not text: controls, line and paragraph separators, bidi controls, and U+FFFD for broken UTF-8. */
const noText = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{FFFD}]+/gu;

/** Returns a paste as one line: a space is what line ends and other characters become that are not text. */
function pasteInput(text: string): PasteInput {
	const kept = text.slice(0, maxPasteLength).replace(/[\uD800-\uDBFF]$/, '');
	return {paste: kept.replaceAll(/^[\r\n]+|[\r\n]+$/g, '').replaceAll(noText, ' ')};
}

function plainKey(character: string, code: number): string[] {
	const controlKey = controlKeys[character];
	if (controlKey) {
		return [controlKey];
	}

	if (code < 0x20) {
		return code >= 1 && code <= 26 ? [`ctrl-${String.fromCodePoint(code + 0x60)}`] : [];
	}

	// C1 controls and U+FFFD, the decoder's replacement for broken UTF-8, are not keys.
	return (code >= 0x80 && code < 0xA0) || code === 0xFF_FD ? [] : [character];
}

function sequenceKey(body: string): Input[] {
	if (body.startsWith('<')) {
		return [mouseInput(body)].filter(input => input !== undefined);
	}

	// Modifiers ("1;5C") are ignored: Ctrl with an arrow is still that arrow.
	const plain = sequences[body] ?? sequences[body.replace(/^(\d+);\d+/, '$1').replace(/^1([A-Z])$/, '$1')];
	return plain ? [plain] : [];
}

/** Bits for Shift, Meta and Control in a button number; ignored. */
const modifiers = 4 + 8 + 16;
const mouseEvents = new Map<number, MouseInput['mouse']>([[0, 'click'], [64, 'wheel-up'], [65, 'wheel-down']]);

/** Parses an SGR report without its CSI, such as "<0;12;5M"; returns undefined for events that are not used. */
function mouseInput(sequence: string): MouseInput | undefined {
	const [, button, column, line] = /^<(\d{1,4});(\d{1,5});(\d{1,5})M$/.exec(sequence) ?? [];
	const mouse = mouseEvents.get(Number(button) & ~modifiers);
	return mouse && Number(column) >= 1 && Number(line) >= 1
		? {mouse, column: Number(column) - 1, line: Number(line) - 1}
		: undefined;
}
