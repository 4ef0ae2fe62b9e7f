import {Buffer} from 'node:buffer';
import {StringDecoder} from 'node:string_decoder';
import {mouseInput, type MouseInput} from './mouse.js';

/** Longest escape sequence waited for; what is longer is no key and is dropped. */
const maxSequence = 32;

const control: Readonly<Record<string, string>> = {
	'\r': 'enter', '\n': 'enter', '\t': 'tab', '\u007F': 'backspace', '\b': 'backspace',
};

/** What follows CSI (ESC [) and SS3 (ESC O) for xterm's function keys, and rxvt's, PuTTY's and the Linux console's. */
const sequences: Readonly<Record<string, string>> = {
	A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end', Z: 'shift-tab', M: 'enter',
	P: 'f1', Q: 'f2', R: 'f3', S: 'f4',
	'1~': 'home', '2~': 'insert', '3~': 'delete', '4~': 'end', '5~': 'pageup', '6~': 'pagedown', '7~': 'home', '8~': 'end',
	'11~': 'f1', '12~': 'f2', '13~': 'f3', '14~': 'f4', '15~': 'f5', '17~': 'f6', '18~': 'f7', '19~': 'f8', '20~': 'f9', '21~': 'f10', '23~': 'f11', '24~': 'f12',
	'[A': 'f1', '[B': 'f2', '[C': 'f3', '[D': 'f4', '[E': 'f5',
};

/** The beginning of what no hand types: a report of the mouse that is still on its way. */
const mousePattern = /^\u001B\[[<M]/;

/** The beginning of one as SGR has it. */
const reportPattern = /^\u001B\[<\d/;

/** As much of a report as there is when something else comes in between. */
const brokenMouse = /^\u001B\[(?:<[\d;]*|M[^\u0000-\u001F]{0,2})/;

/** ESC and a complete sequence behind it. CSI M and three characters is the mouse's older report, which means nothing. */
const sequencePattern = /^\u001B(?:\[(\[[A-E]|M[^\u0000-\u001F]{3}|(?!M)[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u005A\u005C-\u007E])|O(\d*[A-Za-z]))/;
const unfinishedPattern = /^\u001B(?:\[(?:\[|M[^\u0000-\u001F]{0,2}|[\u0030-\u003F]*[\u0020-\u002F]*)|O\d*)?$/;

/** Turns the bytes of a terminal into key names. An escape that nothing follows is a key after a while: `flush`. */
export class KeyDecoder {
	readonly #utf8 = new StringDecoder('utf8');
	#rest = '';
	/** What was taken for the Escape key, for as long as it may have been the beginning of a report after all. */
	#given = '';

	/** Whether the bytes so far end in what may be the Escape key. */
	get isUnfinished(): boolean {
		return this.#rest !== '' && !mousePattern.test(this.#rest);
	}

	/** Keys, and what was done with the mouse, that these bytes complete, in order. */
	push(bytes: Uint8Array): Array<string | MouseInput> {
		const text = this.#utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		// On a slow link: nobody types this, and its digits would be keys.
		this.#rest += (reportPattern.test(this.#given + text) ? this.#given : '') + text;
		this.#given = '';
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
				// A piece of it was lost; what comes after is something else.
				this.#rest = this.#rest.replace(brokenMouse, '');
			} else {
				this.#rest = this.#rest.slice(1);
				keys.push('escape');
			}
		}

		return keys;
	}

	/** Gives up waiting: the unfinished sequence is the Escape key, unless the mouse began it. */
	flush(): string[] {
		if (!this.isUnfinished) {
			return [];
		}

		this.#given = this.#rest;
		this.#rest = '';
		return ['escape'];
	}
}

function plainKey(character: string, code: number): string[] {
	const named = control[character];
	if (named) {
		return [named];
	}

	if (code < 0x20) {
		return code >= 1 && code <= 26 ? [`ctrl-${String.fromCodePoint(code + 0x60)}`] : [];
	}

	// C1 controls and the byte that stands for broken UTF-8 are no keys.
	return (code >= 0x80 && code < 0xA0) || code === 0xFF_FD ? [] : [character];
}

function sequenceKey(body: string): Array<string | MouseInput> {
	if (body.startsWith('<')) {
		return [mouseInput(body)].filter(input => input !== undefined);
	}

	// Modifiers ("1;5C") are left out: a moved arrow is still that arrow.
	const plain = sequences[body] ?? sequences[body.replace(/^(\d+);\d+/, '$1').replace(/^1([A-Z])$/, '$1')];
	return plain ? [plain] : [];
}
