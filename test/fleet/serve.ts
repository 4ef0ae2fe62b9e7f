import {once} from 'node:events';
import http from 'node:http';
import type {AddressInfo} from 'node:net';
import {atTestEnd} from '../helpers/for-test.js';

/** Serves HTTP on this host until the test ends; `answer` gets each request with its whole body. */
export async function serve(
	answer: (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => unknown,
	at = 0,
) {
	const server = http.createServer((request, response) => {
		void (async () => answer(request, Buffer.concat(await request.toArray() as Buffer[]), response))();
	}).listen(at, '127.0.0.1');
	await once(server, 'listening');
	atTestEnd(() => {
		server.closeAllConnections();
		server.close();
	});
	const {port} = server.address() as AddressInfo;
	return {server, port, url: new URL(`http://127.0.0.1:${port}`)};
}
