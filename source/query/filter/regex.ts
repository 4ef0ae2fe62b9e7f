import {createRequire} from 'node:module';
import type * as re2js from 're2js';
import {printable} from '../../util/printable.js';

/** Maximum length of an expression, more than the filter line holds. */
const maxLength = 500;

/** Maximum number of instructions (RE2's program size): `{n,m}` multiplies them. */
const maxInstructions = 2000;

/** Path from this module to the library in dist/: beside the entry, one folder above a chunk. */
const besideBundle = /\/chunks\/[^/]*$/.test(import.meta.url) ? '../re2js.cjs' : './re2js.cjs';

let library: typeof re2js | undefined;

/** Returns a matcher of an RE2 expression; case does not matter. Linear in time, unlike RegExp. Throws SyntaxError. */
export function compilePattern(source: string): (text: string) => boolean {
	if (source.length > maxLength) {
		throw new SyntaxError('the expression is too long');
	}

	library ??= load();
	const {RE2JS, RE2JSSyntaxException} = library;
	try {
		const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
		if (pattern.programSize() <= maxInstructions) {
			return text => pattern.test(text);
		}
	} catch (error) {
		throw error instanceof RE2JSSyntaxException
			? new SyntaxError(printable(error.message.replace(/^error parsing regexp: /, '')))
			: error;
	}

	throw new SyntaxError('the expression is too large');
}

/** Loads the library from its own file, at the first expression. */
function load(): typeof re2js {
	const require = createRequire(import.meta.url);
	for (const name of [besideBundle, 're2js']) {
		try {
			return require(name) as typeof re2js;
		} catch {}
	}

	throw new SyntaxError('re2js.cjs is missing beside cli.js: copy the whole dist folder');
}
