/*
Traces all methods of java.base, of management and XML, a package at a time for two seconds each, beside a program that
uses them, on JDK 8, 17 and 25, or those of the releases named. Prints each package that harmed the program or ended the
agent, how many packages there were, and of how many calls were seen; TPROF_PACKAGES=java.util limits it to packages
that begin so, TPROF_TRACE_MS says how long each is traced.
*/
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {type JavaProcess, type Jdk, jdks, sayTo, startJava, targetOf} from '../test/helpers/jvm.js';
import {TraceSession} from '../source/tracing/trace-session.js';

const traceMs = Number(process.env.TPROF_TRACE_MS ?? 2000);
const given = process.argv.slice(2).map(Number);
const releases = given.length > 0 ? given : [8, 17, 25];
const prefix = process.env.TPROF_PACKAGES ?? '';
const file = path.resolve('agent/agent.jar');

function packagesOf({home, release}: Jdk): string[] {
	const [command, ...args] = release === 8
		? ['jar', 'tf', path.join(home, 'jre/lib/rt.jar')]
		: ['jimage', 'list', '--include', 'regex:/java[.](base|management|xml)/.*', path.join(home, 'lib/modules')];
	const names = execFileSync(path.join(home, 'bin', command), args, {encoding: 'utf8', maxBuffer: 2 ** 27})
		.split('\n').map(name => name.trim());
	return [
		...new Set(names.filter(name => name.endsWith('.class')).map(name => path.dirname(name).replaceAll('/', '.'))),
	]
		.filter(name => /^(?:javax?|sun|jdk)\b/.test(name) && name.startsWith(prefix)).sort();
}

for (const jdk of jdks().filter(({release}) => releases.includes(release))) {
	const packages = packagesOf(jdk);
	let java: JavaProcess | undefined;
	let traced = 0;
	let called = 0;
	for (const name of packages) {
		java ??= await startJava('UsesJdk', {jdk, jvmArgs: ['-Xmx1g'], args: ['more']});
		const target = await targetOf(java);
		let what = '';
		let harm = '';
		const session = await TraceSession.open(target, file);
		try {
			// A star stands for dots too: packages below are traced with it.
			const {survey, wovenMethods, refused} = await session.weave({
				patterns: [`${name}.*#*`],
				under: [],
				leastNs: 0,
				keep: 5,
				maxMethods: 10_000,
				maxOverheadPercent: 100,
				reportIntervalMs: 500,
				findRunningLoops: undefined,
			});
			what = `${survey.methods} methods, ${wovenMethods} woven`;
			traced += wovenMethods > 0 ? 1 : 0;
			const odd = refused.filter(({reason}) =>
				!reason.startsWith('tracing it') && !reason.startsWith('the JVM does not')
				&& !reason.startsWith('lambdas'));
			harm += odd.length > 0
				? ` refused: ${odd.slice(0, 3).map(({name, reason}) => `${name}: ${reason}`).join(', ')}`
				: '';
			if (wovenMethods > 0) {
				await sleep(traceMs);
				called += session.read()!.nodes.calls.some(calls => calls > 0) ? 1 : 0;
			}
		} catch (error) {
			harm += ` ${String(error)}`;
		}

		await session.close();
		try {
			const said = await sayTo(java, 'on');
			harm += /errors 0$/m.test(said) ? '' : ` ${said}`;
		} catch (error) {
			harm += ` ${String(error)} ${java.output().slice(-3000)}`;
		}

		if (harm !== '') {
			console.log(`JDK ${jdk.release} ${name}: ${what}:${harm}`);
			await java.stop();
			java = undefined;
		}
	}

	await java?.stop();
	console.log(`JDK ${jdk.release}: ${packages.length} packages, ${traced} with classes that were loaded and traced, ${called} of them called`);
}
