/*
What the memory engine costs a target on a host with much more to do than it has CPUs: busy loops at our own priority, a
JVM with eight busy threads, and the built program with each timer, as root, and as a user who may not raise a priority.
The stopped share must keep below the budget, in each minute where it runs for minutes, from the first sample on.
`stopped, seen` is what an observer with a priority of its own sees: of the looks at the JVM's busy threads, one each
millisecond, the share that found them stopped by a tracer. Numbers of the command line: seconds for each (30), busy
loops (40). TPROF_BENCH_ONLY takes some of the timers and users (perf, stop; root, other). TPROF_BENCH_CLI is another
build to measure, for comparison.
*/
import {spawn, spawnSync, type ChildProcess} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {commOf} from '../test/helpers/proc.js';
import {javaProcess, compileProgram, jdk} from '../test/helpers/jvm.js';
import {isRoot, javaAsOtherUser, otherUser} from '../test/helpers/users.js';
import {timerIds, type TimerId} from '../source/engines/common/engine.js';
import {wanted} from './support/only.js';
import {buildProgram} from './support/program.js';

const seconds = Number(process.argv[2] ?? 30);
const loops = Number(process.argv[3] ?? 40);
const cli = process.env.TPROF_BENCH_CLI ?? buildProgram();
/** Of each the tool's report says what it cost. */
const minutes = Math.max(1, Math.round(seconds / 60));
const busy = 8;
const asOther = ['setpriv', '--reuid', String(otherUser.uid), '--regid', String(otherUser.gid), '--clear-groups'];

type Cost = {
	readonly targetStoppedMs: number;
	readonly pauseP50Us: number;
	readonly pauseP99Us: number;
	readonly pauseWorstUs: number;
	readonly selfCpuMs: number;
};
type Report = {
	readonly durationMs: number;
	readonly samples: number;
	readonly threadSamples: number;
	readonly skippedThreads: {readonly refused: number; readonly late: number};
	readonly cost: Cost;
};

/** Counts looks at the threads, and those that found one stopped by a tracer. */
const observer = `
const {openSync, readSync} = require('node:fs');
const files = process.argv.slice(1).map(file => openSync(file, 'r'));
const bytes = Buffer.alloc(512);
let looks = 0, stopped = 0;
setInterval(() => {
	for (const file of files) {
		const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, 512, 0));
		looks++;
		stopped += text[text.lastIndexOf(')') + 2] === 't' ? 1 : 0;
	}
}, 1);
process.on('SIGTERM', () => {
	console.log(100 * stopped / looks);
	process.exit(0);
});`;

function end(child: ChildProcess): void {
	child.kill('SIGKILL');
}

async function measure(
	who: string,
	timer: TimerId,
	javaCommand: readonly string[],
	under: readonly string[],
): Promise<Record<string, string | number>> {
	const on = jdk();
	const [command, ...rest] = [
		...javaCommand,
		'-XX:+UseSerialGC',
		'-Xmx128m',
		'-cp',
		compileProgram('BusyAndParked', on),
		'BusyAndParked',
		'20',
		'50',
		String(busy),
	];
	const java = javaProcess(spawn(command, rest, {stdio: 'pipe'}));
	const children: ChildProcess[] = [];
	try {
		await java.waitFor(/^ready$/m);
		await sleep(2000);
		const threads = readdirSync(`/proc/${java.pid}/task`).filter(tid =>
			commOf(java.pid, Number(tid))?.startsWith('busy-')).map(tid => `/proc/${java.pid}/task/${tid}/stat`);
		for (let loop = 0; loop < loops; loop++) {
			children.push(spawn('sh', ['-c', 'while :; do :; done'], {stdio: 'ignore'}));
		}

		const looker = spawn(isRoot ? 'chrt' : 'nice', [
			...(isRoot ? ['-f', '5'] : ['-n', '0']),
			process.execPath,
			'-e',
			observer,
			...threads,
		], {stdio: ['ignore', 'pipe', 'inherit']});
		children.push(looker);
		let seen = '';
		looker.stdout.on('data', (text: Buffer) => {
			seen += text.toString();
		});
		await sleep(2000);
		const {stdout, stderr} = await output([
			...under,
			process.execPath,
			cli,
			String(java.pid),
			'--engine',
			'memory',
			'--timer',
			timer,
			'--batch',
			'--format',
			'json',
			'-n',
			String(minutes),
			'-d',
			String(seconds / minutes),
		]);
		looker.kill('SIGTERM');
		await new Promise(resolve => {
			looker.once('close', resolve);
		});
		if (!stdout.startsWith('{')) {
			throw new Error(stderr);
		}

		const reports = (minutes === 1 ? [stdout] : stdout.trim().split('\n')).map(text => JSON.parse(text) as Report);
		const {pauseP50Us, pauseP99Us, pauseWorstUs} = reports.at(-1)!.cost;
		const sum = (of: (report: Report) => number) => reports.reduce((total, report) => total + of(report), 0);
		return {
			who,
			timer,
			'stopped, %': reports.map(({cost, durationMs}) => rounded(100 * cost.targetStoppedMs / durationMs))
				.join(' '),
			'stopped, seen, %': rounded(Number(seen)),
			'worst, ms': rounded(pauseWorstUs / 1000),
			'p99, ms': rounded(pauseP99Us / 1000),
			'p50, ms': rounded(pauseP50Us / 1000),
			samples: sum(report => report.samples),
			'not stopped': sum(report => report.skippedThreads.late),
			'of, s': rounded(sum(report => report.durationMs) / 1000),
			load: rounded(Number(readFileSync('/proc/loadavg', 'latin1').split(' ')[0])),
		};
	} finally {
		for (const child of children) {
			end(child);
		}

		await java.stop();
	}
}

async function output([command, ...args]: readonly string[]): Promise<{stdout: string; stderr: string}> {
	const child = spawn(command, args, {stdio: ['ignore', 'pipe', 'pipe'], cwd: '/'});
	const texts = {stdout: '', stderr: ''};
	for (const name of ['stdout', 'stderr'] as const) {
		child[name].on('data', (text: Buffer) => {
			texts[name] += text.toString();
		});
	}

	await new Promise(resolve => {
		child.once('close', resolve);
	});
	return texts;
}

function rounded(value: number): number {
	return Number(value.toPrecision(3));
}

const java = path.join(jdk().home, 'bin/java');
const rows = [];
const users = wanted(['root', 'other'] as const);
for (const timer of wanted(timerIds)) {
	if (!isRoot || users.includes('root')) {
		rows.push(await measure(isRoot ? 'root' : 'ourselves', timer, [java], []));
	}

	if (isRoot && users.includes('other') && spawnSync('setpriv', ['--version']).status === 0) {
		rows.push(await measure('another user', timer, javaAsOtherUser(jdk()), asOther));
	}
}

console.table(rows);
process.exitCode = rows.some(row => String(row['stopped, %']).split(' ').some(share => Number(share) > 2)) ? 1 : 0;
