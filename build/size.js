// npm run size: lines and files of each part of the project, beside its limit and what is wanted. Fails where a part is
// larger than its limit. Whoever makes a part smaller lowers the limit with it, leaving some 2 % of air.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import process from 'node:process';

const parts = [
	{part: 'source/', paths: ['source'], limit: 47_000, wanted: 40_000},
	{part: 'source/ (files)', paths: ['source'], isOfFiles: true, limit: 345, wanted: 350},
	{part: 'agent/', paths: ['agent/src'], limit: 5500, wanted: 5500},
	{part: 'test/ (TypeScript)', paths: ['test/*.ts', 'test/*.tsx'], limit: 20_000, wanted: 20_000},
	{part: 'bench/', paths: ['bench'], limit: 2500, wanted: 2500},
	{part: 'readme.md', paths: ['readme.md'], limit: 200, wanted: 200},
	{part: 'docs/performance.md', paths: ['docs/performance.md'], limit: 150, wanted: 150},
];

/** What git knows of, or would if it were added. */
function filesOf(paths) {
	return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', ...paths], {encoding: 'utf8'}).split('\n').filter(file => existsSync(file));
}

const linesOf = file => readFileSync(file, 'utf8').split('\n').length - 1;

process.stdout.write(`${'part'.padEnd(20)}     now   limit  wanted\n`);
for (const {part, paths, isOfFiles, limit, wanted} of parts) {
	const files = filesOf(paths);
	const now = isOfFiles ? files.length : files.reduce((sum, file) => sum + linesOf(file), 0);
	process.stdout.write(`${part.padEnd(20)}${[now, limit, wanted].map(count => String(count).padStart(8)).join('')}\n`);
	if (now > limit || now === 0) {
		process.stderr.write(`${part} has ${now}, more than its limit of ${limit}: take out what the change makes superfluous; if it must grow, say why in the commit and raise the limit in build/size.js\n`);
		process.exitCode = 1;
	}
}
