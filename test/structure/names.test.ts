import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {cwd: root, encoding: 'utf8'})
	.split('\n').filter(file => file !== '' && existsSync(path.join(root, file)));

const textOf = new Map(files
	.filter(file => /\.(?:tsx?|js|java|md)$/.test(file) && file !== path.relative(root, import.meta.filename))
	.map(file => [file, readFileSync(path.join(root, file), 'utf8')]));

const comment = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

/** Words that code says outside its comments, and those of programs that docs speak of. */
const words = new Set([...textOf].filter(([file]) => !file.endsWith('.md')).flatMap(([, text]) => text.replaceAll(comment, '').match(/[\w$]+/g) ?? []));
words.add('shutdownNow');

/** Whether code says such an identifier, or a file or folder has such a path; true for what is neither. */
function isThere(name: string): boolean {
	if (/^[\w$#]+(?:\.[\w$#]+)*(?:\(\))?$/.test(name) && /[a-z][A-Z]/.test(name)) {
		return name.replaceAll(/[#()]/g, '').split('.').every(word => words.has(word));
	}

	const isPath = /^[a-z-]{2,}(?:\/[a-z\d.-]+)+$/.test(name);
	return !isPath || files.some(file => `/${file}`.includes(`/${name}`));
}

test('comments and docs name what there is', () => {
	const missing = [...textOf].flatMap(([file, text]) => {
		const prose = file.endsWith('.md') ? text : (file.startsWith('source/') ? text.match(comment)?.join('\n') : undefined) ?? '';
		return file === 'changelog.md' ? [] : [...prose.matchAll(/`([^`\n]+)`/g)].filter(([, name]) => !isThere(name)).map(([, name]) => `${file}: ${name}`);
	});
	expect(missing).toEqual([]);
});
