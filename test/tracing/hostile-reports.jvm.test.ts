import {closeSync, openSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {readAgent} from '../../source/tracing/agent-files.js';
import {TraceSession} from '../../source/tracing/trace-session.js';
import {bundle} from '../helpers/bundle.js';
import {agentJar, request} from '../helpers/tracing.js';
import {run} from '../helpers/run.js';
import {jdk, targetOf} from '../helpers/jvm.js';
import {beside, javaForTest, sharedFolder} from '../helpers/for-test.js';
import {reportBytes, type ReportPart} from '../helpers/reports.js';

const mostReportBytes = 16 * 1024 * 1024;
const mostMemoryBytes = 200 * 1024 * 1024;

/** Takes as much room as a number may. */
const large = 2 ** 40;

const folder = sharedFolder();

/** How much of each a forged report has. */
type Amounts = {
	readonly texts?: number;
	readonly textBytes?: number;
	readonly methods?: number;
	readonly nodes?: number;
	readonly buckets?: number;
	readonly traces?: number;
	readonly actions?: number;
	readonly paths?: number;
};

/** The same parts again and again. */
function repeated(count: number, ...parts: readonly ReportPart[]): Uint8Array {
	const bytes = reportBytes(parts);
	return Buffer.alloc(count * bytes.length, bytes);
}

function forged(amounts: Amounts): Uint8Array {
	const {texts = 0, textBytes = 0, methods = 1, nodes = 0, buckets = 1, traces = 0, actions = 0, paths = 0} = amounts;
	const text = '\u001B'.repeat(textBytes);
	const counts = Array.from({length: buckets}, (_, bucket) => [bucket + 1, 1]).flat();
	return reportBytes([
		[4, 2, 1, 1, 1, 0, 0, texts, repeated(texts, text), 0, 0, 1, 1, 0, 0, 0, 0],
		[methods, repeated(methods, text, text, '()V', 0, 1)],
		[nodes, repeated(nodes, 0, 0, large, large, large, large, large, large, ...counts, 0)],
		[0, 0, traces, repeated(traces, 1, 1, 't', 1, 0, actions, repeated(actions, 0, 1))],
		[1, 't', repeated(paths, 1, large, large, large, large, large), 0, 0],
	].flat());
}

/**
Memory that reading a report adds, with the newest and an earlier one kept; and whether it is taken for a report. What
earlier reports left behind is collected first, in our own thread: how much of it there is depends on the machine.
*/
async function costOf(name: string, report: Uint8Array): Promise<{readonly isReport: boolean; readonly bytes: number}> {
	expect(report.length).toBeLessThanOrEqual(mostReportBytes);
	const file = path.join(folder, name);
	writeFileSync(file, report);
	const code = `
		import {readFileSync} from 'node:fs';
		import {parseReport} from ${JSON.stringify(String(await bundle('source/model/report-bytes.ts')))};
		const before = process.memoryUsage.rss();
		let kept = [];
		let isReport = true;
		for (let time = 0; time < 3; time++) {
			gc();
			try {
				kept = [kept.at(-1), parseReport(readFileSync(process.argv[1]))];
			} catch (error) {
				isReport = false;
			}
		}
		// Not resourceUsage: what it says is the parent's, if that was larger when it started this process.
		const [, mostKb] = /^VmHWM:\\s*(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
		console.log(JSON.stringify({isReport: isReport && kept.length === 2, bytes: mostKb * 1024 - before}));`;
	const {stdout} = await run(process.execPath, [
		'--single-threaded-gc',
		'--expose-gc',
		'--input-type=module',
		'-e',
		code,
		file,
	]);
	return JSON.parse(stdout) as {isReport: boolean; bytes: number};
}

test('a header that names a report that is not there', () => {
	const file = path.join(folder, 'data');
	const header = Buffer.alloc(8192);
	header.write('TPRF');
	header.writeBigInt64BE(7n, 8);
	header.writeBigInt64BE(4096n, 16);
	header.writeBigInt64BE(100n, 24);
	writeFileSync(file, header);
	const fd = openSync(file, 'r');
	try {
		expect(readAgent(fd, 0n)).toEqual({state: 'silent'});
		expect(readAgent(fd, 7n)).toEqual({state: 'silent'});
	} finally {
		closeSync(fd);
	}
});

// Each waits for most of its time.
test.concurrent.for([
	['reports without end and does nothing it is told is given up', 'NeverEnds', 'does not answer'],
	['says nothing once it is loaded is given up', 'SlowAgents$Silent', 'does not answer'],
	['says that it goes on is waited for', 'SlowAgents$GoesOn', 'another tprof-top has its agent'],
])(
	'an agent that %s',
	beside(async ([, className, message]) => {
		const java = await javaForTest('ParkedAndEcho', {jvmArgs: ['-Xmx384m'], under: []});
		const session = await TraceSession.open(
			await targetOf(java),
			agentJar(className, jdk(), folder, `Agent-Class: ${className}\n`),
		);
		await expect(session.survey({...request, patterns: ['a.B#c']})).rejects.toThrow(message);
		await session.close();
	}),
);

test.concurrent.each<[string, boolean, Amounts]>([
	['a thousand traces of 7,900 actions', false, {traces: 1000, actions: 7900}],
	['more buckets than are kept', true, {nodes: 15_000, buckets: 330}],
	['more names', false, {methods: 20_000, textBytes: 400}],
	['names of 16 KB', true, {texts: 250, textBytes: 16_000}],
	['all of it', true, {
		texts: 500,
		textBytes: 25,
		methods: 20_000,
		nodes: 65_000,
		buckets: 17,
		traces: 100,
		actions: 4096,
		paths: 65_000,
	}],
])('two reports from the target take less than 200 MB: %s', async (name, isReport, amounts) => {
	const cost = await costOf(name, forged(amounts));
	expect(cost.bytes).toBeLessThan(mostMemoryBytes);
	expect(cost.isReport).toBe(isReport);
});
