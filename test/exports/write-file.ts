// node write-file.mjs FILE BYTES...: writes FILE.bin whole, any other file as one that grows by reports of these sizes
import process from 'node:process';
import {writeTogether} from '../../source/exports/files/write-files.js';
import {GrowingFile} from '../../source/exports/files/growing-file.js';

const [name, ...sizes] = process.argv.slice(2);
if (name.endsWith('.bin')) {
	await writeTogether([{file: name, bytes: new Uint8Array(Number(sizes[0]))}]);
} else {
	const file = await GrowingFile.create(name);
	for (const size of sizes) {
		await file.append(new Uint8Array(Number(size)));
	}

	await file.finish();
}
