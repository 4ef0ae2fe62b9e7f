import {readFileSync} from 'node:fs';
import path from 'node:path';

type OwnFrame = {readonly method: string; readonly line: number};

/** What can be read from the source of a test program: which lines belong to which method, and what stands on them. */
export class ProgramSource {
	readonly #className: string;
	readonly #lines: readonly string[];
	/** Outermost frames of its threads. */
	readonly #roots: RegExp;
	/** First and last line (from 1) of each method, by name; overloads and same names in nested classes together. */
	readonly #bodies = new Map<string, Array<readonly [number, number]>>();

	constructor(className: string) {
		this.#className = className;
		this.#roots = new RegExp(String.raw`^(?:java\.lang\.Thread|${className}\$\d)\.run:`);
		this.#lines = readFileSync(path.resolve(import.meta.dirname, `../../programs/${className}.java`), 'utf8')
			.split('\n');
		for (const [index, line] of this.#lines.entries()) {
			const method
				= /^(\t+)(?:public |private |static |synchronized )*(?:void|int|long|double|boolean) (\w+)\(.*{$/
					.exec(line);
			if (method) {
				const end = this.#lines.indexOf(`${method[1]}}`, index);
				this.#bodies.set(method[2], [...(this.#bodies.get(method[2]) ?? []), [index + 1, end + 1]]);
			}
		}
	}

	/** What is wrong with a thread's stack (innermost first); undefined for nothing. */
	problem(frames: readonly string[]): string | undefined {
		let isOwn = false;
		for (const [index, frame] of frames.entries()) {
			const verdict = this.#judge(this.#parse(frame), this.#parse(frames[index - 1] ?? ''));
			if (typeof verdict === 'string') {
				return verdict;
			}

			isOwn ||= verdict;
		}

		const root = frames.at(-1) ?? '';
		return isOwn
			? (this.#roots.test(root) ? undefined : `root is ${root}`)
			: `no frame of the program: ${frames.join(' < ')}`;
	}

	/** The method and line of a frame of the program; undefined for any other. */
	#parse(frame: string): OwnFrame | undefined {
		const [, className, method, line] = /^(.*)\.([^.]+):(-?\d+)$/.exec(frame) ?? [];
		return className?.split('$')[0] === this.#className ? {method, line: Number(line)} : undefined;
	}

	/** What is wrong with a frame that called another, or whether it is one of the program's. */
	#judge(frame: OwnFrame | undefined, callee: OwnFrame | undefined): string | boolean {
		if (!frame) {
			return false;
		}

		const {method, line} = frame;
		if (
			method !== 'run' && !method.startsWith('<') && method !== 'compare'
			&& !(this.#bodies.get(method) ?? []).some(([start, end]) => line >= start && line <= end)
		) {
			return `line ${line} is not in ${method}`;
		}

		// The call that led to a frame stands on its caller's line; what the JDK calls back is not checked, and a
		// compiler's bridge method (compare) has no such line.
		return callee && callee.method !== 'compare'
			&& !this.#lines[line - 1]?.includes(callee.method === '<init>' ? 'new ' : `${callee.method}(`)
			? `line ${line} does not call ${callee.method}`
			: true;
	}
}
