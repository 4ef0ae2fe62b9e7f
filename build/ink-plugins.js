import {readFile} from 'node:fs/promises';
import path from 'node:path';

const inThisFolder = name => path.join(import.meta.dirname, name);

const packageCheck = 'var normalizeExports = requireNormalize();';

/** For esbuild: what costs time at the start and is not needed there, or not at all; CPU times. */
const quickStart = {
	name: 'quick-start',
	setup({initialOptions, onLoad, onResolve}) {
		initialOptions.define = {
			...initialOptions.define,
			'Intl.Segmenter': 'LazySegmenter',
			// Yoga reads the bytes that it has in itself by `fetch` where there is one, which loads Node's HTTP client:
			// 40 ms.
			fetch: 'undefined',
		};
		initialOptions.inject = [...initialOptions.inject ?? [], inThisFolder('lazy-segmenter.js')];
		// What DEV=true in the environment makes Ink load: React's developer tools, which bring a server with them.
		onResolve({filter: /^\.\/devtools\.js$/}, ({importer}) => (
			importer.endsWith('/ink/build/reconciler.js') ? {path: 'devtools', namespace: 'empty'} : undefined
		));
		onLoad({filter: /./, namespace: 'empty'}, () => ({contents: ''}));
		// What checks a package.json, which meow does not read for us: 20 ms.
		onLoad({filter: /\/meow\/build\/dependencies\.js$/}, async ({path: file}) => {
			const source = await readFile(file, 'utf8');
			const contents = source.replace(packageCheck, 'var normalizeExports = () => {};');
			return contents === source ? {errors: [{text: `${file} no longer has ${packageCheck}`}]} : {contents};
		});
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
			return {path: inThisFolder('line-renderer.js')};
		});
		onEnd(() => ({
			errors: hasInk && !isReplaced
				? [{text: 'Ink no longer imports ./renderer.js: see build/ink-plugins.js'}]
				: [],
		}));
	},
};

/** What every bundle with Ink in it needs. */
export const inkPlugins = [quickStart, lineRenderer];
