import {readFile} from 'node:fs/promises';
import path from 'node:path';

/**
Sources of packages that are changed as they are bundled: `find` becomes `put`. The build fails where a package no longer
has what is looked for.
*/
const patches = [
	{
		// What takes texts apart into characters, and knows an emoji, is made when the first text needs it: ICU's tables
		// are a fifth of the CPU time up to the first frame, and texts of one cell a character never need them.
		file: /\/(?:string-width\/index|slice-ansi\/tokenize-ansi|ansi-tokenize\/build\/tokenize)\.js$/,
		find: /= new Intl\.Segmenter\(([^()]*)\);/,
		put: '= {made: undefined, segment(text) { return (this.made ??= new Intl.Segmenter($1)).segment(text); }};',
	},
	{
		// Yoga reads the bytes that it has in itself by `fetch` where there is one: Node's HTTP client would be loaded.
		file: /\/yoga-layout\/dist\/binaries\/[\w-]+\.js$/,
		find: /"function"!=typeof fetch/g,
		put: 'true',
	},
	{
		// React's developer tools, which DEV=true in the environment asks for, bring a server with them.
		file: /\/ink\/build\/(?:reconciler|ink)\.js$/,
		find: /isDev\(\)/g,
		put: 'false',
	},
	{
		// What checks a package.json, which meow does not read for us: a third of what is loaded before a session starts.
		file: /\/meow\/build\/dependencies\.js$/,
		find: /var normalizeExports = requireNormalize\(\);/,
		put: 'var normalizeExports = () => {};',
	},
];
const emoji = String.raw`= /^\p{RGI_Emoji}$/v;`;
const lazyEmoji = String.raw`= {made: undefined, test(text) { return (this.made ??= /^\p{RGI_Emoji}$/v).test(text); }};`;

const patched = {
	name: 'patched',
	setup({onLoad, onResolve}) {
		for (const {file, find, put} of patches) {
			onLoad({filter: file}, async ({path: name}) => {
				const source = await readFile(name, 'utf8');
				const contents = source.replace(find, put);
				return contents === source ? {errors: [{text: `${name} no longer has ${find}: see build/ink-plugins.js`}]} : {contents: contents.replace(emoji, () => lazyEmoji)};
			});
		}

		onResolve({filter: /devtools/}, ({path: name, importer}) => ({errors: [{text: `${importer} imports ${name}, which is not to be shipped`}]}));
	},
};

/** For esbuild: our renderer in place of Ink's. The build fails where Ink no longer has one. */
const lineRenderer = {
	name: 'line-renderer',
	setup({onEnd, onResolve}) {
		let [hasInk, isReplaced] = [false, false];
		onResolve({filter: /^ink$/}, () => {
			hasInk = true;
			return undefined;
		});
		onResolve({filter: /^\.\/renderer\.js$/}, ({importer}) => {
			if (!importer.endsWith('/ink/build/ink.js')) {
				return undefined;
			}

			isReplaced = true;
			return {path: path.join(import.meta.dirname, 'line-renderer.js')};
		});
		onEnd(() => ({errors: hasInk && !isReplaced ? [{text: 'Ink no longer imports ./renderer.js: see build/ink-plugins.js'}] : []}));
	},
};

/** What every bundle with Ink in it needs. */
export const inkPlugins = [patched, lineRenderer];
