import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** The folder above that of the chunks, or of the source, is dist/ or the project; never one above these, which may be anyone's. */
const folder = /\/chunks\/[^/]*$|\.ts$/.test(import.meta.url) ? '../' : './';

/** Where a file of dist/ is, such as `demo/shop.jar`, or of the project when this runs from source. Undefined where the folder was not copied whole. */
export function bundledFile(name: string): string | undefined {
	const file = fileURLToPath(new URL(folder + name, import.meta.url));
	return existsSync(file) ? file : undefined;
}
