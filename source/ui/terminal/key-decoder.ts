import {Buffer} from 'node:buffer';
import {StringDecoder} from 'node:string_decoder';

/** A mouse event and its cell of the screen, counted from 0. */
export type MouseInput = {readonly mouse: 'click' | 'wheel-up' | 'wheel-down'; readonly column: number; readonly line: number};

/** Most characters of an escape sequence whose end has not arrived; beyond that, its ESC is the Escape key. */
const maxSequence = 32;

const controlKeys: Readonly<Record<string, string>> = {
	'\r': 'enter', '\n': 'enter', '\t': 'tab', '\u007F': 'backspace', '\b': 'backspace',
};

/** Keys by what follows CSI (ESC [) or SS3 (ESC O): xterm's, rxvt's, PuTTY's and the Linux console's. */
const sequences: Readonly<Record<string, string>> = {
	A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end', Z: 'shift-tab', M: 'enter',
	P: 'f1', Q: 'f2', R: 'f3', S: 'f4',
	'1~': 'home', '2~': 'insert', '3~': 'delete', '4~': 'end', '5~': 'pageup', '6~': 'pagedown', '7~': 'home', '8~': 'end',
	'11~': 'f1', '12~': 'f2', '13~': 'f3', '14~': 'f4', '15~': 'f5', '17~': 'f6', '18~': 'f7', '19~': 'f8', '20~': 'f9', '21~': 'f10', '23~': 'f11', '24~': 'f12',
	'[A': 'f1', '[B': 'f2', '[C': 'f3', '[D': 'f4', '[E': 'f5',
};

/** The beginning of a mouse report, old or SGR: nobody types these bytes. */
const mousePattern = /^\u001B\[[<M]/;

/** The beginning of an SGR mouse report. */
const sgrMousePattern = /^\u001B\[<\d/;

/** The part of a mouse report that arrived before something else interrupted it. */
const brokenMousePattern = /^\u001B\[(?:<[\d;]*|M[^\u0000-\u001F]{0,2})/;

/** A complete escape sequence. CSI M and three characters is the mouse's older report, which is ignored. */
const sequencePattern = /^\u001B(?:\[(\[[A-E]|M[^\u0000-\u001F]{3}|(?!M)[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u005A\u005C-\u007E])|O(\d*[A-Za-z]))/;
const unfinishedPattern = /^\u001B(?:\[(?:\[|M[^\u0000-\u001F]{0,2}|[\u0030-\u003F]*[\u0020-\u002F]*)|O\d*)?$/;

/** Turns the bytes of a terminal into key names. A lone ESC may begin a sequence: `flush` makes it a key. */
export class KeyDecoder {
	readonly #utf8 = new StringDecoder('utf8');
	/** The characters not decoded yet. */
	#rest = '';
	/** The characters that `flush` took for the Escape key: the next bytes may show that they began a mouse report. */
	#flushed = '';

	/** Whether the bytes so far end in what is either the Escape key or the beginning of a sequence. */
	get isUnfinished(): boolean {
		return this.#rest !== '' && !mousePattern.test(this.#rest);
	}

	/** Returns the keys and mouse inputs that these bytes complete, in order. */
	push(bytes: Uint8Array): Array<string | MouseInput> {
		const text = this.#utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		// A slow link may split a mouse report after its ESC; its digits would be taken for keys.
		this.#rest += (sgrMousePattern.test(this.#flushed + text) ? this.#flushed : '') + text;
		this.#flushed = '';
		const keys: Array<string | MouseInput> = [];
		while (this.#rest !== '') {
			const first = this.#rest.codePointAt(0)!;
			if (first !== 0x1B) {
				const character = String.fromCodePoint(first);
				this.#rest = this.#rest.slice(character.length);
				keys.push(...plainKey(character, first));
				continue;
			}

			const match = sequencePattern.exec(this.#rest);
			if (match) {
				this.#rest = this.#rest.slice(match[0].length);
				keys.push(...sequenceKey(match[1] ?? match[2]));
			} else if (unfinishedPattern.test(this.#rest) && this.#rest.length < maxSequence) {
				break;
			} else if (mousePattern.test(this.#rest)) {
				// The end of the report was lost; the next bytes are something else.
				this.#rest = this.#rest.replace(brokenMousePattern, '');
			} else {
				this.#rest = this.#rest.slice(1);
				keys.push('escape');
			}
		}

		return keys;
	}

	/** Stops waiting: returns the Escape key for an unfinished sequence, unless that is a mouse report. */
	flush(): string[] {
		if (!this.isUnfinished) {
			return [];
		}

		this.#flushed = this.#rest;
		this.#rest = '';
		return ['escape'];
	}
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

function sequenceKey(body: string): Array<string | MouseInput> {
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
	return mouse && Number(column) >= 1 && Number(line) >= 1 ? {mouse, column: Number(column) - 1, line: Number(line) - 1} : undefined;
}
