import path from 'node:path';

const inkFolder = '/ink/build/';

/**
For esbuild: what the bundle has in place of files of Ink. Our line-renderer.js replaces its renderer, and the build
fails if Ink no longer has that. Nothing replaces React's developer tools, which DEV=true in the environment loads.
*/
export const inkPlugin = {
	name: 'ink',
	setup({onEnd, onLoad, onResolve}) {
		let [hasInk, isReplaced] = [false, false];
		onResolve({filter: /^ink$/}, () => {
			hasInk = true;
			return undefined;
		});
		onResolve({filter: /^\.\/renderer\.js$/}, ({importer}) => {
			if (!importer.endsWith(`${inkFolder}ink.js`)) {
				return undefined;
			}

			isReplaced = true;
			return {path: path.join(import.meta.dirname, 'line-renderer.js')};
		});
		onResolve({filter: /^\.\/devtools\.js$/}, ({importer}) =>
			importer.endsWith(`${inkFolder}reconciler.js`) ? {path: 'devtools', namespace: 'nothing'} : undefined);
		onLoad({filter: /./, namespace: 'nothing'}, () => ({contents: ''}));
		onEnd(() => ({
			errors: hasInk && !isReplaced
				? [{text: 'Ink no longer imports ./renderer.js: see build/ink-plugin.js'}]
				: [],
		}));
	},
};
