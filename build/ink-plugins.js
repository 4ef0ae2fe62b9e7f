import path from 'node:path';
import {lazySegmenters} from './lazy-segmenters.js';
import {withoutDevtools} from './without-devtools.js';
import {withoutFetch} from './without-fetch.js';
import {withoutPackageJson} from './without-package-json.js';

/**
For esbuild: Ink's frames are put together by `remembered-lines.js`. The build fails where Ink no longer does it in
`output.js`.
*/
const rememberedLines = {
	name: 'remembered-lines',
	setup({onEnd, onResolve}) {
		let isAsked = false;
		let hasInk = false;
		onResolve({filter: /^ink$/}, () => {
			hasInk = true;
			return undefined;
		});
		onResolve({filter: /^\.\/output\.js$/}, ({importer}) => {
			if (!/\/ink\/build\/renderer\.js$/.test(importer)) {
				return undefined;
			}

			isAsked = true;
			return {path: path.join(import.meta.dirname, 'remembered-lines.js')};
		});
		onEnd(() => hasInk && !isAsked ? {errors: [{text: 'Ink no longer puts its frames together by output.js: see build/ink-plugins.js'}]} : undefined);
	},
};

/** What every bundle with Ink in it needs. */
export const inkPlugins = [withoutDevtools, withoutFetch, withoutPackageJson, lazySegmenters, rememberedLines];
