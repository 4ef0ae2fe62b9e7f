// Loads the library given as the argument and starts no JVM; prints "ready", and ends with a word at SIGQUIT, as other
// servers do.
import process from 'node:process';
import koffi from 'koffi';

// Held, so that it stays loaded.
globalThis.library = koffi.load(process.argv[2]);
process.on('SIGQUIT', () => {
	console.log('shut down');
	process.exit(3);
});
setInterval(() => undefined, 1000);
console.log('ready');
