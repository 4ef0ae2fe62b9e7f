import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** The package's version, which the build inserts. */
export const version = process.env.TPROF_VERSION ?? '0.0.0-source';

/** Path from here to dist/, or to the project if run from source; never a folder above, which anyone might own. */
const folder = import.meta.url.endsWith('.ts') ? '../../' : (/\/chunks\/[^/]*$/.test(import.meta.url) ? '../' : './');

/** Returns the path of a file of dist/ or the project, such as `demo/shop.jar`; undefined if it is missing. */
export function bundledFile(name: string): string | undefined {
	const file = fileURLToPath(new URL(folder + name, import.meta.url));
	return existsSync(file) ? file : undefined;
}
