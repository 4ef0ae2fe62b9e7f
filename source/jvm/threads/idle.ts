import type {Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';

/**
The JVM calls a thread RUNNABLE while it is in native code, even if that code waits in the kernel. These are such calls
of the JDK and of some libraries, by what they wait for; the comments say which JDK releases have them, if not all. A
thread whose innermost frame is one of them is IDLE. `onlyIfNoCpu`: the calls may also work, so the thread is IDLE only
if it used no CPU since its previous sample.
*/
const waits: ReadonlyArray<readonly [reason: string, calls: readonly string[], onlyIfNoCpu?: true]> = [
	['waiting for events on its sockets or files', [
		'sun.nio.ch.EPoll.wait', // 11 and later
		'sun.nio.ch.EPoll.epollWait', // 8, asynchronous channels
		'sun.nio.ch.EPollArrayWrapper.epollWait', // 8
		'sun.nio.ch.PollArrayWrapper.poll0', // 8
		'sun.nio.ch.PollSelectorImpl.poll', // 11 and later
		'sun.nio.ch.Net.poll',
		'io.netty.channel.epoll.Native.epollWait',
		'io.netty.channel.epoll.Native.epollWait0',
		'io.netty.channel.epoll.Native.epollWaitNoTimeout',
		'io.netty.channel.uring.Native.ioUringEnter',
		'io.netty.incubator.channel.uring.Native.ioUringEnter',
		'org.apache.tomcat.jni.Poll.poll',
	]],
	['waiting for changes in watched directories', ['sun.nio.fs.LinuxWatchService.poll']],
	['waiting for virtual threads to unblock', ['java.lang.VirtualThread.takeVirtualThreadListToUnblock']], // 24 and later
	['waiting for display events', ['sun.awt.X11.XToolkit.waitForEvents']],
	['waiting for a connection', [
		'sun.nio.ch.Net.accept', // 11 and later
		'sun.nio.ch.ServerSocketChannelImpl.accept0', // 8 to 10
		'sun.nio.ch.UnixAsynchronousServerSocketChannelImpl.accept0', // 8 to 10
		'sun.nio.ch.UnixDomainSockets.accept0', // 16 and later
		'java.net.PlainSocketImpl.socketAccept', // 8 to 17
		'org.apache.tomcat.jni.Socket.accept',
	]],
	['waiting for a connection to be made', [
		'sun.nio.ch.Net.connect0',
		'sun.nio.ch.Net.pollConnect', // 11 and later
		'sun.nio.ch.UnixDomainSockets.connect0',
		'java.net.PlainSocketImpl.socketConnect',
	]],
	['waiting for data on a socket', [
		'java.net.SocketInputStream.socketRead0', // 8 to 17
		'sun.nio.ch.SocketDispatcher.read0', // 13 and later
		'sun.nio.ch.SocketDispatcher.readv0',
		'java.net.PlainDatagramSocketImpl.receive0', // 8 to 17
		'java.net.PlainDatagramSocketImpl.peekData',
		'sun.nio.ch.DatagramChannelImpl.receive0',
		'sun.nio.ch.DatagramDispatcher.read0',
	]],
	['waiting for the name service', [
		'java.net.Inet4AddressImpl.lookupAllHostAddr',
		'java.net.Inet4AddressImpl.getHostByAddr',
		'java.net.Inet6AddressImpl.lookupAllHostAddr',
		'java.net.Inet6AddressImpl.getHostByAddr',
	]],
	// They also read cached files: only the CPU time shows whether they wait.
	['waiting for data from a pipe, terminal or file', [
		'sun.nio.ch.FileDispatcherImpl.read0', // sockets too up to 12
		'sun.nio.ch.FileDispatcherImpl.readv0',
		'sun.nio.ch.UnixFileDispatcherImpl.read0', // 20 and later
		'sun.nio.ch.UnixFileDispatcherImpl.readv0',
		'java.io.FileInputStream.readBytes',
		'java.io.FileInputStream.read0',
		'java.io.FileInputStream.readBytes0',
	], true],
	['waiting for the collector to find dead references', ['java.lang.ref.Reference.waitForReferencePendingList']], // 9 and later
	['waiting for a child process to end', [
		'java.lang.UNIXProcess.waitForProcessExit', // 8
		'java.lang.ProcessHandleImpl.waitForProcessExit0', // 9 and later
	]],
];

/** Whether a method makes a thread IDLE: never, always, or if the thread used no CPU since its previous sample. */
export const idleKind = Object.freeze({none: 0, always: 1, ifNoCpu: 2});

/** Looks up idle calls, including the user's own "Class.method" entries (full class name, dots). */
export class IdleList {
	/** By class, then by method, which is cheaper than joining both for each look-up. */
	readonly #calls = new Map<string, Map<string, {readonly reason: Printable; readonly kind: number}>>();

	constructor(extra: readonly string[] = []) {
		for (const [reason, calls, onlyIfNoCpu] of [...waits, ['idle by --idle-calls', extra] as const]) {
			for (const call of calls) {
				const dot = call.lastIndexOf('.');
				getOrCreate(this.#calls, call.slice(0, dot), () => new Map()).set(call.slice(dot + 1), {
					reason,
					kind: onlyIfNoCpu ? idleKind.ifNoCpu : idleKind.always,
				});
			}
		}
	}

	/** Returns the `idleKind` of a thread whose innermost frame is this method. */
	kindOf(className: string, method: string): number {
		return this.#calls.get(className)?.get(method)?.kind ?? idleKind.none;
	}

	/** Returns what such a thread waits for; undefined if the method is not listed. */
	reasonOf(className: string, method: string): Printable | undefined {
		return this.#calls.get(className)?.get(method)?.reason;
	}
}
