/*
Runs a command under a filter of system calls (seccomp) that forbids ptrace and perf_event_open, as containers have it:
`node without-ptrace.js COMMAND ARGS...`; TPROF_FORBIDDEN in the environment names others, TPROF_ERRNO the error that
they give (EPERM). x86-64 only. Exits as the command does.
*/
import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import process from 'node:process';
import koffi from 'koffi';

const setNoNewPrivileges = 38;
const setSeccomp = 22;
const modeFilter = 2;
const calls = new Map([['ptrace', 101], ['perf_event_open', 298], ['process_vm_readv', 310]]);
const forbidden = (process.env.TPROF_FORBIDDEN ?? 'ptrace,perf_event_open').split(',').map(name => calls.get(name));

/**
Instructions of linux/bpf_common.h and what a filter may answer (linux/seccomp.h): code, jump if true, jump if false,
constant.
*/
const load = 0x20;
const jumpIfEqual = 0x15;
const answer = 0x06;
const allow = 0x7F_FF_00_00;
const fail = 0x00_05_00_00 + constants.errno[process.env.TPROF_ERRNO ?? 'EPERM'];
const program = [
	[load, 0, 0, 0],
	...forbidden.flatMap(call => [[jumpIfEqual, 0, 1, call], [answer, 0, 0, fail]]),
	[answer, 0, 0, allow],
];

const bytes = Buffer.alloc(8 * program.length);
for (const [index, [code, jumpTrue, jumpFalse, constant]] of program.entries()) {
	bytes.writeUInt16LE(code, 8 * index);
	bytes.writeUInt8(jumpTrue, (8 * index) + 2);
	bytes.writeUInt8(jumpFalse, (8 * index) + 3);
	bytes.writeUInt32LE(constant, (8 * index) + 4);
}

koffi.struct('sock_fprog', {len: 'uint16_t', filter: 'uint8_t *'});
const prctl = koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)');
const prctlWithFilter = koffi.load(null).func('int prctl(int, ulong, sock_fprog *)');
if (
	prctl(setNoNewPrivileges, 1, 0, 0, 0) !== 0
	|| prctlWithFilter(setSeccomp, modeFilter, {len: program.length, filter: bytes}) !== 0
) {
	throw new Error(`no filter could be set (errno ${koffi.errno()})`);
}

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, {stdio: 'inherit'});
child.on('exit', (code, signal) => {
	process.exitCode = code ?? (signal ? 128 : 1);
});
