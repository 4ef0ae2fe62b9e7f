import {createRequire} from 'node:module';
import type * as re2js from 're2js';
import {requireBundled} from '../../util/bundle.js';
import {printable} from '../../util/printable.js';

/** Maximum length of an expression, more than the filter line holds. */
const maxLength = 500;

/** Maximum number of instructions (RE2's program size): `{n,m}` multiplies them. */
const maxInstructions = 2000;

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
	const {url} = import.meta;
	try {
		return (url.endsWith('.ts') ? createRequire(url)('re2js') : requireBundled('re2js.cjs')) as typeof re2js;
	} catch {
		throw new SyntaxError('re2js.cjs is missing beside cli.js: copy the whole dist folder');
	}
}
