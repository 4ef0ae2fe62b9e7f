import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** From here to dist/, or to the project when this runs from source; never a folder above these, which may be anyone's. */
const folder = import.meta.url.endsWith('.ts') ? '../../' : (/\/chunks\/[^/]*$/.test(import.meta.url) ? '../' : './');

/** Where a file of dist/, such as `demo/shop.jar`, or of the project is; undefined if it was not copied along. */
export function bundledFile(name: string): string | undefined {
	const file = fileURLToPath(new URL(folder + name, import.meta.url));
	return existsSync(file) ? file : undefined;
}
