import {Buffer} from 'node:buffer';
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {beforeAll, expect, test} from 'vitest';
import {editorOf} from '../../source/ui/terminal/editor.js';
import {bundle} from '../helpers/bundle.js';
import {TerminalSession} from '../helpers/terminal.js';
import {sharedFolder, closedAfterTest} from '../helpers/for-test.js';

const folder = sharedFolder();
const editor = path.join(folder, 'editor');
let program = '';

beforeAll(async () => {
	const lines = Array.from({length: 30}, (_, index) => index === 14 ? '\tvoid step() {' : `\t\tline(${index + 1}); \u001B[2J`);
	mkdirSync(path.join(folder, 'com/acme/sort'), {recursive: true});
	writeFileSync(path.join(folder, 'com/acme/sort/Worker0.java'), `${lines.join('\n')}\n`);
	writeFileSync(editor, '#!/bin/sh\necho "EDITING $* CI=$CI"\nread answer\n');
	chmodSync(editor, 0o755);
	program = fileURLToPath(await bundle('test/helpers/ui-program.ts'));
});

/** A q within half a second of one that closed a layer does nothing. */
const pastSecondQ = async () => sleep(600);

async function started(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<TerminalSession> {
	const session = closedAfterTest(new TerminalSession(process.execPath, [program, ...words], {env}));
	await session.until('Worker0.step:16');
	return session;
}

test('a line\'s source stands in its detail with figures beside it, is opened in the editor, and its location is copied', async () => {
	const session = await started(['still', `sources=${folder}`], {VISUAL: undefined, EDITOR: `${editor} -x`, CI: 'yes'});
	session.type('\r');
	await session.until(/^ +15 {5}void step\(\) {$/m);
	await session.until(/\d+ +\d+ >16 {9}line\(16\); \\x1b\[2J/);
	session.type('y');
	await session.until('copied Worker0.java:16');
	expect(session.raw).toContain(`\u001B]52;c;${Buffer.from('Worker0.java:16').toString('base64')}\u0007`);
	session.type('e');
	await session.until(`EDITING -x +16 ${folder}/com/acme/sort/Worker0.java CI=yes`);
	expect(session.isAlternate).toBe(false);
	// It is the editor's key now.
	session.signal('SIGINT');
	session.type('q\r');
	await session.until(() => session.isAlternate, 'the screen again');
	await session.until('SOURCE Worker0.java');
	session.type('q');
	await session.until('[Lines]');
	await pastSecondQ();
	session.type('q');
	expect(await session.ended()).toMatchObject({exitCode: 0});
});

test('without a source, or without an editor, it is said why', async () => {
	const session = await started(['still', `sources=${folder}`], {VISUAL: '/no/such/editor', EDITOR: editor});
	session.type('e');
	await session.until('cannot start /no/such/editor (ENOENT)');
	session.type('/Worker1.\re');
	await session.until('no source of Worker1.java found');
});

test('Enter on who holds the lock goes to that thread, Tab to others, and q back', async () => {
	const session = await started(['still']);
	session.type('/Worker6\r\r');
	await session.until(/^>\s+\d+ {2}http-nio-8080-exec-0 holds com\.acme\.db\.Pool$/m);
	session.type('\r');
	const thread = await session.until('HOT LINES');
	expect(thread).toContain('http-nio-8080-exec-0');
	session.type('\t\r');
	await session.until(/^com\.acme\.sort\.Worker0\.step:16$/m);
	session.type('q');
	await session.until('HOT LINES');
	await pastSecondQ();
	session.type('q');
	await session.until('holds com.acme.db.Pool');
	session.type('\t');
	await session.until(/^>.*RRRRRRRR http-nio-8080-exec-\d$/m);
});

test.each([[{VISUAL: 'code -w', EDITOR: 'nano'}, ['code', '-w']], [{VISUAL: ' ', EDITOR: 'nano'}, ['nano']], [{}, ['vi']]])('the editor of %j is %j', (environment, words) => {
	expect(editorOf(environment)).toEqual(words);
});
