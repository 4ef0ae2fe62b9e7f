// The entry point of the single file: the kubectl plugin by its name or as the first word, else tprof-top.
import path from 'node:path';
import process from 'node:process';

const [, started, word] = process.argv;
const isPlugin = path.basename(started) === 'kubectl-tprof';
if (isPlugin || word === 'kubectl') {
	process.argv.splice(2, isPlugin ? 0 : 1);
	import('../../source/kubectl.ts');
} else {
	import('../../source/cli.ts');
}
