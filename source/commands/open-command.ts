import {isBackend} from '../fleet/backend-address.js';
import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

export const openCommand = command({
	name: 'open',
	usage: 'FILE',
	path: 'file',
	help: 'a snapshot, recording or pyroscope://HOST, with the same keys; --last: your last session',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'other'],
		except: ['threads', 'duration'],
		also: ['at', 'from', 'to', 'headers'],
	},
	hasScreen: true,
	/** Returns the file; undefined for the session kept last. */
	read([file, ...others], {last}): string | undefined {
		rejectWords(others);
		if (last === Boolean(file)) {
			throw usage(
				last ? 'open --last takes no file' : 'open needs a file, or --last',
				'tprof-top open tprof-PID-TIME.pb.gz',
			);
		}

		return file;
	},
	backendOf: file => file !== undefined && isBackend(file) ? file : undefined,
	async run(file, options) {
		const [{showFile}, {lastKept}] = await Promise.all([import('./open-file.js'), import('./save.js')]);
		return showFile(file ?? await lastKept(), options);
	},
});
