import {usage} from '../runtime/errors.js';
import {otlp} from './otlp.js';
import type {Protocol} from './protocol.js';
import {pyroscope} from './pyroscope.js';

/** Reads --to: the address of an engine, and its protocol, OTLP by the path. Throws UserError (2). */
export function engineOf(text: string): {readonly url: URL; readonly protocol: Protocol} {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw usage('--to needs the http or https address of an engine', 'Pyroscope: http://HOST:4040; an OpenTelemetry collector: http://HOST:4318/v1development/profiles');
	}

	if (url.username || url.password) {
		throw usage('--to must not hold a password: every user of this host could read it', 'put "Authorization: Basic BASE64" into a file, and give that to --headers');
	}

	return {url, protocol: /\/v1(?:development)?\/profiles\/?$/.test(url.pathname) ? otlp : pyroscope};
}

/** Whether what is sent there stays on this host or is encrypted. */
export function isPrivate({protocol, hostname}: URL): boolean {
	return protocol === 'https:' || isLoopback(hostname);
}

/** Whether a name or address, an IPv6 one with or without brackets, is of this host alone. */
export function isLoopback(host: string): boolean {
	return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1]?)$/.test(host);
}
