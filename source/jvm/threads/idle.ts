/*
The JVM calls a thread RUNNABLE while it is in native code, even when that code waits in the kernel. This list names
those calls; a thread whose top frame is one of them is IDLE. It is data: one line per call, with the reason that the
screen can show. Names by JDK release as the JDK's own sources have them.
*/

/** A native method in which a thread waits although the JVM calls it RUNNABLE. */
export type IdleCall = {
	readonly className: string;
	readonly method: string;
	/** What the thread waits for. */
	readonly reason: string;
	/**
	Set for calls that may also work hard (reading a file that is in memory): IDLE only if the thread used no CPU since
	its previous sample.
	*/
	readonly onlyWithoutCpu?: true;
};

const events = 'waiting for events on its sockets or files';
const connection = 'waiting for a connection';
const connecting = 'waiting for a connection to be made';
const data = 'waiting for data on a socket';
const bytes = 'waiting for data from a pipe, terminal or file';
const child = 'waiting for a child process to end';
const names = 'waiting for the name service';

/** The calls known to wait, by what they wait for. */
export const idleCalls: readonly IdleCall[] = [
	// Selectors and pollers.
	{className: 'sun.nio.ch.EPoll', method: 'wait', reason: events}, // 11 and later
	{className: 'sun.nio.ch.EPoll', method: 'epollWait', reason: events}, // 8, asynchronous channels
	{className: 'sun.nio.ch.EPollArrayWrapper', method: 'epollWait', reason: events}, // 8
	{className: 'sun.nio.ch.PollArrayWrapper', method: 'poll0', reason: events}, // 8
	{className: 'sun.nio.ch.PollSelectorImpl', method: 'poll', reason: events}, // 11 and later
	{className: 'sun.nio.ch.Net', method: 'poll', reason: events},
	{className: 'sun.nio.fs.LinuxWatchService', method: 'poll', reason: 'waiting for changes in watched directories'},
	{className: 'java.lang.VirtualThread', method: 'takeVirtualThreadListToUnblock', reason: 'waiting for virtual threads to unblock'}, // 24 and later
	{className: 'io.netty.channel.epoll.Native', method: 'epollWait', reason: events},
	{className: 'io.netty.channel.epoll.Native', method: 'epollWait0', reason: events},
	{className: 'io.netty.channel.epoll.Native', method: 'epollWaitNoTimeout', reason: events},
	{className: 'io.netty.channel.uring.Native', method: 'ioUringEnter', reason: events},
	{className: 'io.netty.incubator.channel.uring.Native', method: 'ioUringEnter', reason: events},
	{className: 'org.apache.tomcat.jni.Poll', method: 'poll', reason: events},
	{className: 'sun.awt.X11.XToolkit', method: 'waitForEvents', reason: 'waiting for display events'},

	// Sockets.
	{className: 'sun.nio.ch.Net', method: 'accept', reason: connection}, // 11 and later
	{className: 'sun.nio.ch.ServerSocketChannelImpl', method: 'accept0', reason: connection}, // 8 to 10
	{className: 'sun.nio.ch.UnixAsynchronousServerSocketChannelImpl', method: 'accept0', reason: connection}, // 8 to 10
	{className: 'sun.nio.ch.UnixDomainSockets', method: 'accept0', reason: connection}, // 16 and later
	{className: 'java.net.PlainSocketImpl', method: 'socketAccept', reason: connection}, // 8 to 17
	{className: 'org.apache.tomcat.jni.Socket', method: 'accept', reason: connection},
	{className: 'sun.nio.ch.Net', method: 'connect0', reason: connecting},
	{className: 'sun.nio.ch.Net', method: 'pollConnect', reason: connecting}, // 11 and later
	{className: 'sun.nio.ch.UnixDomainSockets', method: 'connect0', reason: connecting},
	{className: 'java.net.PlainSocketImpl', method: 'socketConnect', reason: connecting},
	{className: 'java.net.SocketInputStream', method: 'socketRead0', reason: data}, // 8 to 17
	{className: 'sun.nio.ch.SocketDispatcher', method: 'read0', reason: data}, // 13 and later
	{className: 'sun.nio.ch.SocketDispatcher', method: 'readv0', reason: data},
	{className: 'java.net.PlainDatagramSocketImpl', method: 'receive0', reason: data}, // 8 to 17
	{className: 'java.net.PlainDatagramSocketImpl', method: 'peekData', reason: data},
	{className: 'sun.nio.ch.DatagramChannelImpl', method: 'receive0', reason: data},
	{className: 'sun.nio.ch.DatagramDispatcher', method: 'read0', reason: data},
	{className: 'java.net.Inet4AddressImpl', method: 'lookupAllHostAddr', reason: names},
	{className: 'java.net.Inet4AddressImpl', method: 'getHostByAddr', reason: names},
	{className: 'java.net.Inet6AddressImpl', method: 'lookupAllHostAddr', reason: names},
	{className: 'java.net.Inet6AddressImpl', method: 'getHostByAddr', reason: names},

	// Pipes, terminals and files go through the same calls: only the CPU time shows whether they wait.
	{
		className: 'sun.nio.ch.FileDispatcherImpl', method: 'read0', reason: bytes, onlyWithoutCpu: true,
	}, // sockets too up to 12
	{
		className: 'sun.nio.ch.FileDispatcherImpl', method: 'readv0', reason: bytes, onlyWithoutCpu: true,
	},
	{
		className: 'sun.nio.ch.UnixFileDispatcherImpl', method: 'read0', reason: bytes, onlyWithoutCpu: true,
	}, // 20 and later
	{
		className: 'sun.nio.ch.UnixFileDispatcherImpl', method: 'readv0', reason: bytes, onlyWithoutCpu: true,
	},
	{
		className: 'java.io.FileInputStream', method: 'readBytes', reason: bytes, onlyWithoutCpu: true,
	},
	{
		className: 'java.io.FileInputStream', method: 'read0', reason: bytes, onlyWithoutCpu: true,
	},
	{
		className: 'java.io.FileInputStream', method: 'readBytes0', reason: bytes, onlyWithoutCpu: true,
	},

	// The JDK's own threads, and other processes.
	{className: 'java.lang.ref.Reference', method: 'waitForReferencePendingList', reason: 'waiting for the collector to find dead references'}, // 9 and later
	{className: 'java.lang.UNIXProcess', method: 'waitForProcessExit', reason: child}, // 8
	{className: 'java.lang.ProcessHandleImpl', method: 'waitForProcessExit0', reason: child}, // 9 and later
];

