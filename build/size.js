// npm run size: lines and files of each part of the project, beside its budget.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import process from 'node:process';

/** What git knows of, or would if it were added; a part's files, and how much it may have. */
const parts = [
	{part: 'source/', paths: ['source'], lines: 40_000, files: 350},
	{part: 'agent/', paths: ['agent/src'], lines: 5500},
	{part: 'test/ (TypeScript)', paths: ['test/*.ts', 'test/*.tsx'], lines: 20_000},
	{part: 'bench/', paths: ['bench'], lines: 2500},
	{part: 'readme.md', paths: ['readme.md'], lines: 200},
	{part: 'docs/performance.md', paths: ['docs/performance.md'], lines: 150},
];

const rows = parts.map(({part, paths, lines, files = ''}) => {
	const found = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', ...paths], {encoding: 'utf8'}).split('\n').filter(file => existsSync(file));
	const has = found.map(file => readFileSync(file, 'utf8').split('\n').length - 1).reduce((sum, count) => sum + count, 0);
	return {part, lines: has, 'at most': lines, files: found.length, 'files at most': files, kept: found.length > 0 && has <= lines && (files === '' || found.length <= files) ? 'yes' : 'NO'};
});
const columns = Object.keys(rows[0]);
const widths = columns.map(column => Math.max(column.length, ...rows.map(row => String(row[column]).length)));
for (const cells of [columns, ...rows.map(row => Object.values(row))]) {
	process.stdout.write(`${cells.map((cell, index) => index === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[index])).join('  ')}\n`);
}
