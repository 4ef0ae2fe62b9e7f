/** The expression for a glob: `*` any characters, `?` one, all others themselves; upper and lower case alike. A list of globs is separated by commas. */
export function globExpression(glob: string): RegExp {
	const parts = glob.split(',').map(part => part.trim()).filter(Boolean).map(part => part
		.replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
		.replaceAll(/\*+/g, '.*')
		.replaceAll('?', '.'));
	return new RegExp(`^(?:${parts.join('|')})$`, 'isu');
}

/** Whether a thread's name (string id) matches a glob; each name is looked at once. */
export function threadFilter(glob: string, textOf: (id: number) => string): (name: number) => boolean {
	const expression = globExpression(glob);
	const known: Array<boolean | undefined> = [];
	return name => {
		known[name] ??= expression.test(textOf(name));
		return known[name];
	};
}
