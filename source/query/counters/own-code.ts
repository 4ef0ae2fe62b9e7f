/** Packages that are never a program's own unless it says so: the JDK's, and those of the languages on top of it. */
const libraries = ['java', 'javax', 'jdk', 'sun', 'com.sun', 'kotlin', 'scala'];

/** Which classes are a program's own. */
export type OwnCode = {
	/** The same for the same rule. */
	readonly key: string;
	isOwn(className: string): boolean;
};

const known = new Map<string, OwnCode>();

/**
The rule of a list of packages or classes, as `--app` takes them: those named, with all below them, are the program's
own and nothing else is; with `!` before it one is not. Where several fit a class the longest decides. If all have a
`!`, they are libraries beside those of every program; without any, own is what is not the JDK's, kotlin's or scala's.
*/
export function ownCode(app: readonly string[] = []): OwnCode {
	const key = app.join(',');
	const rule = known.get(key) ?? {key, isOwn: ruleOf(app)};
	known.set(key, rule);
	return rule;
}

function ruleOf(app: readonly string[]): OwnCode['isOwn'] {
	const isListed = app.some(prefix => !prefix.startsWith('!'));
	const prefixes = [...app, ...(isListed ? [] : libraries.map(library => `!${library}`))]
		.map(prefix => ({isOwn: !prefix.startsWith('!'), name: prefix.replace(/^!/, '').replace(/[.*]+$/, '')}))
		.sort((a, b) => b.name.length - a.name.length);
	return className => prefixes.find(({name}) => isBelow(className, name))?.isOwn ?? !isListed;
}

/** Whether a class is of a package or below it, or is that class, or is declared in it. */
function isBelow(className: string, name: string): boolean {
	const next = className[name.length];
	return className.startsWith(name) && (next === undefined || next === '.' || next === '$' || next === '/');
}
