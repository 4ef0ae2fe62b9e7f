import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {jarsOf} from '../../../bench/support/maven.js';
import {attempt} from '../../../source/jvm/system/proc.js';
import {Sample} from '../../../source/model/sample.js';
import {folderForTest, programForTest} from '../../helpers/for-test.js';
import {jdk, runTool, sayTo} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {Observer} from '../observe.js';

const artifacts = [
	'com.zaxxer:HikariCP:5.1.0',
	'com.h2database:h2:2.2.224',
	'org.apache.tomcat.embed:tomcat-embed-core:10.1.30',
	'io.netty:netty-transport:4.1.114.Final',
	'org.slf4j:slf4j-nop:2.0.16',
];

test('pools of HikariCP, Tomcat and Netty have the figures of their getters, and connections their holders', async ({skip}) => {
	const jars = attempt(() => jarsOf(artifacts), undefined);
	if (jars === undefined) {
		skip('the libraries cannot be had: needs mvn, and a repository of Maven');
	}

	const on = jdk();
	const classes = path.join(folderForTest(), 'classes');
	const classPath = `${jars}/*:${classes}`;
	mkdirSync(classes);
	runTool(on, 'javac', '-nowarn', '-cp', classPath, '-d', classes, path.resolve('bench/programs/LibraryPools.java'));
	const java = programForTest(path.join(on.home, 'bin/java'), ['-cp', classPath, 'LibraryPools']);
	await java.waitFor(/^ready$/m);
	const observer = await Observer.open(java.pid);
	const sample = new Sample();
	for (let state = 0; state < 6; state++) {
		const said = await sayTo(java, `state ${state}`);
		const figuresOf = (name: string) =>
			new RegExp(`^${name} (.*)$`, 'm').exec(said)![1].split(' ').map(Number);
		const waiting = figuresOf('orders-db')[3];
		const truth = [...said.matchAll(/^holder (.*)$/gm)].map(([, name]) => name);
		let pools = observer.session.readPools!();
		await untilAsync(async () => {
			await observer.session.sample(sample);
			pools = observer.session.readPools!();
			const {held = [], queued} = pools.find(({name}) => name === 'orders-db') ?? {};
			return queued === waiting && held.length === truth.length && held.every(({thread}) => thread > 0);
		});
		const rows = Array.from({length: sample.count}, (_, row) => row);
		const nameOf = new Map(rows.map(row => [sample.key[row], String(sample.name[row])]));
		const poolOf = (name: string) => pools.find(pool => pool.name === name)!;
		const {held, ...connections} = poolOf('orders-db');
		expect(connections).toMatchObject({kind: 'hikari', size: 5, limit: 5, active: 5, queued: waiting});
		expect(new Set(held.map(({thread}) => nameOf.get(thread)))).toEqual(new Set(truth));
		const [size, limit, active, queued] = figuresOf('http-nio-8080-exec');
		if (size > 0) {
			expect(poolOf('http-nio-8080-exec')).toMatchObject({kind: 'executor', size, limit, active, queued});
		}

		const [ofLoops, busy, pending] = figuresOf('loop');
		expect(poolOf('loop-1')).toMatchObject({kind: 'netty', limit: ofLoops, active: busy, queued: pending});
	}
});
