import {expect, test} from 'vitest';
import {beside, javaForTest} from '../helpers/for-test.js';
import {runCli} from '../helpers/run.js';

/** Exit code and output of `explain` for a situation of the program. */
async function explained(situation: string, {jvmArgs = [], args = [], ...options}: {
	readonly jvmArgs?: readonly string[];
	readonly args?: readonly string[];
	readonly under?: readonly string[];
} = {}) {
	const {pid} = await javaForTest('Situations', {
		args: [situation],
		jvmArgs: ['-Dpassword=secret', ...jvmArgs],
		...options,
	});
	return runCli('explain', String(pid), '--duration', '4', ...args);
}

test.concurrent(
	'a deadlock is an alarm, with the stacks of its threads',
	beside(async () => {
		const {status, stdout} = await explained('deadlock');
		expect(status).toBe(4);
		expect(stdout).toMatch(/^1\. `DEADLOCK: (?:worker-\d -> ){2}/m);
		expect(stdout).toMatch(/^ {3}- thread `worker-\d`:\n {5}- `Situations\./m);
	}),
);

test.concurrent(
	'a full heap is a limit that is reached',
	beside(async () => {
		const {status, stdout} = await explained('collector', {jvmArgs: ['-Xmx64m'], under: []});
		expect(stdout).toMatch(/^1\. `The heap is full: /m);
		expect(status).toBe(4);
	}),
);

test.concurrent(
	'a lock is a finding, with its holder\'s stack; properties of the JVM, which may be secrets, are not there',
	beside(async () => {
		const {status, stdout, stderr} = await explained('monitor', {jvmArgs: ['-Xmx99m']});
		expect(status).toBe(3);
		expect(stdout).toMatch(/^1\. `50 threads wait for Object, [^`]*: holder has it, at Situations\.sleep:\d+\.`/m);
		expect(stdout).toMatch(/^- `holder` has `java\.lang\.Object`: 50 wait now, /m);
		expect(stdout).toMatch(/^ {3}- its stack:\n {5}- `java\.lang\.Thread\.sleep/m);
		expect(stdout).toMatch(/^- JVM flags: `[^`]*-Xmx99m/m);
		expect(stdout).not.toContain('secret');
		expect(stderr).toBe('');
	}),
);

test.concurrent(
	'of a program that works nothing is found: its hottest line is there',
	beside(async () => {
		const {status, stdout} = await explained('hog');
		expect(stdout).toMatch(/^(?:\| \d+\.\d ){2}\| `Situations\.mixes:\d+` \|$/m);
		// The machine of the tests may be busy.
		expect(status).toBe(/^1\. `(?!Host CPU)/m.test(stdout) ? undefined : (stdout.includes('None:') ? 0 : 3));
	}),
);

test.concurrent(
	'in another format it is what that has',
	beside(async () => {
		const {status, stdout} = await explained('lock', {args: ['--format', 'json']});
		const {findings} = JSON.parse(stdout) as {readonly findings: ReadonlyArray<{readonly id: string}>};
		expect(findings.map(({id}) => id)).toContain('contention');
		expect(status).toBe(3);
	}),
);

test('without a target it says what it needs', async () => {
	const {status, stderr} = await runCli('explain');
	expect(status).toBe(2);
	expect(stderr).toContain('explain needs a target');
});
