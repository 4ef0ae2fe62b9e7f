/** A regular expression as a tree. */
export type PatternNode =
	| {readonly kind: 'char'; readonly test: (code: number) => boolean}
	| {readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'not-word'}
	| {readonly kind: 'sequence'; readonly parts: readonly PatternNode[]}
	| {readonly kind: 'choice'; readonly choices: readonly PatternNode[]}
	| {readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number};

/** Longest expression read; the filter line is shorter. */
const maxLength = 500;

/** Groups within groups; the parser calls itself for each. */
const maxGroups = 50;

/** Highest number in `{n,m}`: each is a copy of what is repeated. */
const maxRepeat = 100;

/** Characters that a class escape stands for. */
const escapes: Readonly<Record<string, RegExp>> = {
	d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/,
};

/** Reads a regular expression; throws SyntaxError with a message for the user. */
export function parsePattern(source: string): PatternNode {
	if (source.length > maxLength) {
		throw new SyntaxError('the expression is too long');
	}

	const parser = new Parser(source);
	const node = parser.choice();
	if (parser.at < source.length) {
		throw new SyntaxError('unmatched )');
	}

	return node;
}

class Parser {
	at = 0;
	#depth = 0;
	readonly #source: string;

	constructor(source: string) {
		this.#source = source;
	}

	choice(): PatternNode {
		const choices = [this.#sequence()];
		while (this.#source[this.at] === '|') {
			this.at++;
			choices.push(this.#sequence());
		}

		return choices.length === 1 ? choices[0] : {kind: 'choice', choices};
	}

	#sequence(): PatternNode {
		const parts: PatternNode[] = [];
		while (this.at < this.#source.length && !'|)'.includes(this.#source[this.at])) {
			parts.push(this.#quantified(this.#atom()));
		}

		return {kind: 'sequence', parts};
	}

	#quantified(body: PatternNode): PatternNode {
		const [text, sign, from, comma, to] = /^(?:([*+?])|{(\d{1,3})(,?)(\d{0,3})})\??/.exec(this.#source.slice(this.at)) ?? [''];
		if (!text) {
			return body;
		}

		this.at += text.length;
		if (body.kind === 'assert' || /^[*+?{]/.test(this.#source.slice(this.at))) {
			throw new SyntaxError('nothing to repeat');
		}

		const min = sign ? Number(sign === '+') : Number(from);
		const open = sign === '?' ? 1 : Infinity;
		const counted = comma ? (to ? Number(to) : Infinity) : min;
		const max = sign ? open : counted;
		if (min > maxRepeat || (max !== Infinity && max > maxRepeat) || max < min) {
			throw new SyntaxError(`a repeat count must be from 0 to ${maxRepeat}`);
		}

		return {kind: 'repeat', body, min, max};
	}

	#atom(): PatternNode {
		const character = this.#take();
		switch (character) {
			case '(': {
				return this.#group();
			}

			case '[': {
				return {kind: 'char', test: this.#class()};
			}

			case '.': {
				return {kind: 'char', test: () => true};
			}

			case '^': {
				return {kind: 'assert', at: 'start'};
			}

			case '$': {
				return {kind: 'assert', at: 'end'};
			}

			case '\\': {
				return this.#escape();
			}

			case '*':
			case '+':
			case '?': {
				throw new SyntaxError('nothing to repeat');
			}

			default: {
				return {kind: 'char', test: literal(character)};
			}
		}
	}

	/** The next character, a whole one beyond the 16-bit ones too; empty at the end. */
	#take(): string {
		const code = this.#source.codePointAt(this.at);
		const character = code === undefined ? '' : String.fromCodePoint(code);
		this.at += character.length;
		return character;
	}

	#group(): PatternNode {
		if (this.#source.startsWith('?:', this.at)) {
			this.at += 2;
		} else if (this.#source[this.at] === '?') {
			throw new SyntaxError('(?...) is not supported');
		}

		if (++this.#depth > maxGroups) {
			throw new SyntaxError('groups are nested too deeply');
		}

		const body = this.choice();
		if (this.#source[this.at++] !== ')') {
			throw new SyntaxError('unmatched (');
		}

		this.#depth--;
		return body;
	}

	#escape(): PatternNode {
		const character = this.#take();
		if (character === 'b' || character === 'B') {
			return {kind: 'assert', at: character === 'b' ? 'word' : 'not-word'};
		}

		return {kind: 'char', test: escaped(character)};
	}

	#class(): (code: number) => boolean {
		const isNegated = this.#source[this.at] === '^';
		this.at += Number(isNegated);
		const tests: Array<(code: number) => boolean> = [];
		for (let isFirst = true; isFirst || this.#source[this.at] !== ']'; isFirst = false) {
			if (this.at >= this.#source.length) {
				throw new SyntaxError('unmatched [');
			}

			tests.push(this.#classPart());
		}

		this.at++;
		return code => tests.some(test => test(code)) !== isNegated;
	}

	#classPart(): (code: number) => boolean {
		const from = this.#take();
		if (from === '\\') {
			return escaped(this.#take());
		}

		const next = this.#source[this.at + 1];
		if (this.#source[this.at] !== '-' || next === undefined || next === ']') {
			return literal(from);
		}

		this.at++;
		const to = this.#take();
		const [first, last] = [from.codePointAt(0)!, to.codePointAt(0)!];
		if (to === '\\' || last < first) {
			throw new SyntaxError(`invalid range ${from}-${to}`);
		}

		return bothCases(code => code >= first && code <= last);
	}
}

function literal(character: string): (code: number) => boolean {
	const wanted = character.codePointAt(0)!;
	return bothCases(code => code === wanted);
}

function escaped(character: string): (code: number) => boolean {
	const known = escapes[character];
	if (known) {
		return code => known.test(String.fromCodePoint(code));
	}

	if (character === '' || /[a-z\d]/i.test(character)) {
		throw new SyntaxError(`\\${character} is not supported`);
	}

	return literal(character);
}

function bothCases(test: (code: number) => boolean): (code: number) => boolean {
	return code => {
		const character = String.fromCodePoint(code);
		return test(code) || test(character.toLowerCase().codePointAt(0)!) || test(character.toUpperCase().codePointAt(0)!);
	};
}
