import {readFile} from 'node:fs/promises';

const packages = /\/(?:string-width\/index|slice-ansi\/tokenize-ansi|ansi-tokenize\/build\/tokenize)\.js$/;
const segmenters = /= new Intl\.Segmenter\(([^()]*)\);/;
const emoji = String.raw`= /^\p{RGI_Emoji}$/v;`;

/**
For esbuild: what takes texts apart into characters, and knows an emoji, is made when the first text needs it. Made as
the modules are loaded it is a fifth of the CPU time up to the first frame (ICU's tables: 15 ms for a segmenter, 20 ms
for the expression and as much again for its first use), and texts of one cell a character never need it. The build
fails where a package makes it in another way than it did.
*/
export const lazySegmenters = {
	name: 'lazy-segmenters',
	setup({onLoad}) {
		onLoad({filter: packages}, async ({path}) => {
			const source = await readFile(path, 'utf8');
			if (!segmenters.test(source)) {
				return {errors: [{text: `${path} no longer makes a segmenter: see build/lazy-segmenters.js`}]};
			}

			return {
				contents: source
					.replace(segmenters, '= {made: undefined, segment(text) { return (this.made ??= new Intl.Segmenter($1)).segment(text); }};')
					.replace(emoji, () => String.raw`= {made: undefined, test(text) { return (this.made ??= /^\p{RGI_Emoji}$/v).test(text); }};`),
			};
		});
	},
};
