import {readFile} from 'node:fs/promises';
import path from 'node:path';

/**
For esbuild: what waits at its top level, which CommonJS does not know. Our entry points become functions, Ink does
nothing for its developers, and Yoga's WebAssembly is compiled at once. The build fails where it does not look so.
*/
export const withoutAwait = {
	name: 'without-await',
	setup({onLoad}) {
		onLoad({filter: /\/source\/(?:cli|main|kubectl)\.ts$/}, async ({path: file}) => {
			const text = await readFile(file, 'utf8');
			const start = text.lastIndexOf('\ntry {\n');
			return {loader: 'ts', contents: `${text.slice(0, start)}\n(async () => {${text.slice(start)}})();\n`};
		});
		onLoad({filter: /\/ink\/build\/reconciler\.js$/}, async ({path: file}) => {
			const text = await readFile(file, 'utf8');
			return {
				contents: text.replace('await import(\'./devtools.js\')', 'undefined').replace('await loadPackageJson()', '{}'),
			};
		});
		onLoad({filter: /\/yoga-layout\/dist\/src\/index\.js$/}, async ({path: file}) => {
			const text = await readFile(file, 'utf8');
			const binary = await readFile(path.join(path.dirname(file), '../binaries/yoga-wasm-base64-esm.js'), 'utf8');
			const [, base64] = /"data:application\/octet-stream;base64,([\w+/]+=*)"/.exec(binary);
			return {contents: text.replace('await loadYoga()', 'loaded()') + loaded(base64)};
		});
	},
};

/** Returns the code that loads Yoga (Emscripten's `instantiateWasm` lets us compile it ourselves). */
function loaded(base64) {
	return `
function loaded() {
	const bytes = Buffer.from('${base64}', 'base64');
	const yoga = {
		instantiateWasm(imports, done) {
			done(new WebAssembly.Instance(new WebAssembly.Module(bytes), imports));
			return {};
		},
	};
	loadYoga(yoga);
	return yoga;
}`;
}
