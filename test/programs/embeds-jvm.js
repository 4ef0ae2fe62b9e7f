// A program that is no java launcher and has a JVM in it. Arguments: libjli.so of a JDK, then those of java. SIGQUIT is
// handled before the JVM starts, which takes it over unless it is told to leave signals alone; at SIGWINCH the
// program takes it back, and prints "taken".
import process from 'node:process';
import koffi from 'koffi';

const [library, ...args] = process.argv.slice(2);
const shutDown = () => {
	console.log('shut down');
	process.exit(3);
};

process.on('SIGQUIT', shutDown);
process.once('SIGWINCH', () => {
	process.off('SIGQUIT', shutDown);
	process.on('SIGQUIT', shutDown);
	console.log('taken');
});
// JLI_Launch (java.h of the JDK's launcher) runs main in a thread of its own; the JVM cannot run on the stack that
// koffi calls with.
const launch = koffi.load(library).func('JLI_Launch', 'int', [
	'int',
	'char **',
	'int',
	'void *',
	'int',
	'void *',
	'const char *',
	'const char *',
	'const char *',
	'const char *',
	'bool',
	'bool',
	'bool',
	'int',
]);
const argv = ['java', ...args];
launch.async(argv.length, argv, 0, null, 0, null, '1', '1', 'java', 'java', false, true, false, 0, (error, code) => {
	process.exit(error ? 1 : code);
});
