import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';

test('no part of the project is larger than its limit (npm run size prints them)', () => {
	const {status, stderr} = spawnSync(process.execPath, ['build/size.js'], {cwd: path.resolve(import.meta.dirname, '../..'), encoding: 'utf8'});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
});
