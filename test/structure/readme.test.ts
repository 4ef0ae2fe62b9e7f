import {readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {renderReadme} from '../../build/readme-tables.js';

test('the readme\'s tables are those of the program (npm run readme writes them)', () => {
	const readme = readFileSync(path.resolve(import.meta.dirname, '../../readme.md'), 'utf8');
	expect(readme).toBe(renderReadme(readme));
});
