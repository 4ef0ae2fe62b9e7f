import path from 'node:path';
import {type Probe, shippedProbes} from '../model/task-probe.js';
import {printable} from '../model/text.js';
import {bundledFile} from '../runtime/bundled-file.js';
import {UserError} from '../runtime/errors.js';
import {readBytes} from '../jvm/system/proc.js';
import {parseProbe} from './parse.js';

const maxBytes = 1024 * 1024;

/** Reads a shipped probe by its name, or a file. Throws UserError (exit code 2) with every fault and its line. */
export function readProbe(nameOrFile: string): Probe {
	const isShipped = shippedProbes.includes(nameOrFile);
	const file = isShipped ? shippedFile(nameOrFile) : nameOrFile;
	const name = isShipped ? nameOrFile : printable(path.basename(file).replace(/\.jsonc?$/, ''));
	const {probe, faults} = parseProbe(name, textOf(file));
	if (!probe) {
		throw new UserError(`the probe ${nameOrFile}: ${faults.map(({line, text}) => `line ${line}: ${text}`).join('; ')}`, {hint: 'docs/probes.md says what a probe has', exitCode: 2});
	}

	return probe;
}

function shippedFile(name: string): string {
	const file = bundledFile(`probes/${name}.jsonc`);
	if (file === undefined) {
		throw new UserError(`the probe ${name} is missing from probes/ beside tprof-top's cli.js`, {hint: 'copy the whole dist folder, or install the package'});
	}

	return file;
}

function textOf(file: string): string {
	const read = readBytes(file, maxBytes + 1);
	if ('code' in read) {
		throw read.code === 'ENOENT'
			? new UserError(`there is no probe "${file}"`, {hint: `a file, or one of ${shippedProbes.join(', ')}`, exitCode: 2})
			: new UserError(`the probe ${file} cannot be read (${read.code})`, {exitCode: 2});
	}

	if (read.bytes.length > maxBytes) {
		throw new UserError(`${file} is too large for a probe`, {exitCode: 2});
	}

	return read.bytes.toString('utf8');
}