/**
How a top frame makes a thread IDLE: not at all, always, or only if the thread used no CPU since its previous sample.
*/
export const idleKind = Object.freeze({none: 0, always: 1, withoutCpu: 2});

/** The list for look-ups, with the user's own "Class.method" entries (full class name, dots). */
export class IdleList {
	/** By class, then by method: to put a name together for each look-up costs more than it. */
	readonly #calls = new Map<string, Map<string, IdleCall>>();

	constructor(extra: readonly string[] = []) {
		for (const call of idleCalls) {
			this.#add(call);
		}

		for (const entry of extra) {
			const dot = entry.lastIndexOf('.');
			if (dot > 0) {
				this.#add({className: entry.slice(0, dot), method: entry.slice(dot + 1), reason: 'idle by --idle-calls'});
			}
		}
	}

	/** A code of `idleKind` for a thread whose top frame is this method. */
	kindOf(className: string, method: string): number {
		const call = this.#calls.get(className)?.get(method);
		return call ? (call.onlyWithoutCpu ? idleKind.withoutCpu : idleKind.always) : idleKind.none;
	}

	/** What such a thread waits for; undefined if the method is not in the list. */
	reasonOf(className: string, method: string): string | undefined {
		return this.#calls.get(className)?.get(method)?.reason;
	}

	#add(call: IdleCall): void {
		const calls = this.#calls.get(call.className) ?? new Map<string, IdleCall>();
		this.#calls.set(call.className, calls.set(call.method, call));
	}
}
