import {spawnSync, execFileSync} from 'node:child_process';
import {readFileSync, existsSync, copyFileSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {renderReference} from '../../build/reference-tables.js';
import {isRoot, otherUser} from '../helpers/users.js';
import {longest} from '../longest-first.js';
import {folderForTest} from '../helpers/for-test.js';

const root = path.resolve(import.meta.dirname, '../..');

type Locked = {
	readonly resolved?: string;
	readonly link?: boolean;
	readonly dependencies?: Record<string, string>;
	readonly optionalDependencies?: Record<string, string>;
};

/** Whether the lock file has this package where Node looks for it from `from`: in it, or beside a folder above it. */
function isLocked(packages: Record<string, Locked>, from: string, name: string): boolean {
	const places = from.split('/node_modules/').map((_, depth, parts) =>
		parts.slice(0, parts.length - depth).join('/node_modules/'));
	return [...places, ''].some(place => path.posix.join(place, 'node_modules', name) in packages);
}

test('the lock file has every package that npm ci asks for on any platform, and names no registry', () => {
	const {packages} = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
		packages: Record<string, Locked>;
	};
	const missing = Object.entries(packages).flatMap(([at, {dependencies, optionalDependencies}]) =>
		Object.keys({...dependencies, ...optionalDependencies}).filter(name => !isLocked(packages, at, name)));
	expect(missing).toEqual([]);
	const named = Object.values(packages).filter(({resolved, link}) => resolved && !link);
	expect(named).toEqual([]);
});

test('the tables of docs/reference.md are those of the program (npm run reference writes them)', () => {
	const reference = readFileSync(path.join(root, 'docs/reference.md'), 'utf8');
	expect(reference).toBe(renderReference(reference));
});

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
	cwd: root,
	encoding: 'utf8',
})
	.split('\n').filter(file => file !== '' && existsSync(path.join(root, file)));

const textOf = new Map(files
	.filter(file => /\.(?:tsx?|js|java|md)$/.test(file) && file !== path.relative(root, import.meta.filename))
	.map(file => [file, readFileSync(path.join(root, file), 'utf8')]));

const comment = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

/** Words that code says outside its comments, and those of programs that docs speak of. */
const words
	= new Set([...textOf].filter(([file]) => !file.endsWith('.md')).flatMap(([, text]) =>
		text.replaceAll(comment, '').match(/[\w$]+/g) ?? []));
words.add('shutdownNow');

/** Whether code says such an identifier, or a file or folder has such a path; true for what is neither. */
function isThere(name: string): boolean {
	if (/^[\w$#]+(?:\.[\w$#]+)*(?:\(\))?$/.test(name) && /[a-z][A-Z]/.test(name)) {
		return name.replaceAll(/[#()]/g, '').split('.').every(word => words.has(word));
	}

	const isPath = /^[a-z-]{2,}(?:\/[a-z\d.-]+)+$|^[a-z-]+(?:\.[a-z]+)*\.tsx?$/.test(name);
	return !isPath || files.some(file => `/${file}`.includes(`/${name}`));
}

test('comments and docs name what there is', () => {
	const missing = [...textOf].flatMap(([file, text]) => {
		const prose = file.endsWith('.md')
			? text
			: (file.startsWith('source/') ? text.match(comment)?.join('\n') : undefined) ?? '';
		return file === 'changelog.md'
			? []
			: [...prose.matchAll(/`([^`\n]+)`/g)].filter(([, name]) => !isThere(name)).map(([, name]) =>
				`${file}: ${name}`);
	});
	expect(missing).toEqual([]);
});

test('the tests that take longest are there', () => {
	expect(longest.filter(file => !existsSync(path.join(root, 'test', file)))).toEqual([]);
});

// Only root can hide the JDKs of the machine (in a namespace of mounts) and go on as somebody who may not install any.
test.skipIf(!isRoot)(
	'without a JDK, and without the right to install one, one line says what to type (needs root: nobody else can hide the JDKs)',
	() => {
		const folder = folderForTest();
		for (
			const name of [
				'sh',
				'bash',
				'id',
				'tr',
				'sed',
				'dirname',
				'readlink',
				'unshare',
				'setpriv',
				'objcopy',
				'apt-get',
				'dnf',
				'apk',
			]
		) {
			const found = (process.env.PATH ?? '').split(':').map(at => path.join(at, name)).find(file =>
				existsSync(file));
			if (found) {
				symlinkSync(found, path.join(folder, name));
			}
		}

		// Where the other user can read it: this clone may be private.
		const copy = path.join(folder, 'tools');
		copyFileSync(path.join(root, '.ci/tools'), copy);
		spawnSync('chmod', ['755', folder, copy]);
		const hide
			= 'if [ -d /usr/lib/jvm ]; then mount -t tmpfs none /usr/lib/jvm; fi; exec setpriv --reuid "$1" --regid "$2" --clear-groups env -i PATH="$3" sh "$0"';
		const {status, stdout, stderr} = spawnSync('unshare', [
			'--mount',
			'sh',
			'-c',
			hide,
			copy,
			String(otherUser.uid),
			String(otherUser.gid),
			folder,
		], {encoding: 'utf8'});
		expect({status, stdout}).toEqual({status: 1, stdout: ''});
		expect(stderr)
			.toMatch(/^npm test needs a JDK with javac: (type sudo \S+ \S+ \S*(jdk|openjdk)\S*|install that, .*)\n$/);
	},
);
