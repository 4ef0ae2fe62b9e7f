/** In place of object-hash's function, which nothing calls. */
export function sha1() {
	throw new Error('object-hash is not shipped: see build/bundle-options.js');
}
