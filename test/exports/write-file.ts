// Writes a file of so many bytes, in a process of its own whose rights and limits a test has set: node write-file.mjs
// FILE BYTES
import process from 'node:process';
import {writeWhole} from '../../source/exports/files/files.js';

try {
	await writeWhole(process.argv[2], new Uint8Array(Number(process.argv[3])));
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
