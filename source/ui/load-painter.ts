import process from 'node:process';
import type {InkPainter} from './ink-painter.js';
import type {Terminal} from './terminal.js';

/** Loads Ink, which takes a few hundred milliseconds and is wanted nowhere but on a screen. */
export async function loadPainter(terminal: Terminal): Promise<InkPainter> {
	// Ink draws nothing before it exits where CI is set; a pseudo-terminal in a CI job is a terminal all the same. It looks only while it is being loaded (is-in-ci).
	const names = ['CI', 'CONTINUOUS_INTEGRATION'];
	const before = names.map(name => process.env[name]);
	for (const name of names) {
		process.env[name] = 'false';
	}

	try {
		const module = await import('./ink-painter.js');
		return new module.InkPainter(terminal);
	} finally {
		for (const [index, name] of names.entries()) {
			if (before[index] === undefined) {
				Reflect.deleteProperty(process.env, name);
			} else {
				process.env[name] = before[index];
			}
		}
	}
}
