import {readFile} from 'node:fs/promises';

/**
For esbuild: Ink without React's developer tools, which it imports when DEV=true is in the environment, and which bring
a server (`ws`) with them. What a user has in the environment is not about us. The build fails where Ink asks for them
in another way than it did.
*/
export const withoutDevtools = {
	name: 'without-devtools',
	setup({onLoad, onResolve}) {
		onLoad({filter: /\/ink\/build\/(reconciler|ink)\.js$/}, async ({path}) => {
			const source = await readFile(path, 'utf8');
			return source.includes('isDev()') ? {contents: source.replaceAll('isDev()', 'false')} : {errors: [{text: 'Ink no longer asks isDev(): see build/without-devtools.js'}]};
		});
		onResolve({filter: /devtools/}, ({path, importer}) => ({errors: [{text: `${importer} imports ${path}, which is not to be shipped`}]}));
	},
};
