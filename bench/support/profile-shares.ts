import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

type ProfileNode = {
	readonly id: number;
	readonly callFrame: {readonly functionName: string; readonly url: string; readonly lineNumber: number};
	readonly children?: readonly number[];
};

/** A profile as V8 writes it with --cpu-prof. */
export type CpuProfile = {readonly nodes: readonly ProfileNode[]; readonly samples: readonly number[]; readonly timeDeltas: readonly number[]; readonly startTime: number; readonly endTime: number};

/** V8's own entries that are no work. */
const idle = new Set(['(idle)', '(root)']);

/** Profiles in a folder. */
export function readProfiles(folder: string): CpuProfile[] {
	return readdirSync(folder).filter(name => name.endsWith('.cpuprofile')).map(name => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as CpuProfile);
}

/**
By bundle file: for each line the module of ours or of a package that esbuild put there (it names each in a comment
before it).
*/
const modulesOfFile = new Map<string, readonly string[]>();

function moduleAt(url: string, line: number): string | undefined {
	if (!url.startsWith('file:') || !url.includes('/dist/')) {
		return undefined;
	}

	let modules = modulesOfFile.get(url);
	if (!modules) {
		let current = '';
		modules = readFileSync(fileURLToPath(url), 'utf8').split('\n').map(text => {
			current = /^\/\/ ((?:source|node_modules|build)\/\S+)$/.exec(text.trim())?.[1] ?? current;
			return current;
		});
		modulesOfFile.set(url, modules);
	}

	return modules[line];
}

/**
Microseconds by part, for the time from `fromUs` after the start on: `partOf` names the part of a module; what Node or
V8 does belongs to the module that called it. Idle time is left out. With `byFunction` by function, as `part: function`.
*/
export function shares(profile: CpuProfile, fromUs: number, partOf: (path: string) => string, byFunction = false): Map<string, number> {
	const parents = new Map(profile.nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id] as const)));
	const nodes = new Map(profile.nodes.map(node => [node.id, node]));
	const partOfNode = new Map<number, string>();
	for (const node of profile.nodes) {
		partOfNode.set(node.id, partName(node, nodes, parents, partOf, byFunction));
	}

	const sums = new Map<string, number>();
	let atUs = 0;
	for (const [index, id] of profile.samples.entries()) {
		// A sample stands for the time up to the next one.
		atUs += profile.timeDeltas[index];
		const part = partOfNode.get(id)!;
		if (atUs >= fromUs && !idle.has(part)) {
			sums.set(part, (sums.get(part) ?? 0) + (profile.timeDeltas[index + 1] ?? 0));
		}
	}

	return sums;
}

function partName(node: ProfileNode, nodes: ReadonlyMap<number, ProfileNode>, parents: ReadonlyMap<number, number>, partOf: (path: string) => string, byFunction: boolean): string {
	const own = node.callFrame.functionName;
	if (own.startsWith('(') && own !== '(anonymous)') {
		return own;
	}

	for (let at: ProfileNode | undefined = node; at; at = nodes.get(parents.get(at.id) ?? -1)) {
		const found = moduleAt(at.callFrame.url, at.callFrame.lineNumber);
		if (found) {
			return byFunction ? `${partOf(found)}: ${own}${at === node ? '' : ` < ${at.callFrame.functionName}`}` : partOf(found);
		}
	}

	return byFunction ? `Node: ${own}` : 'Node itself';
}
