import path from 'node:path';

/** For esbuild: line-renderer.js in place of Ink's renderer.js. The build fails if Ink no longer has that file. */
export const lineRendererPlugin = {
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
		onEnd(() => ({
			errors: hasInk && !isReplaced
				? [{text: 'Ink no longer imports ./renderer.js: see build/line-renderer-plugin.js'}]
				: [],
		}));
	},
};
