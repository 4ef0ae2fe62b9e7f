// Writes a file of reports of so many bytes each, in a process of its own whose rights and limits a test has set: node
// grow-file.mjs FILE BYTES...
import process from 'node:process';
import {GrowingFile} from '../../source/exports/files/growing-file.js';

const [name, ...sizes] = process.argv.slice(2);
try {
	const file = await GrowingFile.create(name);
	for (const size of sizes) {
		await file.append(new Uint8Array(Number(size)));
	}

	await file.finish();
} catch (error) {
	const {message, hint} = error as Error & {hint: string};
	console.error(`${message}\n${hint}`);
	process.exitCode = 1;
}
