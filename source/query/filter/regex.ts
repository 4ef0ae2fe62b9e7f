import {createRequire} from 'node:module';
import type * as re2js from 're2js';
import {printable} from '../../model/text.js';

/** Longest expression read; the filter line is shorter. */
const maxLength = 500;

/** Steps that an expression may come to (RE2's program size); a filter is typed by hand, and `{n,m}` multiplies. */
const maxSteps = 2000;

/** Of the bundle: its own folder, or the one above that of its chunks. */
const besideBundle = /\/chunks\/[^/]*$/.test(import.meta.url) ? '../re2js.cjs' : './re2js.cjs';

let library: typeof re2js | undefined;

/**
A matcher for a regular expression (RE2's syntax), anywhere in a text, in either case. Its time is linear: the engine's
RegExp would block on (a+)+b. Throws SyntaxError with a message for the user.
*/
export function compilePattern(source: string): (text: string) => boolean {
	if (source.length > maxLength) {
		throw new SyntaxError('the expression is too long');
	}

	library ??= load();
	const {RE2JS, RE2JSSyntaxException} = library;
	try {
		const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
		if (pattern.programSize() <= maxSteps) {
			return text => pattern.test(text);
		}
	} catch (error) {
		throw error instanceof RE2JSSyntaxException ? new SyntaxError(printable(error.message.replace(/^error parsing regexp: /, ''))) : error;
	}

	throw new SyntaxError('the expression is too large');
}

/** The library is in a file of its own, loaded with the first expression. */
function load(): typeof re2js {
	const require = createRequire(import.meta.url);
	for (const name of [besideBundle, 're2js']) {
		try {
			return require(name) as typeof re2js;
		} catch {}
	}

	throw new SyntaxError('re2js.cjs is missing beside cli.js: copy the whole dist folder');
}
