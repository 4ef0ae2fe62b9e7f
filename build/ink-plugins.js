import path from 'node:path';
import {lazySegmenters} from './lazy-segmenters.js';
import {withoutDevtools} from './without-devtools.js';
import {withoutFetch} from './without-fetch.js';
import {withoutPackageJson} from './without-package-json.js';

/** Modules of Ink in whose place are ours, and who imports them. */
const replaced = [
	{module: 'renderer.js', importer: 'ink.js', by: 'remembered-frame.js'},
	{module: 'output.js', importer: 'renderer.js', by: 'remembered-lines.js'},
	{module: 'get-max-width.js', importer: 'render-node-to-output.js', by: 'text-width.js'},
];

/** For esbuild: parts of Ink by ours. The build fails where Ink no longer has one of them. */
const inkByOurs = {
	name: 'ink-by-ours',
	setup({onEnd, onResolve}) {
		const asked = new Set();
		let hasInk = false;
		onResolve({filter: /^ink$/}, () => {
			hasInk = true;
			return undefined;
		});
		for (const {module, importer: whose, by} of replaced) {
			onResolve({filter: new RegExp(String.raw`^\./${module.replace('.', String.raw`\.`)}$`)}, ({importer}) => {
				if (!importer.endsWith(`/ink/build/${whose}`)) {
					return undefined;
				}

				asked.add(module);
				return {path: path.join(import.meta.dirname, by)};
			});
		}

		onEnd(() => ({errors: replaced.filter(({module}) => hasInk && !asked.has(module)).map(({module}) => ({text: `Ink's ${module} is no longer asked for: see build/ink-plugins.js`}))}));
	},
};

/** What every bundle with Ink in it needs. */
export const inkPlugins = [withoutDevtools, withoutFetch, withoutPackageJson, lazySegmenters, inkByOurs];
