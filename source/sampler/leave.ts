import process from 'node:process';
import {loadLibc} from '../jvm/system/libc.js';

/**
Node waits for its workers before a process exits; one that hangs in a system call would keep it for ever. From now on
this process exits without waiting: with its own exit code if the C library can be called, otherwise killed.
*/
export function leaveWithoutWorkers(): void {
	process.once('exit', code => {
		loadLibc()?.func('void _exit(int status)')(code);
		process.kill(process.pid, 'SIGKILL');
	});
}
