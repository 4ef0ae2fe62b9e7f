/** What can be read from the source of a test program: which lines belong to which method, and what stands on them. */
export class ProgramSource {
	readonly #className: string;
	readonly #lines: readonly string[];
	/** First and last line (from 1) of each method, by name; overloads and same names in nested classes together. */
	readonly #bodies = new Map<string, Array<readonly [number, number]>>();

	constructor(className: string, text: string) {
		this.#className = className;
		this.#lines = text.split('\n');
		for (const [index, line] of this.#lines.entries()) {
			const method = /^(\t+)(?:public |private |static |synchronized )*(?:void|int|long|double|boolean) (\w+)\(.*{$/.exec(line);
			if (method) {
				const end = this.#lines.indexOf(`${method[1]}}`, index);
				this.#bodies.set(method[2], [...(this.#bodies.get(method[2]) ?? []), [index + 1, end + 1]]);
			}
		}
	}

	/**
	What is wrong with a stack (frames as "Class.method(File:line)", innermost first) that ends in a thread's run
	method; undefined when nothing is.
	*/
	problem(frames: readonly string[]): string | undefined {
		const parsed = frames.map(frame => /^(.*)\.([^.]+)\((.*):(-?\d+)\)$/.exec(frame));
		const own = parsed.map(frame => frame?.[1].split('$')[0] === this.#className);
		const first = own.indexOf(true);
		if (first === -1) {
			return 'no frame of the program';
		}

		for (let index = first; index < frames.length; index++) {
			const frame = parsed[index];
			if (!frame || !own[index]) {
				continue;
			}

			const method = frame[2];
			const line = Number(frame[4]);
			if (method !== 'run' && !method.startsWith('<') && method !== 'compare' && !(this.#bodies.get(method) ?? []).some(([start, end]) => line >= start && line <= end)) {
				return `line ${line} is not in ${method}`;
			}

			// The call that led to a frame stands on its caller's line; what the JDK calls back is not checked, and a
			// compiler's bridge method (compare) has no such line.
			const callee = parsed[index - 1];
			if (index > first && own[index - 1] && callee && callee[2] !== 'compare' && !this.#lines[line - 1]?.includes(`${callee[2]}(`)) {
				return `line ${line} does not call ${callee[2]}`;
			}
		}

		return undefined;
	}
}
