/*
What packages are called on the screen, as the user has it: said once, before anything is drawn, and the same for as
long as the process runs. Names in files and reports stay whole.
*/

let names: ReadonlyMap<string, string> = new Map();

/** From now on these packages, and all below them, are called so. */
export function namePackages(byPackage: ReadonlyMap<string, string>): void {
	names = byPackage;
}

/** The longest package with a name of its own that a class is in, and that name; undefined when there is none. */
export function namedPackageOf(className: string): {readonly length: number; readonly name: string} | undefined {
	if (names.size === 0) {
		return undefined;
	}

	for (let end = className.lastIndexOf('.'); end > 0; end = className.lastIndexOf('.', end - 1)) {
		const name = names.get(className.slice(0, end));
		if (name !== undefined) {
			return {length: end, name};
		}
	}

	return undefined;
}
