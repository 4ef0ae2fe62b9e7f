/**
Whether the terminal shows UTF-8 text with all our characters. As in setlocale(3), the first variable that is not empty
decides, and none means the locale C. The Linux console's fonts have few characters beyond ASCII.
*/
export function showsUnicode({LC_ALL, LC_CTYPE, LANG, TERM}: NodeJS.ProcessEnv): boolean {
	const locale = [LC_ALL, LC_CTYPE, LANG].find(Boolean) ?? 'C';
	return /\.utf-?8(?:@|$)/i.test(locale) && TERM !== 'linux';
}

/** Whether the terminal shows 256 colours, by the two variables in which terminals say so. */
export function shows256Colors({COLORTERM, TERM = ''}: NodeJS.ProcessEnv): boolean {
	return Boolean(COLORTERM) || /256color|direct/.test(TERM);
}

/** Whether the terminal cannot move its cursor, so that nothing can be drawn on it. */
export function isDumb({TERM}: NodeJS.ProcessEnv): boolean {
	return TERM === 'dumb';
}
