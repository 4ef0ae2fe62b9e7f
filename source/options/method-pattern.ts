import {usage} from '../runtime/errors.js';

/** Longer than any method's name in practice. */
const maxPatternLength = 400;

/** Returns a pattern of methods as the agent expects it. Throws UserError (2). */
export function checkPattern(text: string, example: string): string {
	const pattern = text.trim().replace(/\(\)$/, '');
	if (!/^@?[^\s@#,;/()[\]]+(?:#[^\s@#,;/()[\]]+)?$/u.test(pattern) || pattern.length > maxPatternLength) {
		throw usage(
			`not a pattern of methods: "${text}"`,
			`Class#method, Class.method, with * and ?, or @Annotation: ${example}`,
		);
	}

	return pattern;
}
