import {readFile} from 'node:fs/promises';

/**
For esbuild: meow without what checks a package.json, which ours is not read for: a third of what is loaded before a
session starts. The build fails where meow sets it up in another way than it did.
*/
export const withoutPackageJson = {
	name: 'without-package-json',
	setup({onLoad}) {
		onLoad({filter: /\/meow\/build\/dependencies\.js$/}, async ({path}) => {
			const source = await readFile(path, 'utf8');
			const made = 'var normalizeExports = requireNormalize();';
			return source.includes(made) ? {contents: source.replace(made, 'var normalizeExports = () => {};')} : {errors: [{text: `meow no longer says ${made}: see build/without-package-json.js`}]};
		});
	},
};
