import {readFileSync, statSync} from 'node:fs';
import {validateHeaderName, validateHeaderValue} from 'node:http';
import process from 'node:process';
import {usage, UserError} from '../runtime/errors.js';

/** Name of the environment variable that has headers if no file is given. */
const headersVariable = 'TPROF_HEADERS';

export type Headers = Readonly<Record<string, string>>;

/** Headers that the connection itself needs. */
const ownHeaders = new Set([
	'connection',
	'content-length',
	'content-type',
	'content-encoding',
	'host',
	'transfer-encoding',
]);
const maxBytes = 65_536;
let fromEnvironment: Headers | undefined;

/**
Returns a function that gives the headers for a backend, such as credentials. It reads a file each time, as headers may
change. Without a file it uses the environment variable, which is removed so that child processes do not inherit it.
Both have a header a line, as `Authorization: Bearer abc`. Errors (UserError) never show a value.
*/
export function headersFrom(file: string | undefined): () => Headers {
	if (file !== undefined) {
		return () => parse(contentOf(file), file);
	}

	fromEnvironment ??= parse(process.env[headersVariable] ?? '', headersVariable);
	const headers = fromEnvironment;
	// eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the name is a constant
	delete process.env[headersVariable];
	return () => headers;
}

function contentOf(file: string): string {
	// The user may have given a header in place of a file: do not show it.
	const name = file.includes(':') ? 'what --headers names' : file;
	let problem: string;
	try {
		const stats = statSync(file);
		if (stats.isFile() && stats.size <= maxBytes) {
			return readFileSync(file, 'utf8');
		}

		problem = stats.isFile() ? 'the file is too long' : 'it is not a regular file';
	} catch (error) {
		problem = (error as NodeJS.ErrnoException).code ?? 'unknown error';
	}

	throw new UserError(`cannot read the headers in ${name}: ${problem}`, {
		hint: 'the file of --headers has a header a line, such as Authorization: Bearer ...',
	});
}

function parse(text: string, from: string): Headers {
	if (text.length > maxBytes) {
		throw new UserError(`${from} is too long for headers`);
	}

	const headers: Record<string, string> = {};
	for (const [index, line] of text.split(/\r?\n/).entries()) {
		if (line.trim() === '' || line.startsWith('#')) {
			continue;
		}

		const [, name = '', value = ''] = /^([^:\s]+):(.*)$/.exec(line) ?? [];
		try {
			validateHeaderName(name);
			validateHeaderValue(name, value.trim());
		} catch {
			throw new UserError(`${from}: line ${index + 1} is not a header`, {
				hint: 'write a header a line, such as Authorization: Bearer TOKEN',
				exitCode: 2,
			});
		}

		if (ownHeaders.has(name.toLowerCase())) {
			throw new UserError(`${from}: ${name} cannot be set`, {exitCode: 2});
		}

		headers[name] = value.trim();
	}

	return headers;
}

/** Returns a backend's address. Throws UserError (2) if it may hold a credential: all users see our command line. */
export function withoutCredentials(url: URL, name: string): URL {
	const part = url.username || url.password ? 'password' : (url.search ? 'query' : undefined);
	if (part) {
		throw usage(
			`${name} must not have a ${part}: every user of this host could read it`,
			'put "Authorization: Basic BASE64" or "Authorization: Bearer TOKEN" into a file, and give that to --headers',
		);
	}

	return url;
}

/** Warns if others could read headers on their way to a backend. */
export function warnIfReadable(headers: Headers, {protocol, hostname, host}: URL): void {
	const isPrivate = protocol === 'https:' || isLoopback(hostname) || Object.keys(headers).length === 0;
	if (!isPrivate) {
		process.stderr.write(`tprof-top: the headers are sent unencrypted to ${host}; an https address would hide them\n`);
	}
}

/** Whether a name or address, an IPv6 one with or without brackets, is of this host alone. */
export function isLoopback(host: string): boolean {
	return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1]?)$/.test(host);
}
