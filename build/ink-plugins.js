import path from 'node:path';
import {lazySegmenters} from './lazy-segmenters.js';
import {withoutDevtools} from './without-devtools.js';
import {withoutFetch} from './without-fetch.js';
import {withoutPackageJson} from './without-package-json.js';

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
export const inkPlugins = [withoutDevtools, withoutFetch, withoutPackageJson, lazySegmenters, lineRenderer];
