import path from 'node:path';
import {withoutDevtools} from './without-devtools.js';

/**
For esbuild: Ink's output takes texts apart by `remembered-tokens.js`. The build fails where it no longer asks for the
tokeniser.
*/
const rememberedTokens = {
	name: 'remembered-tokens',
	setup({onEnd, onResolve}) {
		let isAsked = false;
		let hasInk = false;
		onResolve({filter: /^ink$/}, () => {
			hasInk = true;
			return undefined;
		});
		onResolve({filter: /^@alcalzone\/ansi-tokenize$/}, ({importer}) => {
			if (!/\/ink\/build\/output\.js$/.test(importer)) {
				return undefined;
			}

			isAsked = true;
			return {path: path.join(import.meta.dirname, 'remembered-tokens.js')};
		});
		onEnd(() => hasInk && !isAsked ? {errors: [{text: 'Ink no longer takes texts apart by @alcalzone/ansi-tokenize: see build/ink-plugins.js'}]} : undefined);
	},
};

/** What every bundle with Ink in it needs. */
export const inkPlugins = [withoutDevtools, rememberedTokens];
