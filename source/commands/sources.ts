import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {nameInlined} from '../query/columns/names.js';
import {sourceLibrary, type SourceOf} from '../sources/library.js';
import {classRoots, rootOf, targetRoots, type SourceRoot} from '../sources/roots.js';

/**
Returns what finds the sources of --source and of the target's class path, and has inlined code named by its own source.
Nothing is opened before it is needed.
*/
export function openSources({sources = []}: Options, target?: Target): SourceOf {
	const given = once(() => sources.map(name => rootOf(name)));
	const {sourceOf, inlinedOf} = sourceLibrary(
		once(() => [...given(), ...(target ? targetRoots(target.pid) : [])]),
		once(() => [...given(), ...(target ? classRoots(target.pid) : [])]),
	);
	nameInlined(inlinedOf);
	return sourceOf;
}

/** Returns a function that makes the roots at its first call. */
function once(make: () => readonly SourceRoot[]): () => readonly SourceRoot[] {
	let roots: readonly SourceRoot[] | undefined;
	return () => {
		roots ??= make();
		return roots;
	};
}
