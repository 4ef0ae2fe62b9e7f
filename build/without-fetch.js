import {readFile} from 'node:fs/promises';

/**
For esbuild: Yoga, Ink's layout, without `fetch`, by which it would read the bytes that it has in itself: a tenth of the
time to the first frame went into Node's HTTP client. It decodes them where there is no `fetch`. The build fails where
Yoga asks for it in another way than it did.
*/
export const withoutFetch = {
	name: 'without-fetch',
	setup({onLoad}) {
		onLoad({filter: /\/yoga-layout\/dist\/binaries\/[\w-]+\.js$/}, async ({path}) => {
			const source = await readFile(path, 'utf8');
			const asked = '"function"!=typeof fetch';
			return source.includes(asked) ? {contents: source.replaceAll(asked, 'true')} : {errors: [{text: `Yoga no longer asks ${asked}: see build/without-fetch.js`}]};
		});
	},
};
