import {rmSync} from 'node:fs';
import {createServer, type Socket} from 'node:net';
import process from 'node:process';
import type {Target} from '../../source/jvm/target.js';
import {rawTarget} from './target.js';

/** What a listener does with one request. */
export type Answer = (request: Buffer, socket: Socket) => void;

export type Listener = AsyncDisposable & {
	/** This very process, as the target whose listener answers. */
	readonly target: Target;
	readonly requests: Buffer[];
	answer: Answer;
};

/** A real listener on this process's own attach socket: for answers that no JVM gives on demand. */
export async function startListener(answer: Answer): Promise<Listener> {
	const path = `/tmp/.java_pid${process.pid}`;
	rmSync(path, {force: true});
	const requests: Buffer[] = [];
	const open = new Set<Socket>();
	const server = createServer(socket => {
		open.add(socket);
		socket.on('error', () => undefined);
		socket.once('close', () => {
			open.delete(socket);
		});
		socket.once('data', request => {
			requests.push(request);
			listener.answer(request, socket);
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(path, resolve);
	});
	const listener: Listener = {
		target: rawTarget(process.pid),
		requests,
		answer,
		async [Symbol.asyncDispose]() {
			for (const socket of open) {
				socket.destroy();
			}

			await new Promise(resolve => {
				server.close(resolve);
			});
			rmSync(path, {force: true});
		},
	};
	return listener;
}
