import {parsePattern, type PatternNode} from './regex-parser.js';

/** Parts that a compiled pattern may have; a filter is typed by hand, and `{n,m}` multiplies. */
const maxSteps = 2000;

/** Try `test`, then go on at the next step. */
type Step =
	| {readonly kind: 'char'; readonly test: (code: number) => boolean}
	| {readonly kind: 'split'; first: number; second: number}
	| {readonly kind: 'jump'; to: number}
	| {readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'not-word'}
	| {readonly kind: 'match'};

/**
A matcher for a regular expression, anywhere in a text, upper and lower case alike. It follows all ways through the
pattern at once, so that its time is bounded by pattern times text: the engine's own RegExp can take exponential time on
patterns such as (a+)+b. Knows literals, `.`, classes, \d \w \s \b and their opposites, groups, `|`, `* + ? {n,m}`, `^
$`. Throws SyntaxError, with a message for the user, on anything else.
*/
export function compilePattern(source: string): (text: string) => boolean {
	const compiler = new Compiler();
	compiler.emit(parsePattern(source));
	const {steps} = compiler;
	steps.push({kind: 'match'});
	return text => new Run(steps, text).matches();
}

class Compiler {
	readonly steps: Step[] = [];
	#emitted = 0;

	emit(node: PatternNode): void {
		// Counted apart from the steps: repeated empty groups come to no steps, but to any amount of work.
		if (++this.#emitted > maxSteps) {
			throw new SyntaxError('the expression is too large');
		}

		switch (node.kind) {
			case 'char':
			case 'assert': {
				this.steps.push(node);
				break;
			}

			case 'sequence': {
				for (const part of node.parts) {
					this.emit(part);
				}

				break;
			}

			case 'choice': {
				this.#choice(node.choices);
				break;
			}

			case 'repeat': {
				this.#repeat(node.body, node.min, node.max);
				break;
			}
		}
	}

	#choice(choices: readonly PatternNode[]): void {
		const jumps: Array<{kind: 'jump'; to: number}> = [];
		for (const choice of choices.slice(0, -1)) {
			const split = this.#split();
			this.emit(choice);
			const jump = {kind: 'jump' as const, to: 0};
			this.steps.push(jump);
			jumps.push(jump);
			split.second = this.steps.length;
		}

		this.emit(choices.at(-1)!);
		for (const jump of jumps) {
			jump.to = this.steps.length;
		}
	}

	#repeat(body: PatternNode, min: number, max: number): void {
		for (let count = 0; count < min; count++) {
			this.emit(body);
		}

		const splits: Array<{second: number}> = [];
		const start = this.steps.length;
		for (let count = min; count < (max === Infinity ? min + 1 : max); count++) {
			splits.push(this.#split());
			this.emit(body);
		}

		if (max === Infinity) {
			this.steps.push({kind: 'jump', to: start});
		}

		for (const split of splits) {
			split.second = this.steps.length;
		}
	}

	/** A step that goes on both behind itself and at `second`. */
	#split(): {second: number} {
		const split = {kind: 'split' as const, first: this.steps.length + 1, second: 0};
		this.steps.push(split);
		return split;
	}
}

/** One text being matched: the set of steps that may be next, character by character. */
class Run {
	readonly #steps: readonly Step[];
	readonly #codes: readonly number[];
	/** By step: the position at which it was last added, so that each is added once per position. */
	readonly #addedAt: Int32Array;
	readonly #pending: number[] = [];
	#current: number[] = [];
	#next: number[] = [];

	constructor(steps: readonly Step[], text: string) {
		this.#steps = steps;
		this.#codes = Array.from(text, character => character.codePointAt(0)!);
		this.#addedAt = new Int32Array(steps.length).fill(-1);
	}

	matches(): boolean {
		for (let at = 0; at <= this.#codes.length; at++) {
			// The match may begin anywhere: the first step is always among the next ones.
			if (this.#follow(0, at, this.#current)) {
				return true;
			}

			const code = this.#codes[at];
			for (const index of this.#current) {
				const step = this.#steps[index];
				if (at < this.#codes.length && step.kind === 'char' && step.test(code) && this.#follow(index + 1, at + 1, this.#next)) {
					return true;
				}
			}

			[this.#current, this.#next] = [this.#next, this.#current];
			this.#next.length = 0;
		}

		return false;
	}

	/**
	Adds the steps that read a character and can be reached from a step without reading one; true when the end of the
	pattern can be.
	*/
	#follow(from: number, at: number, into: number[]): boolean {
		this.#pending.push(from);
		while (this.#pending.length > 0) {
			const index = this.#pending.pop()!;
			if (this.#addedAt[index] === at) {
				continue;
			}

			this.#addedAt[index] = at;
			const step = this.#steps[index];
			switch (step.kind) {
				case 'match': {
					this.#pending.length = 0;
					return true;
				}

				case 'char': {
					into.push(index);
					break;
				}

				case 'split': {
					this.#pending.push(step.first, step.second);
					break;
				}

				case 'jump': {
					this.#pending.push(step.to);
					break;
				}

				case 'assert': {
					if (this.#holds(step.at, at)) {
						this.#pending.push(index + 1);
					}

					break;
				}
			}
		}

		return false;
	}

	#holds(what: 'start' | 'end' | 'word' | 'not-word', at: number): boolean {
		if (what === 'start' || what === 'end') {
			return at === (what === 'start' ? 0 : this.#codes.length);
		}

		const isEdge = isWord(this.#codes[at - 1]) !== isWord(this.#codes[at]);
		return isEdge === (what === 'word');
	}
}

function isWord(code: number): boolean {
	return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}
