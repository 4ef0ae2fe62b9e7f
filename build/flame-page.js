// Bundles the page of exported flame graphs: style, script and licences in one file, which formats/flame-graph.ts fills
// with data. Its policy allows no network, and no script or style but these.
import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {build} from 'esbuild';
import {bundledPackages, thirdPartyNotices} from './third-party-notices.js';

const folder = 'source/exports/flame-page';

/** The page, and the packages in it. */
export async function flamePage() {
	const {outputFiles, metafile} = await build({
		entryPoints: [`${folder}/page.js`],
		outdir: folder,
		bundle: true,
		minify: true,
		charset: 'utf8',
		format: 'iife',
		target: 'es2022',
		legalComments: 'none',
		write: false,
		metafile: true,
		logLevel: 'warning',
	});
	const textOf = extension => outputFiles.find(({path}) => path.endsWith(extension)).text;
	const hashOf = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
	const [script, style] = [textOf('.js'), textOf('.css')];
	const packages = bundledPackages(metafile);
	const notices = await thirdPartyNotices(packages);
	const parts = {
		script,
		style,
		policy: `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}`,
		licences: `<!--\n${notices.replaceAll('--', '- -')}-->`,
	};
	const page = await readFile(`${folder}/page.html`, 'utf8');
	return {page: page.replaceAll(/<!--(script|style|policy|licences)-->/g, (_, name) => parts[name]), packages};
}
