import {readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {renderReference} from '../../build/reference-tables.js';

test('the tables of docs/reference.md are those of the program (npm run reference writes them)', () => {
	const reference = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference.md'), 'utf8');
	expect(reference).toBe(renderReference(reference));
});
